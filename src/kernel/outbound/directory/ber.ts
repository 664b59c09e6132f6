/** An element of BER (X.690 §8.1), as far as LDAP uses it (RFC 4511 §5.1): definite lengths and tags of one byte. */
export interface BerElement {
  readonly tag: number;
  readonly content: Buffer;
}

/** Bytes are not what LDAP has. */
export class BerError extends Error {}

/** Finds how long the element at the beginning of the bytes is, with its tag and length; undefined: that needs more bytes. Raises a BerError. */
export function measureBer(bytes: Buffer): number | undefined {
  const header = readHeader(bytes, 0);
  return header === undefined ? undefined : header.contentOffset + header.length;
}

/** Reads the elements of which the bytes consist, exactly. Raises a BerError. */
export function readBer(bytes: Buffer): readonly BerElement[] {
  const elements: BerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes, offset);
    const end = header === undefined ? Number.POSITIVE_INFINITY : header.contentOffset + header.length;
    if (header === undefined || end > bytes.length) throw new BerError("an element is cut off");
    elements.push({ tag: bytes[offset] ?? 0, content: bytes.subarray(header.contentOffset, end) });
    offset = end;
  }
  return elements;
}

/** Reads a number that is not negative. Raises a BerError. */
export function readBerNumber({ content }: BerElement): number {
  if (content.length === 0 || content.length > 5 || (content[0] ?? 0) > 127) throw new BerError("no number");
  return content.readUIntBE(0, content.length);
}

/** A message is at most so long that four bytes say it. */
const maxLengthBytes = 4;

function readHeader(
  bytes: Buffer,
  offset: number,
): { readonly contentOffset: number; readonly length: number } | undefined {
  const [tag, first] = [bytes[offset], bytes[offset + 1]];
  if (tag === undefined || first === undefined) return undefined;
  if ((tag & 31) === 31) throw new BerError("a tag is of several bytes");
  if (first < 128) return { contentOffset: offset + 2, length: first };
  const count = first & 127;
  if (count === 0 || count > maxLengthBytes) throw new BerError("a length is indefinite, or too long");
  if (offset + 2 + count > bytes.length) return undefined;
  return { contentOffset: offset + 2 + count, length: bytes.readUIntBE(offset + 2, count) };
}
