import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { Random } from "./random.ts";

export interface MutatedFrames {
  readonly what: string;
  readonly body: Buffer;
  /** The value of grpc-encoding, or of connect-content-encoding. */
  readonly encoding?: string;
}

/** Returns a message in the frame of gRPC, gRPC-web and Connect streams. */
export function frame(data: Uint8Array, flags = 0, length = data.length): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, data]);
}

const compressions = {
  gzip: (data: Uint8Array) => gzipSync(data, { level: 1 }),
  deflate: (data: Uint8Array) => deflateSync(data, { level: 1 }),
  br: (data: Uint8Array) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
} as const;
type Compression = keyof typeof compressions;
const encodings = Object.keys(compressions) as Compression[];

/** Returns a message in frames of which one thing is wrong. */
export function mutateFrame(data: Buffer, random: Random): MutatedFrames {
  const encoding = random.pick(encodings);
  const packed = compressions[encoding](data);
  switch (random.below(14)) {
    case 0:
      return { what: "flags that are none", body: frame(data, random.below(256)) };
    case 1:
      return {
        what: "a length that is too long",
        body: frame(data, 0, data.length + random.pick([1, 5, 1000, 2 ** 24])),
      };
    case 2:
      return {
        what: "a length that is too short",
        body: frame(data, 0, Math.max(0, data.length - 1 - random.below(8))),
      };
    case 3:
      return {
        what: "a length beyond the limit",
        body: frame(data, 0, random.pick([8_388_609, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1])),
      };
    case 4:
      return {
        what: "several messages",
        body: Buffer.concat(Array.from({ length: random.pick([2, 3, 500]) }, () => frame(data))),
      };
    case 5:
      return { what: "no message", body: Buffer.alloc(0) };
    case 6: {
      const whole = frame(data);
      return { what: "half a frame", body: whole.subarray(0, random.below(whole.length)) };
    }
    case 7:
      return { what: "a compressed message without encoding", body: frame(packed, 1) };
    case 8:
      return { what: "a message that is not compressed", body: frame(data, 1), encoding };
    case 9:
      return {
        what: "a compressed message cut off",
        body: frame(packed.subarray(0, random.below(packed.length)), 1),
        encoding,
      };
    case 10:
      return {
        what: "something behind the compressed message",
        body: frame(Buffer.concat([packed, random.bytes(9)]), 1),
        encoding,
      };
    case 11:
      return {
        what: "an unknown encoding",
        body: frame(data, 1),
        encoding: random.pick(["zstd", "gzip, gzip", "__proto__", "constructor", "GZIP", "snappy", "*"]),
      };
    case 12:
      return {
        what: "trailers from the caller",
        body: Buffer.concat([
          frame(Buffer.from("grpc-status: 0\r\n"), 0x80),
          frame(data),
          frame(Buffer.from("{}"), 2),
        ]),
      };
    default:
      return { what: "a compressed message", body: frame(packed, 1), encoding };
  }
}

const bombSizes = [9 * 2 ** 20, 64 * 2 ** 20] as const;
const bombs = new Map<string, Buffer>();

/** Returns a little that becomes very much: zeros, blanks or empty fields, compressed. */
export function bombOf(random: Random): {
  readonly body: Buffer;
  readonly encoding: string;
  readonly what: string;
} {
  const encoding = random.pick(encodings);
  const size = random.pick(bombSizes);
  const filling = random.pick([0, 0x20, 0x0a]);
  const key = `${encoding} ${size} ${filling}`;
  const known = bombs.get(key) ?? compressions[encoding](Buffer.alloc(size, filling));
  bombs.set(key, known);
  return { body: known, encoding, what: `${size} bytes in ${known.length} of ${encoding}` };
}
