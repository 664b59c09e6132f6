import { expect, test } from "@jest/globals";
import { array, assert, constantFrom, nat, oneof, property, uint8Array } from "fast-check";
import { createTextDecoder } from "../../../../src/sites/rpc/lanes/web-text.ts";

/** Returns what the decoder makes of the pieces; undefined when it refuses one, or the end. */
function decodeAll(chunks: readonly Uint8Array[]): Buffer | undefined {
  const decoder = createTextDecoder();
  const decoded: Uint8Array[] = [];
  for (const chunk of chunks) {
    const bytes = decoder.decode(chunk);
    if (bytes === undefined) return undefined;
    decoded.push(bytes);
  }
  return decoder.isWhole() ? Buffer.concat(decoded) : undefined;
}

const places = array(nat(), { maxLength: 12 });

/** Cuts the text at each of the places. */
function cut(text: string, at: readonly number[]): Uint8Array[] {
  const sorted = [0, ...at.map((place) => place % (text.length + 1)), text.length].toSorted(
    (left, right) => left - right,
  );
  return sorted.slice(1).map((place, index) => Buffer.from(text.slice(sorted[index], place), "latin1"));
}

test("base64 is the bytes that it was made of, wherever it is padded and cut", () => {
  assert(
    property(array(uint8Array({ maxLength: 40 }), { maxLength: 8 }), places, (segments, cuts) => {
      const text = segments.map((segment) => Buffer.from(segment).toString("base64")).join("");
      expect(decodeAll(cut(text, cuts))).toEqual(Buffer.concat(segments));
    }),
  );
});

test("base64 is refused exactly if a group of it is none of RFC 4648 §4", () => {
  const groups = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/;
  const characters = constantFrom(...Array.from("AZaz09+/======-_ \n\0~é"));
  const texts = array(oneof(characters, constantFrom("AAAA", "AAA=", "AA==")), { maxLength: 8 });
  const seen = new Set<boolean>();
  assert(
    property(texts, places, (parts, cuts) => {
      const text = parts.join("");
      const isDecoded = decodeAll(cut(text, cuts)) !== undefined;
      seen.add(isDecoded);
      expect([text, isDecoded]).toEqual([text, groups.test(text)]);
    }),
    { numRuns: 2000 },
  );
  expect(seen.size).toBe(2);
});
