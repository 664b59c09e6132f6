import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { judgeRegister, type Operation } from "./linearizability.ts";

const initial = { sequence: 10, value: "a" };

type Span = readonly [calledAt: number, answeredAt: number];
const read = ([calledAt, answeredAt]: Span, sequence: number, value: string): Operation => ({
  kind: "read",
  calledAt,
  answeredAt,
  version: { sequence, value },
});
const swapped = (
  [calledAt, answeredAt]: Span,
  expected: number,
  sequence: number,
  value: string,
): Operation => ({
  kind: "swapped",
  calledAt,
  answeredAt,
  expected,
  version: { sequence, value },
});
const refused = ([calledAt, answeredAt]: Span, expected: number, current: number): Operation => ({
  kind: "refused",
  calledAt,
  answeredAt,
  expected,
  current,
});

test.each<readonly [string, readonly Operation[], RegExp]>([
  [
    "a lost update: two swaps of the same version",
    [swapped([0, 1], 10, 11, "b"), swapped([0, 1], 10, 12, "c")],
    /^lost update: two swaps replaced 10$/,
  ],
  [
    "a gap: a swap of a version that nobody made",
    [swapped([0, 1], 10, 11, "b"), swapped([2, 3], 12, 13, "c")],
    /^gap: 13 replaced 12/,
  ],
  ["a sequence that goes back", [swapped([0, 1], 10, 9, "b")], /^9 came after 10$/],
  ["a ring of swaps", [swapped([0, 1], 10, 11, "b"), swapped([2, 3], 11, 10, "a")], /^10 came after 11$/],
  [
    "a stale read: the swap was answered before it began",
    [swapped([0, 1], 10, 11, "b"), read([2, 3], 10, "a")],
    /^out of time: /,
  ],
  ["a read of a sequence that nobody wrote", [read([0, 1], 11, "b")], /^a read of 11, which nobody wrote$/],
  [
    "a read with the value of another version",
    [swapped([0, 9], 10, 11, "b"), read([0, 9], 11, "a")],
    /^a read of 11 with the value of another version$/,
  ],
  ["a refusal that tells of a sequence which nobody wrote", [refused([0, 1], 10, 12)], /which nobody wrote$/],
  [
    "a refusal of the sequence that the register has",
    [refused([0, 1], 10, 10)],
    /^10 was refused as not itself$/,
  ],
])("names %s", (_what, operations, complaint) => {
  expect(judgeRegister(initial, operations)).toContainEqual(expect.stringMatching(complaint));
});

/** Tries every order of the operations that keeps to time: slow, and true by the definition. */
function hasOrder(sequence: number, value: string, left: readonly Operation[]): boolean {
  if (left.length === 0) return true;
  return left.some((operation) => {
    const others = left.filter((other) => other !== operation);
    if (others.some((other) => other.answeredAt < operation.calledAt)) return false;
    switch (operation.kind) {
      case "read":
        return (
          operation.version.sequence === sequence &&
          operation.version.value === value &&
          hasOrder(sequence, value, others)
        );
      case "refused":
        return (
          operation.current === sequence &&
          operation.expected !== sequence &&
          hasOrder(sequence, value, others)
        );
      case "swapped":
        return (
          operation.expected === sequence &&
          operation.version.sequence > sequence &&
          hasOrder(operation.version.sequence, operation.version.value, others)
        );
    }
  });
}

/** Values belong to sequences, but for one. */
const valueOf = (sequence: number, isOdd: boolean) =>
  isOdd ? "odd" : sequence === 10 ? "a" : `v${sequence}`;
const sequences = fc.integer({ min: 10, max: 13 });
const span = fc.tuple(fc.nat(6), fc.nat(6)).map(([start, length]): Span => [start, start + length]);
/** Few sequences and instants, so that many of the histories have an order and many just miss one. */
const anyOperation = fc.oneof(
  fc
    .tuple(span, sequences, fc.nat(19))
    .map(([at, sequence, odd]) => read(at, sequence, valueOf(sequence, odd === 0))),
  fc.tuple(span, sequences, sequences).map(([at, expected, current]) => refused(at, expected, current)),
);
const anyHistory = fc
  .tuple(
    fc.array(span, { maxLength: 3 }),
    fc.array(anyOperation, { maxLength: 3 }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.tuple(span, sequences, sequences) },
    ),
  )
  .map(([chain, others, odd]) => {
    const swaps = chain.map((at, index) => swapped(at, 10 + index, 11 + index, valueOf(11 + index, false)));
    const oddSwaps = odd === undefined ? [] : [swapped(odd[0], odd[1], odd[2], valueOf(odd[2], false))];
    return swaps.concat(others, oddSwaps);
  });

test("says of every small history what trying all orders says", () => {
  const verdicts = { ordered: 0, not: 0 };
  fc.assert(
    fc.property(anyHistory, (operations) => {
      const isOrdered = hasOrder(initial.sequence, initial.value, operations);
      verdicts[isOrdered ? "ordered" : "not"] += 1;
      expect(judgeRegister(initial, operations).length === 0).toBe(isOrdered);
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(verdicts.ordered, verdicts.not)).toBeGreaterThan(300);
});
