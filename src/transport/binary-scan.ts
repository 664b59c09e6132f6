import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { requestInvalid } from "../base/problem.ts";

/**
 * More fields than the largest legal credential has (1,048,576 characters of `0,0,…`: 524,288 numbers of two fields each),
 * because each costs a hundred times its bytes.
 */
const maxValues = 1_200_000;
const maxDepth = 100;

/**
 * Raises INVALID_REQUEST for a message of more than 1,200,000 fields, without making any of them. Malformed bytes pass: the
 * decoder refuses them.
 */
export function refuseManyValues(desc: DescMessage, bytes: Uint8Array): void {
  if (bytes.length <= maxValues) return; // a field takes a byte at the least
  let values = 0;
  const scan = (message: DescMessage, part: Uint8Array, depth: number): void => {
    const fields = new Map(message.fields.map((field) => [field.number, field]));
    const reader = new BinaryReader(part);
    while (reader.pos < reader.len && values <= maxValues) {
      const [number, wireType] = reader.tag();
      values++;
      const child = wireType === WireType.LengthDelimited ? childOf(fields.get(number)) : undefined;
      if (child === undefined || depth >= maxDepth) reader.skip(wireType, number);
      else scan(child, reader.bytes(), depth + 1);
    }
  };
  try {
    scan(desc, bytes, 0);
  } catch {
    return;
  }
  if (values > maxValues) throw requestInvalid(`the message has more than ${maxValues} fields`);
}

/** Returns the type of the messages in the field; undefined for other fields. */
function childOf(field: DescField | undefined): DescMessage | undefined {
  if (field?.fieldKind === "map") return entryOf(field);
  return field?.message;
}

/** The entries of a map are messages too; only their values can hold more. */
function entryOf(field: DescField & { fieldKind: "map" }): DescMessage | undefined {
  return (
    field.message &&
    ({ fields: [{ number: 2, fieldKind: "message", message: field.message }] } as unknown as DescMessage)
  );
}
