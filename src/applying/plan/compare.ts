import { isDeepStrictEqual } from "node:util";
import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type FileValue, toFileValue } from "../file/file-values.ts";
import { toMapping } from "../file/pairs.ts";
import { isSensitive } from "../file/values.ts";
import type { StatedField } from "../file/wanted.ts";
import type { ObjectKind } from "../kinds/object-kind.ts";
import type { FieldChange } from "./planned-change.ts";

/** Lists the changes of the field that the file states. `value`: what it states, with ids in place of names. */
export function compareField(
  kind: ObjectKind,
  { field, name }: StatedField,
  { value, stored }: { readonly value: JsonValue; readonly stored: JsonValue | undefined },
): readonly FieldChange[] {
  const pairs = kind.pairs?.[field.name];
  if (pairs !== undefined) {
    const before = toMapping(stored ?? [], pairs);
    const textField = field.message?.fields.find((each) => each.name === pairs[1]) ?? field;
    const changed = [...toMapping(value, pairs)].filter(([key, text]) => (before.get(key) ?? "") !== text);
    return changed.map(([key, after]) => ({
      name: key,
      root: field.name,
      before: shownAs(textField, before.get(key)),
      after: shownAs(textField, after),
      isSecret: false,
    }));
  }
  return compareValue(field, { name, root: field.name }, { value, stored });
}

function compareValue(
  field: DescField,
  at: { readonly name: string; readonly root: string },
  { value, stored }: { readonly value: JsonValue; readonly stored: JsonValue | undefined },
): readonly FieldChange[] {
  if (isSensitive(field)) return [{ ...at, isSecret: true }];
  if (field.fieldKind === "message" && isObject(value)) {
    const before = isObject(stored) ? stored : {};
    return Object.entries(value).flatMap(([key, inner]) => {
      const member = field.message.fields.find((candidate) => candidate.name === key);
      if (member === undefined) throw new Error(`${field.message.typeName} has no field ${key}`);
      const name = `${at.name}.${key}`;
      return compareValue(member, { ...at, name }, { value: inner, stored: before[key] });
    });
  }
  if (isDeepStrictEqual(value ?? undefined, stored ?? undefined)) return [];
  return [{ ...at, before: shownAs(field, stored), after: shownAs(field, value), isSecret: false }];
}

function shownAs(field: DescField, value: JsonValue | undefined): FileValue | undefined {
  return value === undefined || value === null ? undefined : toFileValue(field, value);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the settings with what the file states in place of what was there. Members and pairs that it does not name stay. */
export function mergeSettings(
  kind: ObjectKind,
  stored: JsonObject,
  stated: ReadonlyMap<string, { readonly field: DescField; readonly value: JsonValue }>,
): JsonObject {
  const merged: JsonObject = { ...stored };
  for (const [name, { field, value }] of stated) {
    for (const { name: other } of field.oneof?.fields ?? []) if (other !== name) delete merged[other];
    if (kind.eitherOr?.includes(name) === true)
      for (const other of kind.eitherOr) if (other !== name && !stated.has(other)) delete merged[other];
    const before = merged[name];
    const pairs = kind.pairs?.[name];
    if (value === null) delete merged[name];
    else if (pairs !== undefined) merged[name] = mergePairs(before ?? [], value, pairs);
    else
      merged[name] =
        isMessage(field) && isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}

/** Says whether it is a message with members of its own, in JSON too. */
function isMessage({ fieldKind, message }: DescField): boolean {
  return fieldKind === "message" && message !== undefined && !message.typeName.startsWith("google.");
}

function mergePairs(
  before: JsonValue,
  value: JsonValue,
  pairs: readonly [key: string, value: string],
): JsonValue {
  const all = new Map([...toMapping(before, pairs), ...toMapping(value, pairs)]);
  const [keyName, valueName] = pairs;
  return [...all]
    .filter(([, text]) => text !== "")
    .map(([key, text]) => ({ [keyName]: key, [valueName]: text }));
}
