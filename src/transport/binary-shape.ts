import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";

/** What the wire of a message looks like. */
export interface MessageShape {
  /** The known fields by their numbers. */
  readonly fields: readonly (FieldShape | undefined)[];
  /** Whether it is an object or a list of free-form JSON. */
  readonly isFreeLevel: boolean;
}

export interface FieldShape {
  readonly name: string;
  readonly fullName: string;
  /** Of one value; entries of packed lists have it without saying so. */
  readonly wireType: WireType;
  /** Whether several values may come in one field. */
  readonly isPackable: boolean;
  readonly isMap: boolean;
  /** Whether each is a value of free-form JSON: a member of an object, or an entry of a list. */
  readonly isFreeValue: boolean;
  /** The shape of the message that the field holds; of the entry in a map. */
  readonly message: MessageShape | undefined;
}

const known = new WeakMap<DescMessage, MessageShape>();

/** Returns the shape of a message; made once for each type. Throws for a type with groups, which proto3 does not have. */
export function shapeOf(desc: DescMessage): MessageShape {
  const found = known.get(desc);
  if (found !== undefined) return found;
  const fields: (FieldShape | undefined)[] = [];
  const shape = { fields, isFreeLevel: freeLevels.has(desc.typeName) };
  known.set(desc, shape); // before its fields: a type may hold itself
  for (const field of desc.fields) fields[field.number] = toFieldShape(field);
  return shape;
}

const freeLevels: ReadonlySet<string> = new Set(["google.protobuf.Struct", "google.protobuf.ListValue"]);

function toFieldShape(field: DescField): FieldShape {
  if ("delimitedEncoding" in field && field.delimitedEncoding)
    throw new Error(`${String(field)} is a group, which the scan does not read`);
  const isMap = field.fieldKind === "map";
  const wireType = isMap ? WireType.LengthDelimited : wireTypeOf(field);
  return {
    name: field.name,
    fullName: `${field.parent.typeName}.${field.name}`,
    wireType,
    isPackable: field.fieldKind === "list" && wireType !== WireType.LengthDelimited,
    isMap,
    isFreeValue: freeLevels.has(field.parent.typeName),
    message: isMap ? toEntryShape(field) : field.message && shapeOf(field.message),
  };
}

/** The entry of a map is a message with the key as field 1 and the value as field 2. */
function toEntryShape(field: DescField & { fieldKind: "map" }): MessageShape {
  const fullName = `${field.parent.typeName}.${field.name}`;
  const plain = { name: field.name, isPackable: false, isMap: false, isFreeValue: false, message: undefined };
  const key = { ...plain, fullName: `${fullName}.key`, wireType: wireTypes[field.mapKey] };
  const value = { ...plain, fullName: `${fullName}.value`, wireType: wireTypeOf(field) };
  const message = field.message && shapeOf(field.message);
  return { fields: [undefined, key, { ...value, message }], isFreeLevel: false };
}

/** Returns the wire type of one value; of a map, that of the values. */
function wireTypeOf(field: DescField): WireType {
  if (field.message !== undefined) return WireType.LengthDelimited;
  return field.scalar === undefined ? WireType.Varint : wireTypes[field.scalar];
}

/** https://protobuf.dev/programming-guides/encoding/#structure */
const wireTypes: Readonly<Record<ScalarType, WireType>> = {
  [ScalarType.DOUBLE]: WireType.Bit64,
  [ScalarType.FLOAT]: WireType.Bit32,
  [ScalarType.INT64]: WireType.Varint,
  [ScalarType.UINT64]: WireType.Varint,
  [ScalarType.INT32]: WireType.Varint,
  [ScalarType.FIXED64]: WireType.Bit64,
  [ScalarType.FIXED32]: WireType.Bit32,
  [ScalarType.BOOL]: WireType.Varint,
  [ScalarType.STRING]: WireType.LengthDelimited,
  [ScalarType.BYTES]: WireType.LengthDelimited,
  [ScalarType.UINT32]: WireType.Varint,
  [ScalarType.SFIXED32]: WireType.Bit32,
  [ScalarType.SFIXED64]: WireType.Bit64,
  [ScalarType.SINT32]: WireType.Varint,
  [ScalarType.SINT64]: WireType.Varint,
};
