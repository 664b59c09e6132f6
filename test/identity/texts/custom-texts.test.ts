import { describe, expect, test } from "@jest/globals";
import {
  checkCustomTexts,
  findTextFault,
  isChangeableByOrganizations,
  listChangeable,
} from "../../../src/identity/texts/custom-texts.ts";
import { languages } from "../../../src/identity/texts/languages.ts";

const keys = listChangeable(languages[0]).map(([key]) => key);

describe("a text", () => {
  test.each([
    ["Welcome to {application}", "to continue to {application}"],
    ["Sign in. It is quick.", "Sign in"],
    ["Version 2.", "Sign in"],
    ["続けます。次へ", "続ける"],
    ["Hello\n\n{code}", "Your code\n{code}"],
  ])("%j can stand for %j", (text, standard) => {
    expect(findTextFault(text, standard)).toBeUndefined();
  });

  test.each([
    ["Welcome", "to continue to {application}"],
    ["Welcome to {application} and {organization}", "to continue to {application}"],
    ["Go to https://example.com", "Sign in"],
    ["Go to evil.example", "Sign in"],
    ["Go to www.1", "Sign in"],
    ["Go to evil.{application}", "to {application}"],
    ["Go to {application}.example", "to {application}"],
    ["Go to ｅｖｉｌ．ｅｘａｍｐｌｅ", "Sign in"],
    ["ada@example", "Sign in"],
    ["Sign\nin", "Sign in"],
    ["Sign\u202Ein", "Sign in"],
    [" Sign in", "Sign in"],
  ])("%j cannot stand for %j", (text, standard) => {
    expect(findTextFault(text, standard)).toBeDefined();
  });
});

describe("organizations", () => {
  const changing = (key: string) =>
    checkCustomTexts("organization", { language: "en", texts: [{ key, text: "Hello" }] });

  test("change no text of pages and emails that users must be able to trust, nor a button of them", () => {
    const trusted = keys.filter((key) => !isChangeableByOrganizations(key));
    for (const part of [
      "login.confirm.",
      "login.device.",
      "login.reviewFactors.",
      "login.errors.",
      "login.setup.",
      "notices.",
    ])
      expect(trusted.filter((key) => key.startsWith(part))).toEqual(
        keys.filter((key) => key.startsWith(part)),
      );
    expect(trusted).toEqual(
      expect.arrayContaining(["login.continue", "login.cancel", "login.account.another"]),
    );
    expect(changing("login.invitation.title")).toEqual([]);
    expect(changing("login.confirm.told")).toMatchObject([{ field: "texts[0].key" }]);
    expect(
      checkCustomTexts("instance", { language: "en", texts: [{ key: "login.confirm.told", text: "Told:" }] }),
    ).toEqual([]);
  });

  test("send no SMS that is long", () => {
    const check = (text: string) =>
      checkCustomTexts("organization", { language: "en", texts: [{ key: "sms.verification", text }] });
    const text = "{code} {minutes}";
    expect(check(text.padEnd(300, "."))).toEqual([]);
    expect(check(text.padEnd(301, "."))).toMatchObject([{ field: "texts[0].text" }]);
  });

  test("change no key that is unknown, not the start page, and none twice", () => {
    expect(changing("front.start.title")).toMatchObject([{ field: "texts[0].key" }]);
    expect(changing("login.nothing")).toMatchObject([{ field: "texts[0].key" }]);
    const twice = [1, 2].map(() => ({ key: "account.title", text: "Hello" }));
    expect(checkCustomTexts("organization", { language: "en", texts: twice })).toMatchObject([
      { field: "texts[1].key" },
    ]);
    expect(checkCustomTexts("organization", { language: "nl", texts: [] })).toMatchObject([
      { field: "language" },
    ]);
  });
});
