import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { enumNamesOf, isSensitive, shortNameOf } from "../file/values.ts";
import { type FileField, fieldsOf, hasProjectOwner, projectOwner } from "../kinds/fields.ts";
import { isOwnable, type ObjectKind } from "../kinds/object-kind.ts";

/** The comments of the protos, by the full names of their elements. */
export type ProtoComments = Readonly<Record<string, string>>;

interface Describing {
  readonly comments: ProtoComments;
  /** The schemas of messages and enums, by their full names. */
  readonly definitions: Map<string, JsonObject>;
}

/** Returns the JSON Schema of configurations (draft 2020-12), by which editors complete and check them. */
export function toJsonSchema(kinds: readonly ObjectKind[], comments: ProtoComments): JsonObject {
  const describing: Describing = { comments, definitions: new Map() };
  const properties = Object.fromEntries(kinds.map((kind) => [kind.key, schemaOfKind(describing, kind)]));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of Gatehouse",
    description: "What gatehouse plan and gatehouse apply take: docs/apply.md.",
    type: "object",
    additionalProperties: false,
    properties,
    $defs: Object.fromEntries(
      [...describing.definitions].toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
  };
}

function schemaOfKind(describing: Describing, kind: ObjectKind): JsonObject {
  switch (kind.form) {
    case "one":
      return kind.inline === undefined ? schemaOfObject(describing, kind) : schemaOfInline(describing, kind);
    case "list":
      return { type: "array", items: schemaOfObject(describing, kind) };
    case "names":
      return { type: "array", items: schemaOfInline(describing, kind) };
    case "map":
      return { type: "object", additionalProperties: schemaOfInline(describing, kind) };
  }
}

function schemaOfInline(describing: Describing, kind: ObjectKind): JsonObject {
  const [first] = kind.names;
  const field = fieldsOf(kind).find((each) => each.field.name === (kind.inline ?? first));
  if (field === undefined) throw new Error(`${kind.key} has no field for its value`);
  return schemaOfField(describing, kind, field);
}

function schemaOfObject(describing: Describing, kind: ObjectKind): JsonObject {
  const properties: Record<string, JsonValue> = {};
  for (const field of fieldsOf(kind)) properties[field.name] = schemaOfField(describing, kind, field);
  if (hasProjectOwner(kind))
    properties[projectOwner] = {
      type: "string",
      description: "The organization that the project belongs to. Default: the one that this stands in.",
    };
  if (kind.switches !== undefined)
    properties["state"] = {
      enum: ["ACTIVE", "INACTIVE"],
      description: `Whether the ${kind.noun} is active.`,
    };
  for (const child of kind.children) properties[child.key] = schemaOfKind(describing, child);
  const owned = kind.children.filter(isOwnable).map(({ key }) => key);
  if (owned.length > 0)
    properties["owns"] = {
      type: "array",
      items: { enum: owned },
      description: "The lists of which --prune removes what is not in the file.",
    };
  const [only, ...others] = fieldsOf(kind).filter(({ field }) => kind.names.includes(field.name));
  const required: JsonObject = only !== undefined && others.length === 0 ? { required: [only.name] } : {};
  return { type: "object", additionalProperties: false, ...required, properties };
}

function schemaOfField(
  describing: Describing,
  kind: ObjectKind,
  { name, field, reference }: FileField,
): JsonObject {
  if (reference !== undefined)
    return { type: "string", description: name === "user" ? "The username." : "The name, not the id." };
  if (kind.pairs?.[field.name] !== undefined)
    return { ...described(describing, field), type: "object", additionalProperties: { type: "string" } };
  return schemaOfValue(describing, field);
}

function schemaOfValue(describing: Describing, field: DescField): JsonObject {
  const about = described(describing, field);
  if (field.fieldKind === "list")
    return { ...about, type: "array", items: schemaOfSingle(describing, field) };
  const schema = schemaOfSingle(describing, field);
  const mayBeNull = field.presence === FeatureSet_FieldPresence.EXPLICIT && !isSensitive(field);
  return mayBeNull ? { ...about, anyOf: [schema, { type: "null" }] } : { ...about, ...schema };
}

function schemaOfSingle(describing: Describing, field: DescField): JsonObject {
  if (field.message?.typeName === "google.protobuf.Timestamp") return { type: "string", format: "date-time" };
  if (field.message !== undefined && field.fieldKind !== "map") return referTo(describing, field.message);
  if (field.enum !== undefined) return referTo(describing, field.enum);
  if (isSensitive(field)) return { type: "string", pattern: "^(env:GATEHOUSE_SECRET_[A-Z0-9_]+|file:.+)$" };
  if (field.scalar === ScalarType.BOOL) return { type: "boolean" };
  if (field.scalar === ScalarType.UINT32) return { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 };
  return { type: "string" };
}

/** Returns a reference to the schema of a message or an enum, which it makes if need be. */
function referTo(describing: Describing, desc: DescMessage | DescEnum): JsonObject {
  const { definitions, comments } = describing;
  const name = desc.typeName.replace(/^gatehouse\.v1\./, "");
  if (!definitions.has(name)) {
    definitions.set(name, {}); // a message may hold itself
    const schema: JsonObject =
      desc.kind === "enum"
        ? { enum: [...enumNamesOf(desc)], description: toEnumDescription(desc, comments) }
        : {
            type: "object",
            additionalProperties: false,
            properties: Object.fromEntries(
              desc.fields.map((each) => [each.name, schemaOfValue(describing, each)]),
            ),
          };
    definitions.set(name, schema);
  }
  return { $ref: `#/$defs/${name}` };
}

function toEnumDescription(desc: DescEnum, comments: ProtoComments): string {
  const lines = desc.values.flatMap(({ name, number }) =>
    number === 0
      ? []
      : [`${shortNameOf(desc, name)}: ${oneLine(comments[`${desc.typeName}.${name}`] ?? "")}`],
  );
  return lines.join("\n");
}

function described({ comments }: Describing, { parent, name }: DescField): { readonly description: string } {
  return { description: oneLine(comments[`${parent.typeName}.${name}`] ?? "") };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
