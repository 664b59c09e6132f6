/** A value of a column of SQLite, with whole numbers as bigint. */
export type Stored = bigint | string | Buffer;

/**
 * Returns the value with one bit changed, as a disk may change it. Bits count from the lowest one of the last byte, and in a
 * short text from there again.
 */
export function flipBit(value: Stored, bit = 0): Stored {
  if (typeof value === "bigint") return BigInt.asIntN(64, value ^ (1n << BigInt(bit)));
  const bytes = Buffer.from(value as Uint8Array | string as Uint8Array); // one of both
  const at = bytes.length - 1 - (Math.floor(bit / 8) % bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
  return typeof value === "string" ? bytes.toString("utf8") : bytes;
}
