import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Effect } from "../../../../gen/gatehouse/v1/effect_pb.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import {
  type Conditions,
  createMatch,
  parseIfMatch,
  readConditions,
} from "../../../../src/sites/rpc/calls/conditions/headers.ts";
import { anyCharacter } from "../../../support/any-character.ts";

/** Returns what comes of it: a value, or the reason why not. Throws what is no Problem. */
function endingOf<T>(run: () => T): T | { readonly reason: string } {
  try {
    return run();
  } catch (error) {
    if (error instanceof Problem) return { reason: error.reason };
    throw error;
  }
}

const invalid = { reason: "INVALID_REQUEST" };
const digits = (minLength: number, maxLength: number) =>
  fc.string({
    unit: fc.constantFrom("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
    minLength,
    maxLength,
  });
/** Text that is close to a tag. */
const nearTag = fc.oneof(
  fc.string({
    unit: fc.constantFrom("0", "1", "9", '"', "*", "W", "/", ",", " ", "\n", "-", "٣", "a"),
    maxLength: 24,
  }),
  fc.string({ unit: anyCharacter }),
  digits(0, 25).map((text) => `"${text}"`),
  fc
    .tuple(fc.constantFrom("", " ", "W/", "\t"), digits(1, 20), fc.constantFrom("", " ", "\n", ',"1"', '"'))
    .map(([before, text, after]) => `${before}"${text}"${after}`),
);

/** The rule once more, written without a pattern. */
function isTag(text: string): boolean {
  const inner = Array.from(text.slice(1, -1));
  const isQuoted = text.length >= 2 && text.startsWith('"') && text.endsWith('"');
  return (
    isQuoted && inner.length >= 1 && inner.length <= 20 && inner.every((each) => "0123456789".includes(each))
  );
}

describe("parseIfMatch", () => {
  test("takes * and one to twenty digits in quotes, and returns what is in them", () => {
    expect(parseIfMatch("*", "it")).toBe("*");
    fc.assert(fc.property(digits(1, 20), (text) => expect(parseIfMatch(`"${text}"`, "it")).toBe(text)));
  });

  test("refuses everything else: other quotes, weak tags, lists, signs, blanks, lines, digits of other scripts", () => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(nearTag, (text) => {
        const isTaken = text === "*" || isTag(text);
        seen[isTaken ? "taken" : "refused"] += 1;
        const expected = isTaken ? (text === "*" ? "*" : text.slice(1, -1)) : invalid;
        expect(endingOf(() => parseIfMatch(text, "it"))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
  });

  test.each([
    "",
    '""',
    '"1',
    '1"',
    "1",
    'W/"1"',
    '"1","2"',
    '"1", "2"',
    "**",
    '"*"',
    '"-1"',
    '"1"\n',
    `"${"1".repeat(21)}"`,
  ])("refuses %j", (text) => expect(endingOf(() => parseIfMatch(text, "it"))).toEqual(invalid));
});

describe("createMatch", () => {
  const detailsOf = (sequence: number) => ({
    sequence,
    creationDate: 1,
    changeDate: sequence,
    resourceOwner: "1",
  });

  test("lets the call through when the sequence is the expected one or any will do, and tells the other", () => {
    const sequences = fc.nat({ max: Number.MAX_SAFE_INTEGER });
    fc.assert(
      fc.property(sequences, sequences, (sequence, other) => {
        fc.pre(sequence !== other);
        for (const ifMatch of ["*", String(sequence)]) {
          const match = createMatch(ifMatch);
          match.require(detailsOf(sequence));
          match.finish();
        }
        const run = () => createMatch(String(other)).require(detailsOf(sequence));
        expect(run).toThrow(
          expect.objectContaining({
            kind: "conflict",
            reason: "SEQUENCE_MISMATCH",
            metadata: { sequence: String(sequence) },
          }),
        );
      }),
    );
  });

  test("is a bug when no object was compared", () => {
    expect(() => createMatch("*").finish()).toThrow("did not name the object");
  });
});

describe("readConditions", () => {
  const effects = [Effect.READ, Effect.ADD, Effect.CHANGE, Effect.CHANGE_SEVERAL] as const;
  const read = (effect: Effect, headers: Readonly<Record<string, string | undefined>>) =>
    endingOf<Conditions | undefined>(() => readConditions(effect, (name) => headers[name]));

  test("takes keys of 1 to 200 printable characters of ASCII, and no others", () => {
    const printable = Array.from({ length: 95 }, (_each, index) => String.fromCodePoint(32 + index));
    const keys = fc.oneof(
      fc.string({ unit: fc.constantFrom(...printable), maxLength: 210 }),
      fc.string({ unit: fc.constantFrom(...printable), minLength: 195, maxLength: 205 }),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 30 }),
    );
    fc.assert(
      fc.property(keys, (key) => {
        const isLegal =
          key.length >= 1 && key.length <= 200 && Array.from(key).every((each) => printable.includes(each));
        const conditions = { idempotencyKey: key, ifMatch: undefined, isDryRun: false };
        expect(read(Effect.ADD, { "idempotency-key": key })).toEqual(isLegal ? conditions : invalid);
      }),
      { numRuns: 1000 },
    );
  });

  test("has none where no header asks for one, and reads neither key nor dry run of a call that changes nothing", () => {
    for (const effect of effects) {
      expect(read(effect, {})).toBeUndefined();
      expect(read(effect, { "x-service-validate-only": "false" })).toBeUndefined();
    }
    expect(read(Effect.READ, { "idempotency-key": "ü", "x-service-validate-only": "maybe" })).toBeUndefined();
  });

  test.each(effects)("takes if-match only of a call that changes one object: effect %s", (effect) => {
    const conditions = { idempotencyKey: undefined, ifMatch: "7", isDryRun: false };
    expect(read(effect, { "if-match": '"7"' })).toEqual(effect === Effect.CHANGE ? conditions : invalid);
  });

  test("takes true and false for a dry run, as they are written", () => {
    const words = fc.oneof(fc.constantFrom("True", "1", "", " true", "true,true", "yes"), fc.string());
    fc.assert(
      fc.property(words, (word) => {
        fc.pre(word !== "true" && word !== "false");
        expect(read(Effect.ADD, { "x-service-validate-only": word })).toEqual(invalid);
      }),
    );
    const conditions = { idempotencyKey: undefined, ifMatch: undefined, isDryRun: true };
    expect(read(Effect.ADD, { "x-service-validate-only": "true" })).toEqual(conditions);
  });
});
