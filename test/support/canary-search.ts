/** Looks for many values at once, in one pass over the bytes, so that a scan takes milliseconds however many there are. */
export interface Search {
  /** Returns the indexes of the values that are in the bytes in some spelling. */
  findIn(bytes: Uint8Array): ReadonlySet<number>;
}

interface Pattern {
  readonly bytes: Uint8Array;
  /** Where in the pattern its key stands: in the middle, because values of one kind often begin alike. */
  readonly anchor: number;
  readonly value: number;
}

const keyBytes = 4;
const filterBits = 20;

/** Taken out of the loop: jest looks up every global through a proxy, which takes a hundred times as long as the rest. */
const { imul } = Math;

/** Builds a search for values, each given in its spellings. A spelling of less than four bytes is not looked for. */
export function createSearch(values: readonly (readonly Uint8Array[])[]): Search {
  const filter = new Uint8Array(1 << filterBits);
  const patterns = new Map<number, Pattern[]>();
  for (const [value, spellings] of values.entries()) {
    for (const bytes of spellings) {
      if (bytes.length < keyBytes) continue;
      const anchor = Math.floor((bytes.length - keyBytes) / 2);
      const key = keyAt(bytes, anchor);
      filter[slotOf(key)] = 1;
      patterns.set(key, [...(patterns.get(key) ?? []), { bytes, anchor, value }]);
    }
  }
  return {
    findIn(bytes) {
      const found = new Set<number>();
      let key = 0;
      for (let end = 0; end < bytes.length; end++) {
        key = (key >>> 8) | ((bytes[end] ?? 0) << 24);
        if (end < keyBytes - 1 || filter[slotOf(key)] === 0) continue;
        for (const pattern of patterns.get(key >>> 0) ?? []) {
          if (isAt(bytes, end - keyBytes + 1 - pattern.anchor, pattern.bytes)) found.add(pattern.value);
        }
      }
      return found;
    },
  };
}

/**
 * Returns the spellings in which a value could lie somewhere by mistake: as it is, in UTF-16, in hexadecimal, as text of
 * JSON and of a URL, and in base64 wherever in a longer run of bytes it may begin.
 */
export function spellingsOf(value: Uint8Array): readonly Uint8Array[] {
  const bytes = Buffer.from(value);
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes);
  const base64 = [0, 1, 2].map((offset) => innerBase64(bytes, offset));
  const spelled = [
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    ...base64,
    ...base64.map((part) => part.replaceAll("+", "-").replaceAll("/", "_")),
    ...(isText ? [JSON.stringify(text).slice(1, -1), encodeURIComponent(text.toWellFormed())] : []),
  ];
  const unique = new Set([bytes.toString("latin1"), ...spelled.map((part) => latin1(Buffer.from(part)))]);
  if (isText) unique.add(latin1(Buffer.from(text, "utf16le")));
  return [...unique].map((part) => Buffer.from(part, "latin1"));
}

/** Returns the characters of base64 that the bytes alone decide when they begin `offset` bytes after a group of three. */
function innerBase64(bytes: Buffer, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const first = offset === 0 ? 0 : offset + 1;
  return whole.toString("base64").slice(first, Math.floor((whole.length * 8) / 6));
}

function latin1(bytes: Buffer): string {
  return bytes.toString("latin1");
}

function keyAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}

function slotOf(key: number): number {
  return imul(key, 0x9e3779b1) >>> (32 - filterBits);
}

function isAt(bytes: Uint8Array, start: number, pattern: Uint8Array): boolean {
  if (start < 0 || start + pattern.length > bytes.length) return false;
  for (let index = 0; index < pattern.length; index++) {
    if (bytes[start + index] !== pattern[index]) return false;
  }
  return true;
}
