import { expect, test } from "@jest/globals";
import { findBrokenRule, passwordTooWeak } from "../../../../src/identity/people/passwords/password.ts";

const ada = {
  username: "ada.lovelace",
  email: "Countess@Example.com",
  givenName: "Ada Augusta",
  familyName: "King-Noel-Lovelace",
};
const place = { organizationName: "Acme Metals", issuer: "https://login.acme.test:8443" };
const policy = { minPasswordLength: 10 };

test.each([
  ["nine characters", "123456789", "min_length"],
  ["nine characters outside of the first plane", "😀".repeat(9), "min_length"],
  ["201 characters", "xy z".repeat(50) + "x", "max_length"],
  ["the username", "ada.lovelace", "personal"],
  ["the username in capitals, between blanks", "  ADA.LOVELACE ", "personal"],
  ["the username in wide letters", "ａｄａ.lovelace", "personal"],
  ["the email address", "countess@example.com", "personal"],
  ["the given name", "ada augusta", "personal"],
  ["the family name", "king-noel-lovelace", "personal"],
  ["a sequence of digits", "1234567890", "common"],
  ["digits backwards", "0987654321", "common"],
  ["one character, outside of the first plane", "😀".repeat(10), "common"],
  ["200 times the same", "x".repeat(200), "common"],
  ["a repetition", "xkqjxkqjxkqj", "common"],
  ["rows of keys", "qwertzuiop12", "common"],
  ["columns of keys", "1qaz2wsx3edc", "common"],
  ["two rows of keys in turns", "1q2w3e4r5t6y", "common"],
  ["two rows of keys in turns, the other one first", "q1w2e3r4t5", "common"],
  ["a sequence from both ends", "1029384756", "common"],
  ["a sequence of pairs", "1122334455", "common"],
  ["a word, digits and a mark", "Password123!", "common"],
  ["a word with substitutions and a year", "P@$$w0rd2026", "common"],
  ["a word twice", "passwordpassword", "common"],
  ["a season and a year", "Sommer2026!!", "common"],
  ["the username and a digit", "ada.lovelace1", "common"],
  ["the username between letters", "xyada.lovelacexy", "common"],
  ["the username without its dot, in wide letters", "ａｄａlovelace99", "common"],
  ["a part of the name between digits", "12lovelace34", "common"],
  ["the product and a year", "Gatehouse2026", "common"],
  ["the organization and digits", "acmemetals12", "common"],
  ["the host and digits", "login.acme.test7", "common"],
  ["the addressee and digits", "countess2345", "common"],
  ["a name and enough else", "lovelace k3v9wq", undefined],
  ["words that are not common", "correct horse battery staple", undefined],
  ["a common word among others", "another password", undefined],
  ["ten characters by chance", "k3$Jq9!xTz", undefined],
  ["ten digits by chance", "8472910385", undefined],
  ["ten characters outside of the first plane", "😀🐎🔋📎🌲🎻🧵🪐🍋🧭", undefined],
  [
    "200 characters",
    Array.from({ length: 50 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7) + "x ä").join(""),
    undefined,
  ],
  ["blanks and control characters", "\0\n\t \u0001\u0002\u0003\u0004\u0005\u0006 ", undefined],
])("%s: rule %p", (_name, password, rule) => {
  expect(findBrokenRule(password, ada, policy, place)).toBe(rule);
});

test("an empty field of the user is not a password", () => {
  const nobody = { username: "x", email: "", givenName: "", familyName: "" };
  expect(findBrokenRule("k3 Jq9 xTz m", nobody, policy, place)).toBeUndefined();
});

test("a refusal names the rule, and not the password", () => {
  const problem = passwordTooWeak("min_length", 12);
  expect(problem).toMatchObject({ reason: "PASSWORD_TOO_WEAK", metadata: { rule: "min_length" } });
  expect(problem.violations).toEqual([
    { field: "password", description: "must have at least 12 characters" },
  ]);
});
