import { describe, expect, test } from "@jest/globals";
import { createTabStore } from "../../src/console/session/tab-store.ts";
import { createStorage } from "./support/storage.ts";

const attempt = { state: "s", nonce: "n", verifier: "v", place: "/", isSilent: true };

describe("the store of a tab", () => {
  test("gives an attempt once, and counts what has begun until a call was accepted", () => {
    const store = createTabStore(createStorage());
    store.begin(attempt, 1);
    store.begin(attempt, 2);
    expect(store.takeAttempt()).toEqual(attempt);
    expect(store.takeAttempt()).toBeUndefined();
    expect(store.begins()).toEqual([1, 2]);
    store.settle();
    expect(store.begins()).toEqual([]);
  });

  test("forgets drafts when the user signs out, and that they did with the next login", () => {
    const storage = createStorage({ "gatehouse.draft.AddProject": "{}", other: "1" });
    const store = createTabStore(storage);
    store.signOut();
    expect(Object.entries(storage)).toEqual([
      ["other", "1"],
      ["gatehouse.signed-out", "true"],
    ]);
    expect(store.isSignedOut()).toBe(true);
    store.begin(attempt, 1);
    expect(store.isSignedOut()).toBe(false);
  });

  test("has nothing of one person for the next", () => {
    const storage = createStorage();
    const store = createTabStore(storage);
    expect(store.welcome("7")).toBe(true);
    storage.setItem("gatehouse.draft.AddProject", "{}");
    storage.setItem("other", "1");
    expect(store.welcome("7")).toBe(true);
    expect(storage.getItem("gatehouse.draft.AddProject")).toBe("{}");
    expect(store.welcome("8")).toBe(false);
    expect(storage.getItem("gatehouse.draft.AddProject")).toBeNull();
    expect(storage.getItem("other")).toBe("1");
    expect(store.welcome("8")).toBe(true);
  });

  test.each(["", "null", "{", "[]", '{"state":"s"}', JSON.stringify({ ...attempt, isSilent: "yes" })])(
    "has no attempt if %j was kept",
    (text) => {
      const store = createTabStore(createStorage({ "gatehouse.attempt": text, "gatehouse.begins": text }));
      expect(store.takeAttempt()).toBeUndefined();
      expect(store.begins()).toEqual([]);
    },
  );
});
