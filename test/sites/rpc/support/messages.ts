import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { WireType } from "@bufbuild/protobuf/wire";
import type { Random } from "../../../hostile/support/random.ts";

/** Returns a message with random values in random fields, and sometimes with fields that its type does not know. */
export function randomMessage(desc: DescMessage, random: Random): Message {
  return fill(reflect(desc), random, 3).message;
}

function fill(message: ReflectMessage, random: Random, depth: number): ReflectMessage {
  for (const field of message.fields) {
    if (!random.chance(0.5) || (depth === 0 && field.message !== undefined)) continue;
    const value = () => valueOf(field, random, depth);
    if (field.fieldKind === "list")
      for (let count = random.below(4); count > 0; count--) message.get(field).add(value());
    else if (field.fieldKind === "map") message.get(field).set(scalarOf(field.mapKey, random), value());
    else message.set(field, value());
  }
  if (random.chance(0.2))
    message.setUnknown([{ no: 9999, wireType: WireType.LengthDelimited, data: Uint8Array.of(2, 1, 2) }]);
  return message;
}

function valueOf(field: DescField, random: Random, depth: number): unknown {
  if (field.message !== undefined) return fill(reflect(field.message), random, depth - 1);
  return field.enum === undefined ? scalarOf(field.scalar, random) : random.pick(field.enum.values).number;
}

function scalarOf(
  scalar: ScalarType | undefined,
  random: Random,
): string | number | bigint | boolean | Uint8Array {
  switch (scalar) {
    case ScalarType.STRING:
      return random.text(random.pick([0, 1, 40, 200]));
    case ScalarType.BYTES:
      return random.bytes(random.below(40));
    case ScalarType.BOOL:
      return random.chance(0.5);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return random.pick([0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)]);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return random.pick([0n, 1n, 2n ** 64n - 1n]);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return random.pick([0, 1, 300, 2 ** 32 - 1]);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.pick([0, 1.5, Number.NaN, Number.NEGATIVE_INFINITY]);
    default:
      return random.pick([0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]);
  }
}
