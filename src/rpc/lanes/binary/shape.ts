import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { oncePerType } from "../once-per-type.ts";

/** The wire types (https://protobuf.dev/programming-guides/encoding/#structure), as numbers that come over the wire. */
export const wire = { varint: 0, bit64: 1, delimited: 2, startGroup: 3, endGroup: 4, bit32: 5 } as const;

/** The wire format of a message type. */
export interface MessageShape {
  /** The known fields by their numbers. */
  readonly fields: readonly (FieldShape | undefined)[];
  /** Whether it is an object or a list of free-form JSON. */
  readonly isFreeLevel: boolean;
}

export interface FieldShape {
  readonly name: string;
  readonly fullName: string;
  /** The wire type of one value; entries of packed lists have it implicitly. */
  readonly wireType: number;
  /** Whether several values may be packed into one field. */
  readonly isPackable: boolean;
  readonly isMap: boolean;
  /** Whether each is a value of free-form JSON: a member of an object, or an entry of a list. */
  readonly isFreeValue: boolean;
  /** The shape of the message that the field holds; of the entry in a map. */
  readonly message: MessageShape | undefined;
}

const freeLevels: ReadonlySet<string> = new Set(["google.protobuf.Struct", "google.protobuf.ListValue"]);

/** The shape of a message. */
export const shapeOf: (desc: DescMessage) => MessageShape = oncePerType<{
  readonly fields: (FieldShape | undefined)[];
  readonly isFreeLevel: boolean;
}>(
  (desc) => ({ fields: [], isFreeLevel: freeLevels.has(desc.typeName) }),
  (shape, desc) => {
    for (const field of desc.fields) shape.fields[field.number] = toFieldShape(field);
  },
);

function toFieldShape(field: DescField): FieldShape {
  const isMap = field.fieldKind === "map";
  const wireType = isMap ? wire.delimited : wireTypeOf(field);
  return {
    name: field.name,
    fullName: `${field.parent.typeName}.${field.name}`,
    wireType,
    isPackable: field.fieldKind === "list" && field.message === undefined && wireType !== wire.delimited,
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

/**
 * Returns the wire type of one value; for a map, of its values. There is none for a group, which proto3 does not have
 * and the scan does not read.
 */
function wireTypeOf(field: DescField): number {
  if ("delimitedEncoding" in field && field.delimitedEncoding) return Number.NaN;
  if (field.message !== undefined) return wire.delimited;
  return field.scalar === undefined ? wire.varint : wireTypes[field.scalar];
}

const wireTypes: Readonly<Record<ScalarType, number>> = {
  [ScalarType.DOUBLE]: wire.bit64,
  [ScalarType.FLOAT]: wire.bit32,
  [ScalarType.INT64]: wire.varint,
  [ScalarType.UINT64]: wire.varint,
  [ScalarType.INT32]: wire.varint,
  [ScalarType.FIXED64]: wire.bit64,
  [ScalarType.FIXED32]: wire.bit32,
  [ScalarType.BOOL]: wire.varint,
  [ScalarType.STRING]: wire.delimited,
  [ScalarType.BYTES]: wire.delimited,
  [ScalarType.UINT32]: wire.varint,
  [ScalarType.SFIXED32]: wire.bit32,
  [ScalarType.SFIXED64]: wire.bit64,
  [ScalarType.SINT32]: wire.varint,
  [ScalarType.SINT64]: wire.varint,
};
