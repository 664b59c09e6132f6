import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ScalarType, fromJson } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldInvalid, requestInvalid } from "../../../base/problem.ts";
import { fieldUndecodable } from "../../errors/refusals.ts";
import { oncePerType } from "../message-types/once-per-type.ts";
import { freeFormBounds } from "../message-types/value-bounds.ts";
import { isBase64, judgeInstant } from "./text-forms.ts";

/**
 * Checks JSON against the message it stands for, so that every refusal names the field: unknown keys, a field under both of its
 * names, wrong types, numbers out of range, unknown enum values, text that is not Unicode, broken base64. Raises
 * INVALID_REQUEST, and FIELD_INVALID for an instant that does not exist. `fromJson` takes everything that passes.
 */
export function checkMessage(desc: DescMessage, json: JsonValue, path: string): void {
  if (isFreeForm(desc)) return checkFreeForm(desc, json, path);
  if (desc.typeName.startsWith("google.protobuf.") && hasOwnText(desc)) return checkText(desc, json, path);
  if (!isObject(json)) throw invalid(path, "must be a JSON object");
  const fields = fieldsByKey(desc);
  const seen = new Set<DescField | NonNullable<DescField["oneof"]>>();
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key);
    if (field === undefined) throw invalid(join(path, shown(key)), "is not a field of this message");
    const at = join(path, field.name);
    if (seen.has(field)) throw invalid(at, `must not be sent as ${field.name} and as ${field.jsonName}`);
    seen.add(field);
    if (value === null && !takesNull(field)) continue;
    if (field.oneof !== undefined) {
      if (seen.has(field.oneof))
        throw invalid(at, `must not be sent together with another of ${field.oneof.name}`);
      seen.add(field.oneof);
    }
    checkField(field, value, at);
  }
}

/** The fields of a message by both of their JSON names. */
export const fieldsByKey: (desc: DescMessage) => ReadonlyMap<string, DescField> = oncePerType(
  () => new Map<string, DescField>(),
  (table, { fields }) => {
    for (const field of fields) table.set(field.name, field).set(field.jsonName, field);
  },
);

/** Tells an object from a list, a scalar and null. */
export function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

/** Makes a caller's text short enough, and valid Unicode, for a message. */
export function shown(text: string): string {
  return (text.length > 64 ? `${text.slice(0, 64)}…` : text).toWellFormed();
}

function checkField(field: DescField, json: JsonValue, path: string): void {
  switch (field.fieldKind) {
    case "list": {
      if (!Array.isArray(json)) throw invalid(path, "must be a JSON array");
      json.forEach((item, index) => checkSingle(field, item, `${path}[${index}]`));
      return;
    }
    case "map": {
      if (!isObject(json)) throw invalid(path, "must be a JSON object");
      for (const [key, value] of Object.entries(json)) {
        if (!key.isWellFormed()) throw invalid(path, "must be Unicode text without lone surrogates");
        checkSingle(field, value, `${path}[${JSON.stringify(shown(key))}]`);
      }
      return;
    }
    default:
      return checkSingle(field, json, path);
  }
}

function checkSingle(field: DescField, json: JsonValue, path: string): void {
  if (field.message !== undefined) return checkMessage(field.message, json, path);
  if (field.enum !== undefined) return checkEnum(field.enum, json, path);
  if (field.scalar === undefined) return;
  const complaint = complaintOf(field.scalar, json);
  if (complaint !== undefined) throw invalid(path, complaint);
}

function checkEnum(desc: DescEnum, json: JsonValue, path: string): void {
  if (desc.typeName === "google.protobuf.NullValue") return;
  if (desc.values.some(({ name }) => json === name)) return;
  // The rule of the field refuses numbers that are not defined, as in binary.
  if (typeof json === "number" && Number.isInteger(json) && Math.abs(json) < 2 ** 31) return;
  throw invalid(path, `must be one of ${desc.values.map(({ name }) => name).join(", ")}`);
}

interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

const int32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const uint32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n };
const int64: IntegerRange = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const uint64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n };

const ranges: Readonly<Partial<Record<ScalarType, IntegerRange>>> = {
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

function complaintOf(scalar: ScalarType, json: JsonValue): string | undefined {
  const range = ranges[scalar];
  if (range !== undefined) return integerComplaintOf(range, json);
  switch (scalar) {
    case ScalarType.BOOL:
      return typeof json === "boolean" ? undefined : "must be true or false";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return Number.isFinite(json) ? undefined : "must be a number";
    case ScalarType.BYTES:
      return typeof json === "string" && isBase64(json) ? undefined : "must be base64 in a string";
    default:
      if (typeof json !== "string") return "must be a string";
      return json.isWellFormed() ? undefined : "must be Unicode text without lone surrogates";
  }
}

function integerComplaintOf({ min, max }: IntegerRange, json: JsonValue): string | undefined {
  if (typeof json === "number" && (!Number.isInteger(json) || Math.abs(json) > 2 ** 53)) {
    return "must be an integer; beyond 2^53 it must be sent as a string";
  }
  const isText = typeof json === "string" && /^-?\d{1,20}$/.test(json);
  if (!isText && typeof json !== "number") return "must be an integer";
  const value = BigInt(json);
  return value >= min && value <= max ? undefined : `must be an integer from ${min} to ${max}`;
}

function isFreeForm(desc: DescMessage): boolean {
  return /^google\.protobuf\.(?:Struct|Value|ListValue)$/.test(desc.typeName);
}

function checkFreeForm(desc: DescMessage, json: JsonValue, path: string): void {
  if (desc.typeName === "google.protobuf.Struct" && !isObject(json))
    throw invalid(path, "must be a JSON object");
  if (desc.typeName === "google.protobuf.ListValue" && !Array.isArray(json))
    throw invalid(path, "must be a JSON array");
  checkFreeValue(json, path, { values: 0, levels: 0 });
}

/** How many values were seen so far, and how many objects and lists they are in. */
interface FreeFormCount {
  values: number;
  levels: number;
}

function checkFreeValue(json: JsonValue, path: string, count: FreeFormCount): void {
  if (typeof json === "string" && !json.isWellFormed()) {
    throw invalid(path, "must hold Unicode text without lone surrogates");
  }
  if (typeof json === "number" && !Number.isFinite(json)) throw invalid(path, "must hold finite numbers");
  if (typeof json !== "object" || json === null) return;
  const entries = Object.entries(json); // of a list too
  count.values += entries.length;
  if (count.values > freeFormBounds.maxValues || ++count.levels > freeFormBounds.maxLevels)
    throw invalid(path, freeFormBounds.complaint);
  for (const [key, value] of entries) {
    if (!key.isWellFormed()) throw invalid(path, "must hold Unicode text without lone surrogates");
    checkFreeValue(value, path, count);
  }
  count.levels--;
}

/** Says whether the JSON form of the message is a single text or scalar. */
function hasOwnText(desc: DescMessage): boolean {
  return isWrapperDesc(desc) || /\.(?:Timestamp|Duration|FieldMask|Any)$/.test(desc.typeName);
}

function checkText(desc: DescMessage, json: JsonValue, path: string): void {
  const value = isWrapperDesc(desc) ? desc.fields[0] : undefined;
  if (value !== undefined) return checkSingle(value, json, path);
  const isInstant = desc.typeName === "google.protobuf.Timestamp" && typeof json === "string";
  const judged = isInstant ? judgeInstant(json) : undefined;
  if (judged === "absent") throw fieldInvalid(path, noInstant);
  try {
    fromJson(desc, json);
  } catch {
    // If an instant has the right form, its offset has moved it out of these years.
    throw judged === "there" ? fieldInvalid(path, noInstant) : invalid(path, wordsFor(desc.typeName));
  }
}

const noInstant = "must be an instant that exists, in the years 1 to 9999 of UTC and without leap seconds";

function wordsFor(typeName: string): string {
  if (typeName === "google.protobuf.Timestamp")
    return 'must be an instant of RFC 3339 such as "2026-01-31T12:00:00Z"';
  if (typeName === "google.protobuf.Duration") return 'must be a duration in seconds such as "1.5s"';
  return `must be a ${typeName} in protobuf JSON`;
}

function takesNull(field: DescField): boolean {
  if (field.fieldKind === "message") return field.message.typeName === "google.protobuf.Value";
  return field.fieldKind === "enum" && field.enum.typeName === "google.protobuf.NullValue";
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function invalid(path: string, complaint: string) {
  return path === "" ? requestInvalid(`the body ${complaint}`) : fieldUndecodable(path, complaint);
}
