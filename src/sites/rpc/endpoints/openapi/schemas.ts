import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import { WriteItemSchema } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { isSet } from "./formats.ts";
import {
  boundsOf,
  choiceOf,
  combinationsOf,
  isRequired,
  leavingOut,
  listRulesOf,
  rulesOf,
  toBeFilled,
} from "./rules.ts";
import type { Schema } from "./schema.ts";
import { scalarSchema, wellKnownSchema } from "./values.ts";

/**
 * Makes the schemas of messages and keeps those that others refer to. Requests are closed: they list everything that
 * the service accepts. Answers are open: they list what is always present, and a later version may add to it.
 */
export interface Schemas {
  /** Returns the schema of a request with the fields of the message, except those in `omitted`. */
  requestOf(desc: DescMessage, omitted: ReadonlySet<string>): Schema;
  /** Returns a reference to the schema of an answer. */
  answerOf(desc: DescMessage): Schema;
  /** Returns the schema of one field of a request, with its bounds and its comment. */
  fieldOf(field: DescField): Schema;
  /** Returns all schemas that a `$ref` in another schema refers to. */
  components(): Readonly<Record<string, Schema>>;
}

/** Creates the maker of schemas; their descriptions are the comments of the protos by full name. */
export function createSchemas(comments: Readonly<Record<string, string>>): Schemas {
  const components = new Map<string, Schema>();
  const inRequest: Book = { comments, components, side: "request" };
  const inAnswer: Book = { comments, components, side: "answer" };
  return {
    requestOf: (desc, omitted) => objectOf(inRequest, desc, omitted),
    answerOf: (desc) => messageOf(inAnswer, desc),
    fieldOf: (field) => fieldOf(inRequest, field),
    components: () => Object.fromEntries([...components].toSorted(byName)),
  };
}

interface Book {
  readonly comments: Readonly<Record<string, string>>;
  readonly components: Map<string, Schema>;
  /** The place of the schema. In an item of a batch ids may be references. */
  readonly side: "request" | "item" | "answer";
}

const nothing: ReadonlySet<string> = new Set();

function objectOf(book: Book, desc: DescMessage, omitted = nothing): Schema {
  const isAnswer = book.side === "answer";
  const fields = desc.fields.filter(({ name }) => !omitted.has(name));
  const required = fields.filter(isAnswer ? isAlwaysThere : isRequired).map(({ jsonName }) => jsonName);
  const choices = isAnswer ? [] : [...desc.oneofs.map(choiceOf), ...combinationsOf(desc)];
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldOf(book, field)])),
    ...(required.length === 0 ? {} : { required }),
    ...(isAnswer ? {} : { additionalProperties: false }),
    ...(choices.length === 0 ? {} : { allOf: choices }),
  };
  return described(book, schema, desc.typeName);
}

/** Protobuf JSON has every field without presence, whatever its value; messages that may be absent are `optional`. */
function isAlwaysThere({ oneof, proto }: DescField): boolean {
  return oneof === undefined && !proto.proto3Optional;
}

function fieldOf(book: Book, field: DescField): Schema {
  const isItem = field.parent.typeName === WriteItemSchema.typeName && book.side === "request";
  const schema = described(
    book,
    valueOf(isItem ? { ...book, side: "item" } : book, field),
    `${field.parent.typeName}.${field.name}`,
  );
  return field.deprecated ? { ...schema, deprecated: true } : schema;
}

function valueOf(book: Book, field: DescField): Schema {
  if (field.fieldKind === "map") return { type: "object", additionalProperties: singleOf(book, field) };
  if (field.fieldKind !== "list") return singleOf(book, field);
  const items = singleOf(book, field);
  if (book.side === "answer") return { type: "array", items };
  const { minItems = 0n, maxItems = 0n } = listRulesOf(field) ?? {};
  return {
    type: "array",
    items,
    ...(minItems === 0n ? {} : { minItems: Number(minItems) }),
    ...(maxItems === 0n ? {} : { maxItems: Number(maxItems) }),
    ...(isSet(field) ? { uniqueItems: true } : {}),
  };
}

/** Returns the schema of a value of the field, or of an entry of its list. */
function singleOf(book: Book, field: DescField): Schema {
  const { message, enum: values } = field;
  if (message !== undefined) {
    const schema = messageOf(book, message);
    const filled = book.side === "answer" ? [] : toBeFilled(message, rulesOf(field));
    return filled.length === 0 ? schema : { allOf: [schema, ...filled] };
  }
  if (values !== undefined) {
    const schema = { type: "string", enum: values.values.map(({ name }) => name) };
    const known = reference(book, nameOf(values), () => described(book, schema, values.typeName));
    const more = book.side === "answer" ? [] : leavingOut(field);
    return more.length === 0 ? known : { allOf: [known, ...more] };
  }
  return { ...scalarSchema(field.scalar), ...boundsOf(field, book.side) };
}

function messageOf(book: Book, desc: DescMessage): Schema {
  if (desc.typeName === "google.rpc.Status") return { $ref: "#/components/schemas/Status" };
  const wellKnown = wellKnownSchema(desc);
  if (wellKnown !== undefined) return wellKnown;
  const isRequest = book.side !== "answer" && !desc.typeName.endsWith("Request");
  return reference(book, `${nameOf(desc)}${isRequest ? "Input" : ""}`, () => objectOf(book, desc));
}

function nameOf({ typeName }: DescMessage | DescEnum): string {
  return typeName.replace(/^gatehouse\.v1\./, "");
}

function reference({ components }: Book, name: string, make: () => Schema): Schema {
  if (!components.has(name)) {
    components.set(name, {}); // messages may hold themselves
    components.set(name, make());
  }
  return { $ref: `#/components/schemas/${name}` };
}

function described({ comments }: Book, schema: Schema, name: string): Schema {
  const comment = comments[name];
  return comment === undefined ? schema : { ...schema, description: comment };
}

function byName([left]: readonly [string, Schema], [right]: readonly [string, Schema]): number {
  return left < right ? -1 : 1;
}
