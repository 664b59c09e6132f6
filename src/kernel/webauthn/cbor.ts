import { isUtf8 } from "node:buffer";

/** Maximum nesting of items: WebAuthn needs 3, CTAP2 allows 4. */
const maxDepth = 8;

/** Maximum number of items in all: a credential has a few dozen. */
const maxItems = 10_000;

/**
 * An item of CBOR, and where it ends. An array is a list, a map a `Map` with texts and numbers as keys, bytes are a part of the
 * input. A float is undefined: WebAuthn reads none.
 */
export interface CborItem {
  readonly value: unknown;
  readonly end: number;
}

/**
 * Returns the CBOR item that starts at `start`, or undefined when it is not well-formed: truncated, of indefinite length, a length
 * longer than it needs to be, tagged, or nested too deep. CTAP2 §8 (canonical CBOR) forbids all of these. Also undefined when it
 * contains too many items, a text that is not UTF-8, or a map with a key twice or with a key that is neither a text nor a number
 * (RFC 8949 §5.3.1).
 */
export function readCbor(bytes: Uint8Array, start: number): CborItem | undefined {
  return readItem({ bytes, itemsLeft: maxItems }, start, 0);
}

interface Walk {
  readonly bytes: Uint8Array;
  itemsLeft: number;
}

function readItem(walk: Walk, start: number, depth: number): CborItem | undefined {
  const head = readHead(walk.bytes, start);
  walk.itemsLeft -= 1;
  if (head === undefined || depth > maxDepth || walk.itemsLeft < 0) return undefined;
  const { argument, end } = head;
  switch (head.majorType) {
    case 0:
      return { value: argument, end };
    case 1:
      return { value: -1 - argument, end };
    case 2:
    case 3:
      return readString(walk.bytes, head);
    case 4:
      return readItems(walk, { start: end, count: argument, depth: depth + 1 });
    case 5:
      return toMap(readItems(walk, { start: end, count: argument * 2, depth: depth + 1 }));
    case 7:
      if (head.isFloat) return { value: undefined, end };
      return simpleValues.has(argument) ? { value: simpleValues.get(argument), end } : undefined;
    default:
      return undefined;
  }
}

const simpleValues: ReadonlyMap<number, unknown> = new Map([
  [20, false],
  [21, true],
  [22, null],
  [23, undefined],
]);

function readString(bytes: Uint8Array, { majorType, argument, end }: Head): CborItem | undefined {
  const content = bytes.subarray(end, end + argument);
  if (content.length !== argument) return undefined;
  if (majorType === 2) return { value: content, end: end + argument };
  return isUtf8(content) ? { value: Buffer.from(content).toString(), end: end + argument } : undefined;
}

function readItems(
  walk: Walk,
  items: { readonly start: number; readonly count: number; readonly depth: number },
): { readonly value: readonly unknown[]; readonly end: number } | undefined {
  const value: unknown[] = [];
  let end = items.start;
  for (let index = 0; index < items.count; index += 1) {
    const item = readItem(walk, end, items.depth);
    if (item === undefined) return undefined;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}

function toMap(items: ReturnType<typeof readItems>): CborItem | undefined {
  if (items === undefined) return undefined;
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < items.value.length; index += 2) {
    const key = items.value[index];
    if (map.has(key) || (typeof key !== "string" && !Number.isSafeInteger(key))) return undefined;
    map.set(key, items.value[index + 1]);
  }
  return { value: map, end: items.end };
}

interface Head {
  readonly majorType: number;
  readonly argument: number;
  readonly isFloat: boolean;
  readonly end: number;
}

function readHead(bytes: Uint8Array, start: number): Head | undefined {
  const first = bytes[start];
  if (first === undefined) return undefined;
  const majorType = first >> 5;
  const short = first & 0x1f;
  if (short < 24) return { majorType, argument: short, isFloat: false, end: start + 1 };
  if (short > 27) return undefined; // reserved, or of indefinite length
  const width = 2 ** (short - 24);
  const end = start + 1 + width;
  if (end > bytes.length) return undefined;
  let argument = 0;
  for (const byte of bytes.subarray(start + 1, end)) argument = argument * 256 + byte;
  const isFloat = majorType === 7 && width > 1;
  const least = width === 1 ? 24 : 2 ** (8 * (width / 2));
  return isFloat || argument >= least ? { majorType, argument, isFloat, end } : undefined;
}
