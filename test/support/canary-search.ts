/**
 * Looks for many values at once, in one pass that reads only every so many bytes, so that a scan takes milliseconds however
 * many there are.
 */
export interface Search {
  /** Returns the indexes of the values that are in the bytes in some spelling, where `counts` agrees. */
  findIn(bytes: Uint8Array, counts?: Counts): ReadonlySet<number>;
}

/** Says whether what stands there, from `start` to before `end`, counts as found. */
export type Counts = (bytes: Uint8Array, start: number, end: number) => boolean;

const keyBytes = 4;
const maxStride = 8;

interface Pattern {
  readonly bytes: Uint8Array;
  readonly value: number;
}

/** Builds a search for values, each given in its spellings. A spelling of less than four bytes is not looked for. */
export function createSearch(values: readonly (readonly Uint8Array[])[]): Search {
  const patterns = values.flatMap((spellings, value) =>
    spellings.filter(({ length }) => length >= keyBytes).map((bytes): Pattern => ({ bytes, value })),
  );
  // Each pattern has its keys at so many places, one beside the other, that one of them is read wherever it begins.
  const stride = patterns.reduce(
    (least, { bytes }) => Math.min(least, bytes.length - keyBytes + 1),
    maxStride,
  );
  const table = createTable(patterns, stride);
  return {
    findIn(bytes, counts = always) {
      const found = new Set<number>();
      if (patterns.length === 0) return found;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const { heads, nexts, keys, shift, clear, set } = table;
      for (let at = 0; at + keyBytes <= bytes.length; at += stride) {
        const key = view.getInt32(at, true);
        if ((key & clear) !== 0 || (key & set) !== set) continue;
        for (let entry = heads[slotOf(key, shift)] ?? 0; entry !== 0; entry = nexts[entry] ?? 0) {
          if (keys[entry] !== key) continue;
          const { pattern, start } = table.placeOf(entry, at);
          if (isAt(bytes, start, pattern.bytes) && counts(bytes, start, start + pattern.bytes.length))
            found.add(pattern.value);
        }
      }
      return found;
    },
  };
}

const always: Counts = () => true;

/** The keys of all patterns: lists of entries, found by the slot of their key. Entry 0 is the end of a list. */
interface Table {
  readonly heads: Int32Array;
  readonly nexts: Int32Array;
  readonly keys: Int32Array;
  readonly shift: number;
  /** The bits that no key has, and those that every key has: of digits half of all, and most bytes differ in them. */
  readonly clear: number;
  readonly set: number;
  /** Returns the pattern of an entry, and where it begins when the key of the entry stands at `at`. */
  placeOf(entry: number, at: number): { readonly pattern: Pattern; readonly start: number };
}

function createTable(patterns: readonly Pattern[], stride: number): Table {
  const count = patterns.length * stride + 1;
  const shift = Math.max(8, Math.clz32(count * slotsPerEntry));
  const heads = new Int32Array(1 << (32 - shift));
  const nexts = new Int32Array(count);
  const keys = new Int32Array(count);
  let [clear, set] = [-1, -1];
  for (const [index, { bytes }] of patterns.entries()) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let place = 0; place < stride; place++) {
      const entry = index * stride + place + 1;
      const key = view.getInt32(anchorOf(bytes, stride) + place, true);
      const slot = slotOf(key, shift);
      keys[entry] = key;
      clear &= ~key;
      set &= key;
      nexts[entry] = heads[slot] ?? 0;
      heads[slot] = entry;
    }
  }
  return {
    heads,
    nexts,
    keys,
    shift,
    clear,
    set,
    placeOf(entry, at) {
      const pattern = patterns[Math.floor((entry - 1) / stride)];
      if (pattern === undefined) throw new Error(`there is no entry ${entry}`);
      return { pattern, start: at - anchorOf(pattern.bytes, stride) - ((entry - 1) % stride) };
    },
  };
}

/** So that most slots are empty, and most bytes are done with when one was looked up. */
const slotsPerEntry = 8;

/** Returns where in a pattern its keys begin: in the middle, because values of one kind often begin alike. */
function anchorOf(bytes: Uint8Array, stride: number): number {
  return Math.floor((bytes.length - keyBytes - stride + 1) / 2);
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

function slotOf(key: number, shift: number): number {
  return Math.imul(key, 0x9e3779b1) >>> shift;
}

function isAt(bytes: Uint8Array, start: number, pattern: Uint8Array): boolean {
  if (start < 0 || start + pattern.length > bytes.length) return false;
  for (let index = 0; index < pattern.length; index++) {
    if (bytes[start + index] !== pattern[index]) return false;
  }
  return true;
}
