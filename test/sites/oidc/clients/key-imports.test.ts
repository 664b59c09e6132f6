import { describe, expect, test } from "@jest/globals";
import { generateKeyPairSync } from "node:crypto";
import type { PublicJwk } from "../../../../src/kernel/base/public-key.ts";
import { createKeyImport } from "../../../../src/sites/oidc/clients/key-imports.ts";

const newKey = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }) as PublicJwk;

describe("an import of keys", () => {
  test("makes of each key what it stands for, also while it keeps others of the same kind", () => {
    const importKey = createKeyImport();
    const keys = [newKey(), newKey(), newKey()];
    for (const key of [...keys, ...keys]) expect(importKey(key).export({ format: "jwk" })).toEqual(key);
  });

  test("keeps a key that is read anew each time", () => {
    const importKey = createKeyImport();
    const key = newKey();
    expect(importKey({ ...key })).toBe(importKey({ ...key }));
  });

  test("keeps no more than it may, those that were used last", () => {
    const importKey = createKeyImport(2);
    const [first, second, third] = [newKey(), newKey(), newKey()] as const;
    const [kept, dropped] = [importKey(first), importKey(second)];
    expect(importKey(first)).toBe(kept);
    importKey(third);
    expect(importKey(first)).toBe(kept);
    expect(importKey(second)).not.toBe(dropped);
  });

  test("throws for what is no key, every time", () => {
    const importKey = createKeyImport();
    const bad: PublicJwk = { ...newKey(), x: "AAAA" } as PublicJwk;
    for (const each of [bad, { ...bad }]) expect(() => importKey(each)).toThrow();
  });
});
