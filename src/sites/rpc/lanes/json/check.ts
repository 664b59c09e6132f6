import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ScalarType, fromJson } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { fieldInvalid, requestInvalid } from "../../../../kernel/base/problem.ts";
import { fieldUndecodable } from "../../errors/refusals.ts";
import { oncePerType } from "../message-types/once-per-type.ts";
import { freeFormBounds } from "../message-types/value-bounds.ts";
import { type IntegerRange, integerRanges, readInteger } from "./integers.ts";
import { isBase64, checkInstant } from "./text-forms.ts";

/**
 * Checks JSON against the message it stands for, so that every refusal names the field: unknown keys, a field under both of its
 * names, wrong types, numbers out of range, unknown enum values, text that is not Unicode, broken base64. Raises
 * INVALID_REQUEST, and FIELD_INVALID for an instant that does not exist. `fromJson` takes what is returned: the same JSON, changed in
 * place where protobuf JSON has more forms than `fromJson` reads. A field that is null is absent, and integers lose fraction and exponent.
 */
export function settleMessage(desc: DescMessage, json: JsonValue, path: string): JsonValue {
  if (isFreeForm(desc)) return checkFreeForm(desc, json, path);
  if (desc.typeName.startsWith("google.protobuf.") && hasOwnText(desc)) return settleText(desc, json, path);
  if (!isObject(json)) throw invalid(path, "must be a JSON object");
  const fields = fieldsByKey(desc);
  const seen = new Set<DescField | NonNullable<DescField["oneof"]>>();
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key);
    if (field === undefined) throw invalid(join(path, shown(key)), "is not a field of this message");
    const at = join(path, field.name);
    if (seen.has(field)) throw invalid(at, `must not be sent as ${field.name} and as ${field.jsonName}`);
    seen.add(field);
    if (value === null && !takesNull(field)) {
      // `fromJson` would refuse it beside another member of the same oneof (protobuf-es 2.17).
      delete json[key];
      continue;
    }
    if (field.oneof !== undefined) {
      if (seen.has(field.oneof))
        throw invalid(at, `must not be sent together with another of ${field.oneof.name}`);
      seen.add(field.oneof);
    }
    const settled = settleField(field, value, at);
    if (settled !== value) json[key] = settled;
  }
  return json;
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

function settleField(field: DescField, json: JsonValue, path: string): JsonValue {
  switch (field.fieldKind) {
    case "list": {
      if (!Array.isArray(json)) throw invalid(path, "must be a JSON array");
      json.forEach((item, index) => {
        const settled = settleSingle(field, item, `${path}[${index}]`);
        if (settled !== item) json[index] = settled;
      });
      return json;
    }
    case "map": {
      if (!isObject(json)) throw invalid(path, "must be a JSON object");
      for (const [key, value] of Object.entries(json)) {
        if (!key.isWellFormed()) throw invalid(path, "must be Unicode text without lone surrogates");
        const settled = settleSingle(field, value, `${path}[${JSON.stringify(shown(key))}]`);
        if (settled !== value) json[key] = settled;
      }
      return json;
    }
    default:
      return settleSingle(field, json, path);
  }
}

function settleSingle(field: DescField, json: JsonValue, path: string): JsonValue {
  if (field.message !== undefined) return settleMessage(field.message, json, path);
  if (field.enum !== undefined) {
    checkEnum(field.enum, json, path);
    return json;
  }
  if (field.scalar === undefined) return json;
  const range = integerRanges[field.scalar];
  if (range !== undefined) return settleInteger(range, json, path);
  const complaint = complaintOf(field.scalar, json);
  if (complaint !== undefined) throw invalid(path, complaint);
  return json;
}

function settleInteger(range: IntegerRange, json: JsonValue, path: string): JsonValue {
  const read = readInteger(range, json);
  if ("complaint" in read) throw invalid(path, read.complaint);
  return read.value;
}

function checkEnum(desc: DescEnum, json: JsonValue, path: string): void {
  if (desc.typeName === "google.protobuf.NullValue") return;
  if (desc.values.some(({ name }) => json === name)) return;
  // The rule of the field refuses numbers that are not defined, as in binary.
  if (typeof json === "number" && Number.isInteger(json) && Math.abs(json) < 2 ** 31) return;
  throw invalid(path, `must be one of ${desc.values.map(({ name }) => name).join(", ")}`);
}

function complaintOf(scalar: ScalarType, json: JsonValue): string | undefined {
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

function isFreeForm(desc: DescMessage): boolean {
  return /^google\.protobuf\.(?:Struct|Value|ListValue)$/.test(desc.typeName);
}

function checkFreeForm(desc: DescMessage, json: JsonValue, path: string): JsonValue {
  if (desc.typeName === "google.protobuf.Struct" && !isObject(json))
    throw invalid(path, "must be a JSON object");
  if (desc.typeName === "google.protobuf.ListValue" && !Array.isArray(json))
    throw invalid(path, "must be a JSON array");
  checkFreeValue(json, path, { values: 0, levels: 0 });
  return json;
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

function settleText(desc: DescMessage, json: JsonValue, path: string): JsonValue {
  const value = isWrapperDesc(desc) ? desc.fields[0] : undefined;
  if (value !== undefined) return settleSingle(value, json, path);
  const isInstant = desc.typeName === "google.protobuf.Timestamp" && typeof json === "string";
  const checked = isInstant ? checkInstant(json) : undefined;
  if (checked === "absent") throw fieldInvalid(path, noInstant);
  try {
    fromJson(desc, json);
    return json;
  } catch {
    // If an instant has the right form, its offset has moved it out of these years.
    throw checked === "there" ? fieldInvalid(path, noInstant) : invalid(path, wordsFor(desc.typeName));
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
