import type { DescMessage } from "@bufbuild/protobuf";
import { requestInvalid } from "../../../../kernel/base/problem.ts";
import { type FieldShape, type MessageShape, shapeOf, wire } from "./shape.ts";
import { fieldUndecodable } from "../../errors/refusals.ts";
import { freeFormBounds, maxValuesOf } from "../message-types/value-bounds.ts";

/** The limit that protobuf-es has. */
const maxDepth = 100;

/**
 * Checks the bytes of a message before it is decoded. Raises INVALID_REQUEST for more values than its type may hold (fields, known
 * or not, and entries of packed lists, at every depth), for a known field whose wire type does not fit, and for bytes that are
 * not protobuf. Packed and unpacked lists both fit, and unknown fields pass: protobuf.dev/programming-guides/encoding.
 *
 * protobuf-es 2.17 reads everything that passes in the same way. On its own it is not strict enough: it reads a known field by its
 * type, whatever its wire type says, and lets a nested message read on after its end.
 */
export function scanBinary(desc: DescMessage, bytes: Uint8Array): void {
  new Scan(desc, bytes).run();
}

class Scan {
  readonly #desc: DescMessage;
  readonly #bytes: Uint8Array;
  readonly #maxValues: number;
  #at = 0;
  #values = 0;
  #freeValues = 0;
  /** The name of the request's field that is being read. */
  #outermost = "";

  constructor(desc: DescMessage, bytes: Uint8Array) {
    this.#desc = desc;
    this.#bytes = bytes;
    this.#maxValues = maxValuesOf(desc).binary;
  }

  run(): void {
    this.#message(shapeOf(this.#desc), this.#bytes.length, 1, 0);
  }

  /** Reads up to `end`. `levels` counts the levels of free-form JSON, including this message. */
  #message(shape: MessageShape, end: number, depth: number, levels: number): void {
    if (depth > maxDepth) throw requestInvalid(`the message is nested deeper than ${maxDepth} levels`);
    while (this.#at < end) {
      const tag = this.#varint32(end);
      const wireType = tag & 7;
      const field = shape.fields[tag >>> 3];
      this.#count();
      if (field === undefined) this.#skip(tag, end, depth);
      else if (wireType === field.wireType) this.#value(field, end, depth, levels);
      else if (wireType === wire.delimited && field.isPackable) this.#packed(field.wireType, end);
      else throw this.#malformed(`${field.fullName} has the wire type ${wireType}, not ${field.wireType}`);
    }
  }

  #value(field: FieldShape, end: number, depth: number, levels: number): void {
    const { message } = field;
    if (message === undefined) return this.#skipValue(field.wireType, end);
    if (depth === 1) this.#outermost = field.name;
    if (field.isFreeValue && ++this.#freeValues > freeFormBounds.maxValues) throw this.#tooFree();
    const inner = levels + (message.isFreeLevel ? 1 : 0);
    if (inner > freeFormBounds.maxLevels) throw this.#tooFree();
    const length = this.#varint32(end);
    const innerEnd = this.#at + length;
    if (innerEnd > end) throw this.#malformed("it ends in the middle of a field");
    // To the decoder an entry of a map is not a level of its own.
    this.#message(message, innerEnd, field.isMap ? depth : depth + 1, inner);
  }

  #packed(wireType: number, end: number): void {
    const length = this.#varint32(end);
    const packedEnd = this.#at + length;
    if (packedEnd > end) throw this.#malformed("it ends in the middle of a field");
    while (this.#at < packedEnd) {
      this.#count();
      this.#skipValue(wireType, packedEnd);
    }
  }

  /** Skips the value of an unknown field. */
  #skip(tag: number, end: number, depth: number): void {
    const wireType = tag & 7;
    if (tag >>> 3 === 0) throw this.#malformed("a field has the number 0");
    if (wireType !== wire.startGroup) return this.#skipValue(wireType, end);
    if (depth >= maxDepth) throw requestInvalid(`the message is nested deeper than ${maxDepth} levels`);
    for (;;) {
      const inner = this.#varint32(end);
      this.#count();
      if ((inner & 7) !== wire.endGroup) this.#skip(inner, end, depth + 1);
      else if (inner >>> 3 === tag >>> 3) return;
      else throw this.#malformed("a group ends that was not started");
    }
  }

  #skipValue(wireType: number, end: number): void {
    switch (wireType) {
      case wire.varint:
        return this.#skipVarint(end);
      case wire.bit64:
        this.#at += 8;
        break;
      case wire.delimited: {
        const length = this.#varint32(end);
        this.#at += length;
        break;
      }
      case wire.bit32:
        this.#at += 4;
        break;
      default:
        throw this.#malformed(`a field has the wire type ${wireType}`);
    }
    if (this.#at > end) throw this.#malformed("it ends in the middle of a field");
  }

  /** Skips at most 10 bytes, as many as 64 bits need. */
  #skipVarint(end: number): void {
    const bytes = this.#bytes;
    const last = Math.min(end, this.#at + 10);
    while (this.#at < last) if ((bytes[this.#at++] ?? 0) < 0x80) return;
    throw this.#malformed("an integer is not terminated");
  }

  /** Reads a tag or a length: 32 bits in at most 5 bytes. */
  #varint32(end: number): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let shift = 0; this.#at < end && shift < 35; shift += 7) {
      const byte = bytes[this.#at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80 && (shift < 28 || byte <= 0x0f)) return value >>> 0;
    }
    throw this.#malformed("a tag or a length is not terminated, or has more than 32 bits");
  }

  #count(): void {
    if (++this.#values > this.#maxValues)
      throw requestInvalid(`the message has more than ${this.#maxValues} values`);
  }

  #tooFree() {
    return fieldUndecodable(this.#outermost, freeFormBounds.complaint);
  }

  #malformed(why: string) {
    return requestInvalid(`the message is not a valid ${this.#desc.typeName} in protobuf: ${why}`);
  }
}
