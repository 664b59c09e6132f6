import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { oncePerType } from "../message-types/once-per-type.ts";

/** The wire types by their numbers (https://protobuf.dev/programming-guides/encoding/#structure). */
export const wire = { varint: 0, bit64: 1, delimited: 2, startGroup: 3, endGroup: 4, bit32: 5 } as const;

/** What a message looks like on the wire. */
export interface MessageShape {
  /** The known fields by their numbers. */
  readonly fields: readonly (FieldShape | undefined)[];
  /** Whether it is an object or a list of free-form JSON. */
  readonly isFreeLevel: boolean;
}

/** What counting needs to know of a field. */
export interface FieldShape {
  readonly name: string;
  readonly fullName: string;
  /** The wire type of one value. Entries of packed lists have it, too, although they do not say so. */
  readonly wireType: number;
  /** Whether a field may hold several values (a packed list). */
  readonly isPackable: boolean;
  readonly isMap: boolean;
  /** Whether each is a value of free-form JSON: a member of an object, or an entry of a list. */
  readonly isFreeValue: boolean;
  /** The shape of the message in the field, or of an entry of the map. */
  readonly message: MessageShape | undefined;
}

const freeLevels: ReadonlySet<string> = new Set(["google.protobuf.Struct", "google.protobuf.ListValue"]);

/** Finds the shape of a message type. */
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

/** Makes the shape of an entry of a map: a message with the key as field 1 and the value as field 2. */
function toEntryShape(field: DescField & { fieldKind: "map" }): MessageShape {
  const fullName = `${field.parent.typeName}.${field.name}`;
  const plain = { name: field.name, isPackable: false, isMap: false, isFreeValue: false, message: undefined };
  const key = { ...plain, fullName: `${fullName}.key`, wireType: wireTypes[field.mapKey] };
  const value = { ...plain, fullName: `${fullName}.value`, wireType: wireTypeOf(field) };
  const message = field.message && shapeOf(field.message);
  return { fields: [undefined, key, { ...value, message }], isFreeLevel: false };
}

/**
 * Finds the wire type of one value; for a map, that of its values. No wire type fits a group: proto3 has none, and the scan does
 * not read them.
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
