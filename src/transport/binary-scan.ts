import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { requestInvalid } from "../base/problem.ts";
import { maxValuesOf } from "./value-bounds.ts";

const maxDepth = 100;

/**
 * Raises INVALID_REQUEST for a message of more fields than its type may hold, without making any of them. Malformed bytes
 * pass: the decoder refuses them.
 */
export function refuseManyValues(desc: DescMessage, bytes: Uint8Array): void {
  const maxValues = maxValuesOf(desc).binary;
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
