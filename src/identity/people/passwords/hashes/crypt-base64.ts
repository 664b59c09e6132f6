const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Writes bytes as crypt(3) does: six bits a character, the lowest ones first, three bytes at a time. */
export function toCryptBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const taken = bytes.subarray(at, at + 3);
    let bits = taken.reduce((sum, byte, index) => sum | (byte << (8 * index)), 0);
    for (let count = 0; count <= taken.length; count += 1) {
      text += alphabet[bits & 63];
      bits >>= 6;
    }
  }
  return text;
}

/** Returns the number that a character stands for; -1 for one that is not of the alphabet. */
export function fromCryptCharacter(character: string): number {
  return character.length === 1 ? alphabet.indexOf(character) : -1;
}
