import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A known field somewhere in a request. */
export interface WireField {
  /** What it is in: fields that hold messages, from the request down. */
  readonly path: readonly Pick<DescField, "number">[];
  readonly name: string;
  readonly number: number;
  /** The wire types that fit. */
  readonly fitting: readonly number[];
}

/** The wire types 0 to 5. */
export const wireTypes = [0, 1, 2, 3, 4, 5] as const;

/** Returns each known field of the request and of the messages in it, those of each type once. */
export function wireFieldsOf(
  desc: DescMessage,
  seen = new Set<DescMessage>(),
  path: WireField["path"] = [],
): readonly WireField[] {
  if (seen.has(desc)) return [];
  seen.add(desc);
  return desc.fields.flatMap((field) => {
    const of = (name: string, number: number, at: WireField["path"], fitting: readonly number[]) => ({
      path: at,
      name: `${desc.typeName}.${name}`,
      number,
      fitting,
    });
    const own = of(field.name, field.number, path, fittingOf(field));
    const inner = [...path, field];
    const nested = (at: WireField["path"]) => (field.message ? wireFieldsOf(field.message, seen, at) : []);
    if (field.fieldKind !== "map") return [own, ...nested(inner)];
    const key = of(`${field.name}.key`, 1, inner, [wireTypeOf(field.mapKey)]);
    const value = of(`${field.name}.value`, 2, inner, [wireTypeOf(field.scalar, field.message)]);
    return [own, key, value, ...nested([...inner, { number: 2 }])];
  });
}

/** Returns the request with nothing in it but the field, in that wire type, with a well-formed value. */
export function inWireType({ path, number }: Pick<WireField, "path" | "number">, wireType: number): Buffer {
  let bytes = valueIn(number, wireType);
  for (const { number: outer } of path.toReversed())
    bytes = new BinaryWriter().tag(outer, WireType.LengthDelimited).bytes(bytes).finish();
  return Buffer.from(bytes);
}

function valueIn(number: number, wireType: number): Uint8Array {
  const tagOf = (type: number) => ((number << 3) | type) >>> 0;
  const writer = new BinaryWriter().uint32(tagOf(wireType));
  switch (wireType) {
    case 0:
      return writer.uint32(1).finish();
    case 1:
      return writer.fixed64(1).finish();
    case 2:
      return writer.bytes(new Uint8Array(0)).finish();
    case 3:
      return writer.uint32(tagOf(WireType.EndGroup)).finish();
    case 4:
      return writer.finish();
    default:
      return writer.fixed32(1).finish();
  }
}

function fittingOf(field: DescField): readonly WireType[] {
  if (field.fieldKind === "map") return [WireType.LengthDelimited];
  const own = wireTypeOf(field.scalar, field.message);
  return field.fieldKind === "list" && own !== WireType.LengthDelimited
    ? [own, WireType.LengthDelimited]
    : [own];
}

function wireTypeOf(scalar: ScalarType | undefined, message?: DescMessage): WireType {
  if (message !== undefined) return WireType.LengthDelimited;
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint; // enums too
  }
}
