import { isUtf8 } from "node:buffer";
import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { isSensitive, shortNameOf } from "./values.ts";

/** A value as a file has it: JSON, with bytes that are no text. */
export type FileValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | FileValue[]
  | { [key: string]: FileValue };

/**
 * Returns a value of the JSON of protobuf as a file has it: short names of enums, bytes as text where they are. Undefined for what no
 * file can say: secrets, and enums without a value.
 */
export function toFileValue(field: DescField, value: JsonValue): FileValue | undefined {
  if (isSensitive(field)) return undefined;
  if (field.fieldKind !== "list") return toSingle(field, value);
  const items = Array.isArray(value) ? value : [];
  return items.flatMap((item) => toSingle(field, item) ?? []);
}

function toSingle(field: DescField, value: JsonValue): FileValue | undefined {
  const { enum: names, message, scalar } = field;
  if (names !== undefined) {
    const found = names.values.find(({ name }) => name === value);
    return found === undefined || found.number === 0 ? undefined : shortNameOf(names, found.name);
  }
  if (message !== undefined && message.typeName !== "google.protobuf.Timestamp")
    return toMembers(message, value as JsonObject); // of a message that is no JSON of its own
  if (scalar === ScalarType.BYTES && typeof value === "string") return toText(Buffer.from(value, "base64"));
  return value;
}

function toMembers(desc: DescMessage, value: JsonObject): FileValue {
  const members: Record<string, FileValue> = {};
  for (const field of desc.fields) {
    const inner = value[field.name];
    const member = inner === undefined ? undefined : toFileValue(field, inner);
    if (member !== undefined) members[field.name] = member;
  }
  return members;
}

/** Returns bytes as text if that says the same. */
function toText(bytes: Buffer): FileValue {
  return isUtf8(bytes) ? bytes.toString("utf8") : new Uint8Array(bytes);
}
