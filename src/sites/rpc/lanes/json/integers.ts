import { type JsonValue, ScalarType } from "@bufbuild/protobuf";

/** The values of a kind of integers. */
export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

const int32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const uint32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n };
const int64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const uint64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n };

/** The range of each type of integers; undefined for any other type. */
export const integerRanges: Readonly<Partial<Record<ScalarType, IntegerRange>>> = {
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
};

/** An integer in the form that `fromJson` takes, or what is wrong with the value. */
export type ReadInteger = { readonly value: number | string } | { readonly complaint: string };

/**
 * Reads an integer of protobuf JSON: a number, or a text in decimal or exponent form such as `"2"`, `"2.0"` and `"2e0"` if its value is
 * an integer (https://protobuf.dev/programming-guides/json/).
 */
export function readInteger({ min, max }: IntegerRange, json: JsonValue): ReadInteger {
  if (typeof json === "number" && (!Number.isInteger(json) || Math.abs(json) > 2 ** 53))
    return { complaint: "must be an integer; beyond 2^53 it must be sent as a string" };
  const value = typeof json === "string" ? toPlain(json) : json;
  if (typeof value !== "string" && typeof value !== "number") return { complaint: "must be an integer" };
  if (value === tooLarge) return { complaint: `must be an integer from ${min} to ${max}` };
  const exact = BigInt(value);
  if (exact >= min && exact <= max) return { value };
  return { complaint: `must be an integer from ${min} to ${max}` };
}

/** Stands for a number of more digits than any type has. It is never written out: `1e999999999` would have a billion digits. */
const tooLarge = "9".repeat(40);
/** Digits of the largest values of 64 bits. */
const maxDigits = 20;

const plain = /^-?\d{1,20}$/;
const numeric = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/;

/** Writes an integer without fraction and exponent; undefined for a text that is no integer. */
function toPlain(text: string): string | undefined {
  if (plain.test(text)) return text;
  const [, sign, whole = "", fraction = "", exponent = "0"] = numeric.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = whole + fraction;
  const first = firstOtherThanZero(digits);
  if (first === digits.length) return "0"; // whatever its exponent is
  const end = lastOtherThanZero(digits) + 1;
  const zeros = Number(exponent) - fraction.length + (digits.length - end);
  if (zeros < 0) return undefined;
  if (end - first + zeros > maxDigits) return tooLarge;
  return sign + digits.slice(first, end) + "0".repeat(zeros);
}

function firstOtherThanZero(digits: string): number {
  let at = 0;
  while (at < digits.length && digits.charCodeAt(at) === 0x30) at++;
  return at;
}

/** Goes back by index: the expression `0+$` takes quadratic time for many zeros with a one behind them. */
function lastOtherThanZero(digits: string): number {
  let at = digits.length - 1;
  while (digits.charCodeAt(at) === 0x30) at--;
  return at;
}
