import { expect, test } from "@jest/globals";
import { languages } from "../../src/identity/texts/languages.ts";
import { findTexts, pageLanguages, withText } from "../../src/console/pages/custom-texts/find-texts.ts";

const texts = [
  { key: "login.password.title", defaultText: "Sign in", text: "", isChangeableByOrganizations: true },
  { key: "account.title", defaultText: "Your account", text: "Hello", isChangeableByOrganizations: true },
  {
    key: "mails.password.subject",
    defaultText: "Set your password",
    text: "Password",
    isChangeableByOrganizations: true,
  },
];
const find = (search: string, isChangedOnly = false) =>
  findTexts(texts, { search, isChangedOnly }).map(({ key }) => key);

test("the console offers the languages of the service", () => {
  expect(pageLanguages).toEqual(languages.map(({ tag }) => tag));
});

test("texts are found by every word, in what they say and where they stand", () => {
  expect(find("")).toHaveLength(3);
  expect(find("PASSWORD")).toEqual(["login.password.title", "mails.password.subject"]);
  expect(find("set pass")).toEqual(["mails.password.subject"]);
  expect(find("hello")).toEqual(["account.title"]);
  expect(find("password", true)).toEqual(["mails.password.subject"]);
  expect(find("nothing")).toEqual([]);
});

test("a text is saved with all others that were changed, and an empty one is left out", () => {
  const [second, third] = [
    { key: "account.title", text: "Hello" },
    { key: "mails.password.subject", text: "Password" },
  ];
  const added = { key: "login.password.title", text: "Welcome" };
  expect(withText(texts, added)).toEqual([second, third, added]);
  expect(withText(texts, { key: "account.title", text: "Bye" })).toEqual([
    third,
    { key: "account.title", text: "Bye" },
  ]);
  expect(withText(texts, { key: "account.title", text: "" })).toEqual([third]);
});
