// Counts different users without keeping who they are: HyperLogLog (Flajolet et al., 2007, §4), with linear counting for small
// numbers. A user sets one of many registers, and very many users would set it alike.
import { createHash } from "node:crypto";

/** The registers of a sketch that are not 0, by their number. */
export type Sketch = Map<number, number>;

const registerBits = 14;
const registerCount = 2 ** registerBits;
const bytesOfPair = 3;

/** Adds a user. Harmless to repeat. */
export function addToSketch(sketch: Sketch, id: string): void {
  const hash = createHash("sha256").update(`active user ${id}`).digest();
  const register = hash.readUInt16BE(0) >>> (16 - registerBits);
  // The position of the first 1 among 32 further bits.
  raise(sketch, register, Math.clz32(hash.readUInt32BE(2)) + 1);
}

/** Adds all users of another sketch. */
export function mergeSketch(sketch: Sketch, other: Sketch): void {
  for (const [register, rank] of other) raise(sketch, register, rank);
}

/** Estimates how many users were added: wrong by about 0.8 %, and for a few hundred by one or two at most. */
export function countSketch(sketch: Sketch): number {
  const empty = registerCount - sketch.size;
  let sum = empty;
  for (const rank of sketch.values()) sum += 2 ** -rank;
  const raw = ((0.7213 / (1 + 1.079 / registerCount)) * registerCount ** 2) / sum;
  const isSmall = raw <= 2.5 * registerCount && empty > 0;
  return Math.round(isSmall ? registerCount * Math.log(registerCount / empty) : raw);
}

/** Returns the sketch as it is stored: 3 bytes for each register that is not 0, or 1 byte for each register if that is shorter. */
export function encodeSketch(sketch: Sketch): Uint8Array {
  if (sketch.size * bytesOfPair >= registerCount) {
    const all = new Uint8Array(registerCount);
    for (const [register, rank] of sketch) all[register] = rank;
    return all;
  }
  const pairs = Buffer.alloc(sketch.size * bytesOfPair);
  let at = 0;
  for (const [register, rank] of sketch) {
    pairs.writeUInt16BE(register, at);
    pairs.writeUInt8(rank, at + 2);
    at += bytesOfPair;
  }
  return pairs;
}

/** Reads what `encodeSketch` has made. */
export function decodeSketch(bytes: Uint8Array): Sketch {
  const sketch: Sketch = new Map();
  if (bytes.length === registerCount) {
    for (const [register, rank] of bytes.entries()) if (rank > 0) sketch.set(register, rank);
    return sketch;
  }
  const pairs = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < pairs.length; at += bytesOfPair)
    sketch.set(pairs.readUInt16BE(at), pairs.readUInt8(at + 2));
  return sketch;
}

function raise(sketch: Sketch, register: number, rank: number): void {
  if (rank > (sketch.get(register) ?? 0)) sketch.set(register, rank);
}
