import type { DescEnum, DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { ScalarType, getOption, hasOption } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import type { FieldRules, StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  field as fieldOption,
  oneof as oneofOption,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";

/** A JSON Schema, as OpenAPI 3.1 has it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Makes the schemas of messages and keeps those that others point to. */
export interface Schemas {
  /** Returns the schema of an object with the fields of the message, but for those in `omitted`. */
  objectOf(desc: DescMessage, omitted?: ReadonlySet<string>): Schema;
  /** Returns the schema of one field, with its bounds and its comment. */
  fieldOf(field: DescField): Schema;
  isRequired(field: DescField): boolean;
  /** Returns every schema that a `$ref` of the others names. */
  components(): Readonly<Record<string, Schema>>;
}

/** Returns the maker of schemas; their descriptions are the comments of the protos by full name. */
export function createSchemas(comments: Readonly<Record<string, string>>): Schemas {
  const book: Book = { comments, components: new Map() };
  return {
    objectOf: (desc, omitted = new Set()) => objectOf(book, desc, omitted),
    fieldOf: (field) => fieldOf(book, field),
    isRequired,
    components: () => Object.fromEntries([...book.components].toSorted(byName)),
  };
}

interface Book {
  readonly comments: Readonly<Record<string, string>>;
  readonly components: Map<string, Schema>;
}

function objectOf(book: Book, desc: DescMessage, omitted: ReadonlySet<string>): Schema {
  const fields = desc.fields.filter(({ name }) => !omitted.has(name));
  const required = fields.filter(isRequired).map(({ jsonName }) => jsonName);
  const choices = desc.oneofs.map(choiceOf);
  const schema = {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.jsonName, fieldOf(book, field)])),
    ...(required.length === 0 ? {} : { required }),
    ...(choices.length === 0 ? {} : { allOf: choices }),
  };
  return described(book, schema, desc.typeName);
}

/** Says that of the fields of a oneof exactly one is sent, or at most one when its rules do not ask for it. */
function choiceOf(oneof: DescOneof): Schema {
  const members = oneof.fields.map(({ jsonName }) => ({ required: [jsonName] }));
  const isRequiredChoice = hasOption(oneof, oneofOption) && getOption(oneof, oneofOption).required;
  return { oneOf: isRequiredChoice ? members : [...members, { not: { anyOf: members } }] };
}

function fieldOf(book: Book, field: DescField): Schema {
  const schema = described(book, valueOf(book, field), `${field.parent.typeName}.${field.name}`);
  return field.deprecated ? { ...schema, deprecated: true } : schema;
}

function valueOf(book: Book, field: DescField): Schema {
  const rules = rulesOf(field);
  if (field.fieldKind === "map")
    return { type: "object", additionalProperties: singleOf(book, field, undefined) };
  if (field.fieldKind !== "list") return singleOf(book, field, rules);
  const list = rules?.type.case === "repeated" ? rules.type.value : undefined;
  return {
    type: "array",
    items: singleOf(book, field, list?.items),
    ...(list === undefined || list.minItems === 0n ? {} : { minItems: Number(list.minItems) }),
    ...(list === undefined || list.maxItems === 0n ? {} : { maxItems: Number(list.maxItems) }),
  };
}

function singleOf(book: Book, field: DescField, rules: FieldRules | undefined): Schema {
  const { message, enum: values } = field;
  if (message !== undefined) {
    return wellKnownSchema(message) ?? reference(book, message, () => objectOf(book, message, new Set()));
  }
  if (values === undefined) return { ...scalarSchema(field.scalar), ...boundsOf(rules) };
  const schema = { type: "string", enum: values.values.map(({ name }) => name) };
  return reference(book, values, () => described(book, schema, values.typeName));
}

function reference({ components }: Book, desc: DescMessage | DescEnum, make: () => Schema): Schema {
  const name = desc.typeName.replace(/^gatehouse\.v1\./, "");
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

function rulesOf(field: DescField): FieldRules | undefined {
  return hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
}

/** A field is required when its rules refuse the value that an absent one has. */
function isRequired(field: DescField): boolean {
  const rules = rulesOf(field);
  if (rules === undefined || field.oneof !== undefined) return false;
  if (rules.required) return true;
  switch (rules.type.case) {
    case "string":
      return rules.type.value.minLen > 0n || isEmail(rules.type.value);
    case "bytes":
      return rules.type.value.minLen > 0n;
    case "repeated":
      return rules.type.value.minItems > 0n;
    default:
      return false;
  }
}

/** The bounds that JSON Schema can say too. Lengths of bytes are not those of their base64, so they are left out. */
function boundsOf(rules: FieldRules | undefined): Schema {
  if (rules?.type.case !== "string") return {};
  const { minLen, maxLen, pattern } = rules.type.value;
  return {
    ...(isEmail(rules.type.value) ? { format: "email", minLength: 1 } : {}),
    ...(minLen === 0n ? {} : { minLength: Number(minLen) }),
    ...(maxLen === 0n ? {} : { maxLength: Number(maxLen) }),
    ...(pattern === "" ? {} : { pattern }),
  };
}

/** The rule refuses the empty string too. */
function isEmail({ wellKnown }: StringRules): boolean {
  return wellKnown.case === "email" && wellKnown.value;
}

function scalarSchema(scalar: ScalarType | undefined): Schema {
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: "integer", format: "int32" };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 32 - 1 };
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return { type: "string", format: "int64" };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: "string", format: "uint64" };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: "number" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    default:
      return { type: "string" };
  }
}

function wellKnownSchema(desc: DescMessage): Schema | undefined {
  if (isWrapperDesc(desc)) return scalarSchema(desc.fields[0]?.scalar);
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return { type: "string", format: "date-time" };
    case "google.protobuf.Duration":
      return { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" };
    case "google.protobuf.FieldMask":
      return { type: "string" };
    case "google.protobuf.Struct":
      return { type: "object", additionalProperties: true };
    case "google.protobuf.Any":
      return {
        type: "object",
        properties: { "@type": { type: "string" } },
        required: ["@type"],
        additionalProperties: true,
      };
    case "google.protobuf.ListValue":
      return { type: "array", items: {} };
    case "google.protobuf.Value":
      return {};
    default:
      return undefined;
  }
}
