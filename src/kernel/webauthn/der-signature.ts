/**
 * Says whether the bytes are an ECDSA signature over a curve of at most 384 bits in DER (RFC 3279 §2.2.3, X.690 §8.3 and
 * §10.1): a SEQUENCE of two positive INTEGERs, each in its shortest form, and nothing else.
 */
export function isDerSignature(bytes: Uint8Array): boolean {
  if (bytes[0] !== sequence || bytes[1] !== bytes.length - 2 || bytes.length - 2 > maxShortLength)
    return false;
  const middle = endOfPositive(bytes, 2);
  return middle !== undefined && endOfPositive(bytes, middle) === bytes.length;
}

const sequence = 0x30;
const integer = 0x02;
const maxShortLength = 0x7f;

/** Returns where the positive INTEGER that starts at `start` ends, or undefined when there is none. */
function endOfPositive(bytes: Uint8Array, start: number): number | undefined {
  const [tag, length = 0, first = 0, second = 0] = bytes.subarray(start);
  const end = start + 2 + length;
  if (tag !== integer || length === 0 || length > maxShortLength || end > bytes.length) return undefined;
  const isNegative = first > maxShortLength;
  const isPadded = first === 0 && second <= maxShortLength; // zero itself too, which no signature holds
  return isNegative || isPadded ? undefined : end;
}
