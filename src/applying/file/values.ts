import {
  type DescEnum,
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair } from "yaml";
import { sensitive } from "../../../gen/gatehouse/v1/sensitive_pb.ts";
import { settingsJson } from "../kinds/stored.ts";
import type { SecretSource } from "./secrets.ts";
import type { Mistakes, Spot } from "./mistakes.ts";

/** What reading values needs. */
export interface ValueReader {
  readonly mistakes: Mistakes;
  readonly secrets: SecretSource;
  spotOf(node: Node | null): Spot;
  /** Returns the node that an alias names. */
  follow(node: unknown): Node | null;
}

/** A value that was read. */
export interface ReadValue {
  readonly value: JsonValue;
  readonly isSecret: boolean;
}

/** Says whether the field holds a secret itself. */
export function isSensitive(field: DescField): boolean {
  return getOption(field, sensitive);
}

/**
 * Reads the value of a field into the JSON of protobuf. Of a message it has the members that the file names, in lists all of them.
 * Undefined: it has a mistake, which was noted.
 */
export function readFieldValue(
  reader: ValueReader,
  field: DescField,
  node: Node | null,
): ReadValue | undefined {
  if (isScalar(node) && node.value === null) {
    if (field.presence === FeatureSet_FieldPresence.EXPLICIT && !isSensitive(field))
      return { value: null, isSecret: false };
    return fail(reader, node, "is empty; leave the key out, or write a value");
  }
  if (field.fieldKind !== "list") return readSingle(reader, field, node);
  if (!isSeq(node)) return fail(reader, node, "must be a list");
  const items = node.items.map((item) => readSingle(reader, field, reader.follow(item)));
  const values = items.flatMap((item) => (item === undefined ? [] : [item.value]));
  if (values.length < items.length) return undefined;
  const { message } = field;
  if (message === undefined) return { value: values, isSecret: false };
  return { value: values.map((value) => complete(message, value)), isSecret: false };
}

/** Adds the members that a message has by default. */
function complete(desc: DescMessage, value: JsonValue): JsonValue {
  return toJson(desc, fromJson(desc, value), settingsJson);
}

function readSingle(reader: ValueReader, field: DescField, node: Node | null): ReadValue | undefined {
  if (field.message !== undefined && field.fieldKind !== "map")
    return readMessage(reader, field.message, node);
  if (field.enum !== undefined) return readEnum(reader, field.enum, node);
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (isSensitive(field)) return readSecret(reader, node, value);
  switch (field.scalar) {
    case ScalarType.STRING:
      if (typeof value === "string") return { value, isSecret: false };
      return fail(reader, node, "must be a text; put it in quotes");
    case ScalarType.BYTES:
      if (typeof value === "string" || value instanceof Uint8Array)
        return { value: Buffer.from(value).toString("base64"), isSecret: false };
      return fail(reader, node, "must be a text, or !!binary with Base64");
    case ScalarType.BOOL:
      if (typeof value === "boolean") return { value, isSecret: false };
      return fail(reader, node, "must be true or false");
    case ScalarType.UINT32:
      if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32)
        return { value, isSecret: false };
      return fail(reader, node, "must be a whole number, not negative");
    default:
      throw new Error(`the field ${field.name} has a type that no file can hold yet`);
  }
}

function readSecret(reader: ValueReader, node: Node | null, value: unknown): ReadValue | undefined {
  if (typeof value !== "string") return fail(reader, node, "must be a text; put it in quotes");
  const found = reader.secrets.read(value);
  if ("problem" in found) return fail(reader, node, found.problem);
  return { value: found.secret, isSecret: true };
}

function readEnum(reader: ValueReader, desc: DescEnum, node: Node | null): ReadValue | undefined {
  const text: unknown = isScalar(node) ? node.value : undefined;
  const found = desc.values.find(
    ({ name, number }) => number !== 0 && (name === text || shortNameOf(desc, name) === text),
  );
  if (found !== undefined) return { value: found.name, isSecret: false };
  return fail(reader, node, `must be one of ${enumNamesOf(desc).join(", ")}`);
}

/** Lists the values of an enum as files have them: without what all of them begin with, and without the unspecified one. */
export function enumNamesOf(desc: DescEnum): readonly string[] {
  return desc.values.filter(({ number }) => number !== 0).map(({ name }) => shortNameOf(desc, name));
}

/** Returns the name of a value as files have it. */
export function shortNameOf({ sharedPrefix = "" }: DescEnum, name: string): string {
  const prefix = sharedPrefix.toUpperCase();
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function readMessage(reader: ValueReader, desc: DescMessage, node: Node | null): ReadValue | undefined {
  if (desc.typeName === "google.protobuf.Timestamp") return readInstant(reader, desc, node);
  if (!isMap(node)) return fail(reader, node, "must be a mapping of names to values");
  const value: JsonObject = {};
  let isSecret = false;
  let isWhole = true;
  for (const { key, value: inner } of node.items as Pair<Node, Node>[]) {
    const name = isScalar(key) ? String(key.value) : "";
    const field = desc.fields.find((candidate) => candidate.name === name);
    const read =
      field === undefined
        ? fail(
            reader,
            key,
            unknownKey(
              name,
              desc.fields.map((each) => each.name),
            ),
          )
        : readFieldValue(reader, field, reader.follow(inner));
    if (read === undefined) isWhole = false;
    else value[name] = read.value;
    isSecret ||= read?.isSecret ?? false;
  }
  return isWhole ? { value, isSecret } : undefined;
}

function readInstant(reader: ValueReader, desc: DescMessage, node: Node | null): ReadValue | undefined {
  const text: unknown = isScalar(node) ? node.value : undefined;
  try {
    if (typeof text === "string") return { value: toJson(desc, fromJson(desc, text)), isSecret: false };
  } catch {
    // fromJson says no more than that it is none
  }
  return fail(reader, node, "must be an instant such as 2030-01-31T12:00:00Z");
}

/** Returns the text about a key that has no meaning, with those that have one. */
export function unknownKey(name: string, known: readonly string[]): string {
  return `the key ${JSON.stringify(name)} is unknown here; known are ${known.join(", ")}`;
}

function fail(reader: ValueReader, node: Node | null, text: string): undefined {
  reader.mistakes.add(reader.spotOf(node), text);
}

/** Returns the node itself, or the one that its alias names. Null: there is none. */
export function followAlias(node: unknown, resolve: (alias: Alias) => Node | undefined): Node | null {
  if (isAlias(node)) return resolve(node) ?? null;
  return isMap(node) || isSeq(node) || isScalar(node) ? node : null;
}
