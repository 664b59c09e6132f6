/** What the header of an image says. */
export interface ImageFacts {
  readonly contentType: "image/png" | "image/jpeg" | "image/webp";
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The most pixels that an image may have in each direction. */
export const maxImageSide = 2000;

/**
 * Reads the header of a PNG, JPEG or WebP image, and follows its parts to the end. Undefined: it is no such image, it is cut off, or
 * something comes after its end. The pixels are not decoded.
 */
export function readImage(bytes: Uint8Array): ImageFacts | undefined {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return readPng(image) ?? readJpeg(image) ?? readWebp(image);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // as buffers raise errors
    if (code === "ERR_OUT_OF_RANGE" || code === "ERR_BUFFER_OUT_OF_BOUNDS") return undefined; // a read beyond the end
    throw error;
  }
}

const pngSignature = "\x89PNG\r\n\x1a\n";

/** W3C PNG, third edition, §5: the header is the first chunk, IEND the last one. */
function readPng(image: Buffer): ImageFacts | undefined {
  if (image.toString("latin1", 0, 8) !== pngSignature || nameAt(image, 12) !== "IHDR") return undefined;
  const facts = { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
  let at = 8;
  let hasData = false;
  for (;;) {
    const name = nameAt(image, at + 4);
    const end = at + 12 + image.readUInt32BE(at); // length, name and checksum beside the data
    if (end > image.length) return undefined;
    hasData ||= name === "IDAT";
    if (name === "IEND")
      return hasData && end === image.length ? { contentType: "image/png", ...facts } : undefined;
    at = end;
  }
}

/** ITU-T T.81, annex B: segments, and between them the coded data of scans. */
function readJpeg(image: Buffer): ImageFacts | undefined {
  if (image.length < 4 || image.readUInt16BE(0) !== 0xff_d8) return undefined;
  let at = 2;
  let size: { readonly width: number; readonly height: number } | undefined;
  let hasScan = false;
  for (;;) {
    if (image.readUInt8(at) !== 0xff) return undefined;
    while (image.readUInt8(at + 1) === 0xff) at += 1; // fill bytes
    const marker = image.readUInt8(at + 1);
    if (marker === 0xd9)
      return size !== undefined && hasScan && at + 2 === image.length
        ? { contentType: "image/jpeg", ...size }
        : undefined;
    const length = image.readUInt16BE(at + 2);
    if (length < 2) return undefined;
    if (isFrame(marker)) size = { height: image.readUInt16BE(at + 5), width: image.readUInt16BE(at + 7) };
    at += 2 + length;
    if (marker !== 0xda) continue;
    hasScan = true;
    at = endOfScan(image, at);
  }
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

/** In coded data 0xff is followed by 0, or is the marker of a restart. */
function endOfScan(image: Buffer, from: number): number {
  for (let at = image.indexOf(0xff, from); at >= 0; at = image.indexOf(0xff, at + 1)) {
    const next = image.readUInt8(at + 1);
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  return image.length;
}

/** RFC 9649 §2: a RIFF file of chunks that are padded to an even length. */
function readWebp(image: Buffer): ImageFacts | undefined {
  if (nameAt(image, 0) !== "RIFF" || nameAt(image, 8) !== "WEBP") return undefined;
  if (image.readUInt32LE(4) + 8 !== image.length) return undefined;
  const size = sizeOfWebp(image);
  let at = 12;
  while (at < image.length) at += 8 + Math.ceil(image.readUInt32LE(at + 4) / 2) * 2;
  return size === undefined || at !== image.length ? undefined : { contentType: "image/webp", ...size };
}

function sizeOfWebp(image: Buffer): { readonly width: number; readonly height: number } | undefined {
  switch (nameAt(image, 12)) {
    case "VP8X": // §2.7
      return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      // §3.4
      if (image.readUInt8(20) !== 0x2f) return undefined;
      const bits = image.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ": // RFC 6386 §9.1
      if (image.readUIntBE(23, 3) !== 0x9d_01_2a) return undefined;
      return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

function nameAt(image: Buffer, at: number): string {
  return image.toString("latin1", at, at + 4);
}
