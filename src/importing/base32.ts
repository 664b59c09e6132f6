const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const minTotpBytes = 10;
const maxTotpBytes = 128;

/** Reads base32 (RFC 4648 §6) as people write it down: in any case, with spaces, with or without padding. */
export function fromBase32(text: string): Uint8Array | undefined {
  const digits = text.toUpperCase().replace(/[\s-]/g, "").replace(/=+$/, "");
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const digit of digits) {
    const number = alphabet.indexOf(digit);
    if (number < 0) return undefined;
    value = ((value << 5) | number) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return bytes.length >= minTotpBytes && bytes.length <= maxTotpBytes ? new Uint8Array(bytes) : undefined;
}
