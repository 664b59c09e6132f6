import { afterEach, describe, expect, test } from "@jest/globals";
import { createTabStore } from "../../src/console/session/tab-store.ts";
import {
  keepDraft,
  personOfTab,
  readDraft,
  takeDraft,
  toDraft,
  writeDraft,
} from "../../src/console/ui/form/drafts.ts";
import { createStorage } from "./support/storage.ts";

afterEach(() => {
  Reflect.deleteProperty(globalThis, "sessionStorage");
});

describe("a draft", () => {
  test("is what was typed, without the secrets", () => {
    const values = { name: "Shop", clientSecret: "hush", scopes: ["openid"] };
    const base = { name: "", clientSecret: "old", scopes: [] };
    const version = { sequence: 1767225600000000n };
    const draft = toDraft({ values, base, version, key: "k1" }, ["clientSecret"]);
    expect(draft).toEqual({
      values: { name: "Shop", scopes: ["openid"] },
      base: { name: "", scopes: [] },
      version,
      key: "k1",
    });
    expect(readDraft(writeDraft(draft))).toEqual(draft);
  });

  test("is not kept for another person, by a page of the one before", () => {
    const storage = createStorage();
    Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
    const store = createTabStore(storage);
    const draft = { values: { name: "Shop" }, base: { name: "" }, version: undefined, key: "k1" };
    store.welcome("7");
    const person = personOfTab();
    keepDraft("a", draft, person);
    expect(takeDraft("a")).toEqual(draft);
    store.welcome("8");
    keepDraft("a", draft, person);
    expect(takeDraft("a")).toBeUndefined();
  });

  test.each(["", "null", "1", "{}", '{"values":1}', '{"values":null}', '{"values":{},"sequence":"x"}', "{"])(
    "is not read from %j",
    (text) => {
      expect(readDraft(text)).toBeUndefined();
    },
  );

  test("has a key only if it is a text", () => {
    expect(readDraft('{"values":{"a":1},"key":7}')).toEqual({
      values: { a: 1 },
      base: {},
      version: undefined,
      key: undefined,
    });
  });
});
