import { expect, test } from "@jest/globals";
import { findBrokenRule, passwordTooWeak } from "../../../../src/features/users/passwords/password.ts";

const ada = {
  username: "ada.lovelace",
  email: "Ada@Example.com",
  givenName: "Ada Augusta",
  familyName: "King-Noel-Lovelace",
};
const policy = { minPasswordLength: 10 };

test.each([
  ["nine characters", "123456789", "min_length"],
  ["nine characters outside of the first plane", "😀".repeat(9), "min_length"],
  ["201 characters", "x".repeat(201), "max_length"],
  ["the username", "ada.lovelace", "personal"],
  ["the username in capitals, between blanks", "  ADA.LOVELACE ", "personal"],
  ["the username in wide letters", "ａｄａ.lovelace", "personal"],
  ["the e-mail address", "ada@example.com", "personal"],
  ["the given name", "ada augusta", "personal"],
  ["the family name", "king-noel-lovelace", "personal"],
  ["ten characters", "1234567890", undefined],
  ["ten characters outside of the first plane", "😀".repeat(10), undefined],
  ["200 characters", "x".repeat(200), undefined],
  ["blanks and control characters", "\0\n\t        ", undefined],
  ["a name and more", "ada.lovelace1", undefined],
])("%s: rule %p", (_name, password, rule) => {
  expect(findBrokenRule(password, ada, policy)).toBe(rule);
});

test("an empty field of the user is not a password", () => {
  const nobody = { username: "x", email: "", givenName: "", familyName: "" };
  expect(findBrokenRule("          ", nobody, policy)).toBeUndefined();
});

test("a refusal names the rule, and not the password", () => {
  const problem = passwordTooWeak("min_length", 12);
  expect(problem).toMatchObject({ reason: "PASSWORD_TOO_WEAK", metadata: { rule: "min_length" } });
  expect(problem.violations).toEqual([
    { field: "password", description: "must have at least 12 characters" },
  ]);
});
