import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";

/** An unpacked body, or the reason why it could not be unpacked. */
export type UnpackedBody =
  | { readonly kind: "body"; readonly bytes: Uint8Array }
  /** It has more bytes than allowed; those are not unpacked. */
  | { readonly kind: "size" }
  /** It is not packed as the server says. */
  | { readonly kind: "broken" };

type Unpack = (packed: Uint8Array, limits: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

/** RFC 9110 §8.4.1. Servers send them although `identity` was asked for, for example stores of compressed files. */
const unpackers: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ["", async (packed) => packed],
  ["identity", async (packed) => packed],
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", (packed, limits) => promisify(isZlib(packed) ? inflate : inflateRaw)(packed, limits)],
  ["br", promisify(brotliDecompress)],
]);

/** Says whether a body with that `content-encoding` can be unpacked. One that is packed more than once cannot. */
export function isKnownCoding(contentEncoding: string | undefined): boolean {
  return unpackers.has(nameOf(contentEncoding));
}

/** Unpacks a body whose coding is known, up to `maxBytes`. Throws for any other coding. */
export async function unpack(
  packed: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<UnpackedBody> {
  const unpackBody = unpackers.get(nameOf(contentEncoding));
  if (unpackBody === undefined) throw new Error("an unknown coding");
  if (packed.length === 0) return { kind: "body", bytes: packed }; // as for HEAD, 204 and empty files
  try {
    return { kind: "body", bytes: new Uint8Array(await unpackBody(packed, { maxOutputLength: maxBytes })) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // zlib throws nothing else
    return { kind: code === "ERR_BUFFER_TOO_LARGE" ? "size" : "broken" };
  }
}

function nameOf(contentEncoding = ""): string {
  return contentEncoding.trim().toLowerCase();
}

/** RFC 1950 §2.2. Some servers leave this header out, against RFC 9110 §8.4.1.2. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}
