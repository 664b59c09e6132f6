/** The path of a value in JSON text: keys of objects, indexes of arrays. */
export type JsonPath = readonly (string | number)[];

/** A fault of a text that is found before its meaning is known. */
export interface ScanFinding {
  readonly kind: "too-deep" | "too-many" | "duplicate-key" | "inexact-integer";
  readonly path: JsonPath;
}

interface OpenValue {
  /** The keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
  expectsKey: boolean;
}

/** Matches a whole number, and also text like `0-0-0-…` that is no number, so that each character is looked at once. */
const numberLike = /[-\d][-+.\deE]*/y;
const largestExact = 2n ** 53n;

/** The bounds of a document. */
export interface ScanLimits {
  readonly maxDepth: number;
  readonly maxValues: number;
}

/**
 * Finds what JSON.parse accepts or breaks on: nesting or values beyond the limits, an object with the same key twice, an integer
 * beyond 2^53 (JSON.parse would round it). Takes linear time for any text. JSON.parse refuses malformed text.
 */
export function scanJson(text: string, { maxDepth, maxValues }: ScanLimits): ScanFinding | undefined {
  const stack: OpenValue[] = [];
  let values = 1;
  const pathNow = (): JsonPath => stack.map(({ keys, key, index }) => (keys === undefined ? index : key));
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue; // so that megabytes of white space stay cheap
    const top = stack.at(-1);
    if (code === 0x22) {
      const end = endOfString(text, at);
      if (top?.keys !== undefined && top.expectsKey) {
        top.key = keyOf(text.slice(at, end + 1));
        if (top.keys.has(top.key)) return { kind: "duplicate-key", path: pathNow() };
        top.keys.add(top.key);
        top.expectsKey = false;
      }
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (stack.length === maxDepth) return { kind: "too-deep", path: [] };
      if (++values > maxValues) return { kind: "too-many", path: [] };
      stack.push({ keys: code === 0x7b ? new Set() : undefined, key: "", index: 0, expectsKey: true });
    } else if (code === 0x7d || code === 0x5d) {
      stack.pop();
    } else if (code === 0x2c && top !== undefined) {
      if (++values > maxValues) return { kind: "too-many", path: [] };
      top.index++;
      top.expectsKey = true;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      numberLike.lastIndex = at;
      const literal = numberLike.exec(text)?.[0] ?? "-";
      if (isInexact(literal)) return { kind: "inexact-integer", path: pathNow() };
      at += literal.length - 1;
    }
  }
  return undefined;
}

/** Finds the position of the closing quote; the end of the text when there is none. */
function endOfString(text: string, open: number): number {
  const first = text.indexOf('"', open + 1);
  if (first < 0) return text.length;
  if (text.charCodeAt(first - 1) !== 0x5c || first === open + 1) return first;
  let at = open + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return Math.min(at, text.length);
}

function keyOf(literal: string): string {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal; // malformed: JSON.parse of the whole says so
  }
}

function isInexact(literal: string): boolean {
  const [, digits] = /^(-?\d+)(?:\.0*)?(?:[eE][+-]?0+)?$/.exec(literal) ?? []; // a fraction or power of 0 changes nothing
  if (digits === undefined || digits.length < 16) return false;
  if (digits.length > 40) return true;
  const value = BigInt(digits);
  return value > largestExact || value < -largestExact;
}
