import { describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import {
  createKeyring,
  type KeyUse,
  newMasterKeyText,
  parseMasterKeys,
} from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { anyCharacter } from "../../support/any-character.ts";

const uses: readonly KeyUse[] = [
  "client-secret",
  "user-key",
  "u2f-challenge",
  "phone-code",
  "phone-factor-code",
  "email-factor-code",
  "phone-number",
  "page-token",
  "check",
];
const base64Of = (fill: number, bytes = 32) => Buffer.alloc(bytes, fill).toString("base64");
const ringOf = (text: string) => createKeyring(parseMasterKeys(text), systemRandom);

const oldRing = ringOf(`old ${base64Of(1)}\n`);
const newRing = ringOf(`new ${base64Of(2)}\nold ${base64Of(1)}\n`);
const plaintext = new Uint8Array(Buffer.from("the plain text"));

/** Returns every value that differs from the given one in one byte. */
const changesOf = (value: Uint8Array) =>
  Array.from(value, (byte, index) => value.with(index, byte ^ (1 << (index % 8))));

describe("parseMasterKeys", () => {
  test("reads one key per line and skips empty lines", () => {
    const keys = parseMasterKeys(`\nfirst_1 ${base64Of(1)}\r\n  \nSECOND-2 ${base64Of(2)}`);
    expect(keys).toEqual([
      { id: "first_1", bytes: new Uint8Array(32).fill(1) },
      { id: "SECOND-2", bytes: new Uint8Array(32).fill(2) },
    ]);
  });

  test.each([
    ["without an id", base64Of(9)],
    ["without a key", "canary"],
    ["with two blanks", `canary  ${base64Of(9)}`],
    ["with a blank in front", ` canary ${base64Of(9)}`],
    ["with a key of 31 bytes", `canary ${base64Of(9, 31)}`],
    ["with a key of 33 bytes", `canary ${base64Of(9, 33)}`],
    ["with base64url", `canary ${base64Of(0xff).replaceAll("/", "_")}`],
    ["with a key without padding", `canary ${base64Of(9).slice(0, -1)}`],
    ["with a third word", `canary ${base64Of(9)} more`],
    ["with an id of 65 characters", `${"c".repeat(65)} ${base64Of(9)}`],
    ["with a dot in the id", `can.ary ${base64Of(9)}`],
    ["that is a comment", "# canary"],
  ])("refuses a line %s, by its number and without its content", (_description, line) => {
    expect(() => parseMasterKeys(`good ${base64Of(1)}\n\n${line}\n`)).toThrow(
      /^line 3 is not of the form "<key id> <base64 of 32 bytes>"$/,
    );
  });

  test("refuses a key id that stands in a line before, without naming it", () => {
    expect(() => parseMasterKeys(`canary ${base64Of(1)}\ncanary ${base64Of(2)}\n`)).toThrow(
      /^line 2 repeats a key id$/,
    );
  });

  test.each(["", "\n \n"])("refuses a file without a key: %j", (text) => {
    expect(() => parseMasterKeys(text)).toThrow("it contains no key");
  });
});

describe("newMasterKeyText", () => {
  test("makes one line that can be read, another one each time", () => {
    const texts = [newMasterKeyText(systemRandom), newMasterKeyText(systemRandom)];
    expect(texts[0]).toMatch(/^[0-9a-f]{8} [A-Za-z0-9+/]{43}=\n$/);
    const [first, second] = texts.map((text) => parseMasterKeys(text)[0]);
    expect(first?.id).not.toBe(second?.id);
    expect(first?.bytes).not.toEqual(second?.bytes);
  });
});

describe("encrypt and decrypt", () => {
  test("give back any bytes under any context", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ unit: anyCharacter }), (bytes, context) => {
        const sealed = oldRing.encrypt("client-secret", bytes, context);
        expect(oldRing.decrypt("client-secret", sealed, context)).toEqual(bytes);
      }),
    );
  });

  test("lay out 12 bytes nonce, the ciphertext and 16 bytes tag, with a nonce that is drawn each time", () => {
    let fill = 0;
    const random = { ...systemRandom, bytes: (count: number) => new Uint8Array(count).fill((fill += 1)) };
    const ring = createKeyring(parseMasterKeys(`old ${base64Of(1)}`), random);
    const [first, second] = [1, 2].map(() => ring.encrypt("user-key", plaintext, "context").value);
    expect(first).toHaveLength(12 + plaintext.length + 16);
    expect(first?.subarray(0, 12)).toEqual(new Uint8Array(12).fill(1));
    expect(second?.subarray(0, 12)).toEqual(new Uint8Array(12).fill(2));
    expect(Buffer.from(first ?? []).includes(plaintext)).toBe(false);
  });

  test("refuse a value with any byte changed", () => {
    const { keyId, value } = oldRing.encrypt("client-secret", plaintext, "context");
    for (const changed of changesOf(value)) {
      expect(() => oldRing.decrypt("client-secret", { keyId, value: changed }, "context")).toThrow();
    }
  });

  test("refuse a value of any other length", () => {
    const { keyId, value } = oldRing.encrypt("client-secret", plaintext, "context");
    const cut = Array.from(value, (_, length) => value.subarray(0, length));
    for (const other of [...cut, new Uint8Array([...value, 0])]) {
      expect(() => oldRing.decrypt("client-secret", { keyId, value: other }, "context")).toThrow();
    }
  });

  test("refuse another context, another use and another key", () => {
    const sealed = oldRing.encrypt("client-secret", plaintext, "context");
    const imposter = ringOf(`old ${base64Of(3)}`);
    expect(() => oldRing.decrypt("client-secret", sealed, "context ")).toThrow();
    expect(() => oldRing.decrypt("user-key", sealed, "context")).toThrow();
    expect(() => imposter.decrypt("client-secret", sealed, "context")).toThrow();
    expect(() => newRing.decrypt("client-secret", { ...sealed, keyId: "new" }, "context")).toThrow();
  });

  test("name the key that is gone", () => {
    const sealed = newRing.encrypt("client-secret", plaintext, "context");
    expect(() => oldRing.decrypt("client-secret", sealed, "context")).toThrow(
      "the key new is not in the key file",
    );
  });

  test("seal with the first key and open with every one", () => {
    const before = oldRing.encrypt("client-secret", plaintext, "context");
    expect([before.keyId, newRing.encrypt("client-secret", plaintext, "context").keyId]).toEqual([
      "old",
      "new",
    ]);
    expect(newRing.decrypt("client-secret", before, "context")).toEqual(plaintext);
  });
});

describe("mac and isMacOf", () => {
  test("hash with HMAC-SHA256 under HKDF-SHA256 of the master key for the use (RFC 5869 §2)", () => {
    const hmac = (key: Uint8Array, ...data: readonly Uint8Array[]) =>
      createHmac("sha256", key).update(Buffer.concat(data)).digest();
    const extracted = hmac(new Uint8Array(32), Buffer.alloc(32, 1));
    for (const use of uses) {
      const derived = hmac(extracted, Buffer.from(`gatehouse/${use}/v1`), Buffer.of(1));
      const expected = new Uint8Array(hmac(derived, Buffer.from("a text")));
      expect(oldRing.mac(use, "a text")).toEqual({ keyId: "old", value: expected });
    }
  });

  test("give unrelated hashes for different uses", () => {
    const hashes = uses.map((use) => Buffer.from(oldRing.mac(use, "a text").value).toString("hex"));
    expect(new Set(hashes).size).toBe(uses.length);
  });

  test("know the hash of a text again, also when its key is no longer the first", () => {
    const before = oldRing.mac("phone-code", "12345678");
    expect(oldRing.isMacOf("phone-code", before, "12345678")).toBe(true);
    expect(newRing.isMacOf("phone-code", before, "12345678")).toBe(true);
    expect(newRing.mac("phone-code", "12345678").keyId).toBe("new");
  });

  test("deny any other text, use, byte, length or key", () => {
    const { keyId, value } = oldRing.mac("phone-code", "12345678");
    expect(oldRing.isMacOf("phone-code", { keyId, value }, "12345679")).toBe(false);
    expect(oldRing.isMacOf("phone-number", { keyId, value }, "12345678")).toBe(false);
    expect(newRing.isMacOf("phone-code", { keyId: "new", value }, "12345678")).toBe(false);
    for (const other of [...changesOf(value), value.subarray(0, 31), new Uint8Array()]) {
      expect(oldRing.isMacOf("phone-code", { keyId, value: other }, "12345678")).toBe(false);
    }
  });

  test("deny the hash of a key that is gone instead of failing", () => {
    expect(oldRing.isMacOf("phone-code", newRing.mac("phone-code", "1"), "1")).toBe(false);
  });
});

describe("checkValue", () => {
  test("is the same for the same key only", () => {
    expect(oldRing.checkValue("old")).toEqual(newRing.checkValue("old"));
    expect(newRing.checkValue("new")).not.toEqual(newRing.checkValue("old"));
    expect(ringOf(`old ${base64Of(3)}`).checkValue("old")).not.toEqual(oldRing.checkValue("old"));
  });

  test("fails for a key that is not there", () => {
    expect(() => oldRing.checkValue("new")).toThrow("the key new is not in the key file");
  });
});

test("createKeyring needs a key", () => {
  expect(() => createKeyring([], systemRandom)).toThrow("a keyring needs a key");
});

describe("a keyring in use", () => {
  const makeRing = () => ringOf(`new ${base64Of(2)}\nold ${base64Of(1)}\n`);

  test("encrypts and hashes with the first key, until another one is chosen", () => {
    const ring = makeRing();
    expect(ring.sealingKeyId).toBe("new");
    ring.sealWith("old");
    expect(ring.sealingKeyId).toBe("old");
    expect(ring.encrypt("user-key", plaintext, "c").keyId).toBe("old");
    expect(oldRing.isMacOf("check", ring.mac("check", "1"), "1")).toBe(true);
    expect(ring.decrypt("user-key", newRing.encrypt("user-key", plaintext, "c"), "c")).toEqual(plaintext);
  });

  test("forgets its keys when they are replaced", () => {
    const ring = ringOf(`old ${base64Of(3)}\n`);
    const sealed = ring.encrypt("user-key", plaintext, "c");
    ring.replace(parseMasterKeys(`new ${base64Of(2)}\nold ${base64Of(1)}\n`), "old");
    expect({ ids: ring.keyIds, sealing: ring.sealingKeyId }).toEqual({ ids: ["new", "old"], sealing: "old" });
    expect(() => ring.decrypt("user-key", sealed, "c")).toThrow();
    expect(ring.encrypt("user-key", plaintext, "c").keyId).toBe("old");
    expect(ring.checkValue("old")).toEqual(oldRing.checkValue("old"));
  });

  test("refuses to encrypt with a key that it does not have, and keeps those it has", () => {
    const ring = makeRing();
    const message = "the key other is not in the key file";
    expect(() => ring.sealWith("other")).toThrow(message);
    expect(() => ring.replace(parseMasterKeys(`k ${base64Of(4)}`), "other")).toThrow(message);
    expect({ ids: ring.keyIds, sealing: ring.sealingKeyId }).toEqual({ ids: ["new", "old"], sealing: "new" });
  });
});
