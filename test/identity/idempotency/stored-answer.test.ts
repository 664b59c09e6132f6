import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { createKeyring, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import {
  answerIdOf,
  answerLifetimeMs,
  type KeyedCall,
  type Ending,
  requireSame,
  toStoredAnswer,
} from "../../../src/identity/idempotency/stored-answer.ts";
import { anyCharacter } from "../../support/any-character.ts";

const lineOf = (id: string, fill: number) => `${id} ${Buffer.alloc(32, fill).toString("base64")}\n`;
const ringOf = (text: string) => createKeyring(parseMasterKeys(text), systemRandom);
const before = ringOf(lineOf("old", 1));
const rotated = ringOf(lineOf("new", 2) + lineOf("old", 1));
const withoutOld = ringOf(lineOf("new", 2));

/** Texts that run into each other: of few characters, those among them that separate. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", '"', ",", "[", "]", "\\", "/", " ", "\n", "\u0000"), maxLength: 6 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const askedTwice = fc.record({ userId: text, method: text, key: text, request: text });
const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.uint8Array().map((message): Ending => ({ kind: "answer", message })),
  fc.string().map(
    (message): Ending => ({
      kind: "problem",
      problem: { kind: "invalid", reason: "CODE_INVALID", message },
    }),
  ),
);
const nowMs = fc.nat({ max: 4e12 });

const idOf = (asked: KeyedCall) => Buffer.from(answerIdOf(asked)).toString("hex");
const reused = expect.objectContaining({ kind: "precondition", reason: "IDEMPOTENCY_KEY_REUSED" });

describe("the id of an answer", () => {
  test("is another for another user, method or key, and does not depend on the request", () => {
    fc.assert(
      fc.property(askedTwice, askedTwice, (one, other) => {
        const isSame = one.userId === other.userId && one.method === other.method && one.key === other.key;
        expect(idOf(one) === idOf(other)).toBe(isSame);
        expect(idOf({ ...one, request: other.request })).toBe(idOf(one));
        expect(idOf({ ...one, userId: other.userId }) === idOf(one)).toBe(one.userId === other.userId);
        expect(idOf({ ...one, method: other.method }) === idOf(one)).toBe(one.method === other.method);
        expect(idOf({ ...one, key: other.key }) === idOf(one)).toBe(one.key === other.key);
      }),
      { numRuns: 500 },
    );
  });

  test("does not change when text moves from one of the three to the next", () => {
    fc.assert(
      fc.property(text, text, fc.nat(5), (first, second, count) => {
        const [head, tail] = [first.slice(0, count), first.slice(count)];
        const whole = { userId: first, method: second, key: "k", request: "" };
        const moved = { ...whole, userId: head, method: tail + second };
        expect(idOf(moved) === idOf(whole)).toBe(tail === "");
      }),
    );
  });

  test("shows nothing of the key", () => {
    const id = answerIdOf({ userId: "1", method: "m", key: "ada.lovelace@example.com", request: "" });
    expect(id).toHaveLength(32);
    expect(Buffer.from(id).toString("latin1")).not.toContain("ada");
  });
});

describe("a repeat", () => {
  test("gets the ending for 24 hours to the millisecond, and nothing from then on", () => {
    fc.assert(
      fc.property(askedTwice, ending, nowMs, (asked, ended, at) => {
        const stored = toStoredAnswer(before, asked, { ending: ended, nowMs: at });
        const after = (ms: number) => requireSame(before, asked, { stored, nowMs: at + ms });
        expect(answerLifetimeMs).toBe(86_400_000);
        expect(after(0)).toBe(ended);
        expect(after(86_400_000 - 1)).toBe(ended);
        expect(after(86_400_000)).toBeUndefined();
        expect(after(86_400_001)).toBeUndefined();
      }),
    );
  });

  test("with any other request is refused until the ending is over, whatever the ending was", () => {
    fc.assert(
      fc.property(askedTwice, text, ending, (asked, request, ended) => {
        fc.pre(request !== asked.request);
        const stored = toStoredAnswer(before, asked, { ending: ended, nowMs: 1000 });
        const repeat = (ms: number) =>
          requireSame(before, { ...asked, request }, { stored, nowMs: 1000 + ms });
        expect(() => repeat(0)).toThrow(reused);
        expect(() => repeat(86_400_000 - 1)).toThrow(reused);
        expect(repeat(86_400_000)).toBeUndefined();
      }),
    );
  });

  test("is known after the master key was rotated, while the old one is there", () => {
    fc.assert(
      fc.property(askedTwice, ending, (asked, ended) => {
        const stored = toStoredAnswer(before, asked, { ending: ended, nowMs: 0 });
        expect(requireSame(rotated, asked, { stored, nowMs: 1 })).toBe(ended);
        const other = { ...asked, request: `${asked.request}.` };
        expect(() => requireSame(rotated, other, { stored, nowMs: 1 })).toThrow(reused);
        expect(toStoredAnswer(rotated, asked, { ending: ended, nowMs: 0 }).requestMac.keyId).toBe("new");
      }),
    );
  });

  test("is refused when the key of its hash was taken out, since nobody can say that it is the same", () => {
    fc.assert(
      fc.property(askedTwice, ending, (asked, ended) => {
        const stored = toStoredAnswer(before, asked, { ending: ended, nowMs: 0 });
        expect(() => requireSame(withoutOld, asked, { stored, nowMs: 1 })).toThrow(reused);
      }),
    );
  });
});
