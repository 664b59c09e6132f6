import { hash as hashOnce } from "node:crypto";
import { toCryptBase64 } from "./crypt-base64.ts";
import { type HashFamily, loopedBytes, type Recipe } from "./hash-family.ts";

const magics: Readonly<Record<string, string>> = { "md5-crypt": "$1$", apr1: "$apr1$" };
const pattern = /^\$(?<magic>1|apr1)\$(?<salt>[^$]{0,8})\$(?<digest>[./0-9A-Za-z]{22})$/;
const byteOrder = [12, 6, 0, 13, 7, 1, 14, 8, 2, 15, 9, 3, 5, 10, 4, 11];

/** MD5-crypt, the `$1$` of crypt(3) (P.-H. Kamp, FreeBSD 2.0), and the `$apr1$` of Apache, which differs by its name alone. */
export const md5CryptFamily: HashFamily = {
  name: "md5-crypt",
  ids: Object.keys(magics),
  bounds: {},
  small: {},
  work: () => 1,
  memoryKib: () => 1,
  isFast: () => true,
  digest: compute,
  read(text) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) return undefined;
    const { magic, salt = "", digest = "" } = found;
    const id = magic === "1" ? "md5-crypt" : "apr1";
    return {
      recipe: { id, parameters: {}, salt: Buffer.from(salt, "utf8") },
      digest: Buffer.from(digest, "latin1"),
    };
  },
};

function compute({ id, salt }: Recipe, password: string): Buffer {
  const { bytes: key, isTooLong } = loopedBytes(password);
  const hash = (...parts: readonly Uint8Array[]) => hashOnce("md5", Buffer.concat(parts), "buffer");
  const inner = hash(key, salt, key);
  const fill = Buffer.alloc(key.length, inner);
  // An oddity of the algorithm: a zero for each one in the binary form of the length, else the first byte of the password.
  const turns: Uint8Array[] = [];
  for (let length = key.length; length > 0; length >>= 1)
    turns.push((length & 1) === 1 ? Buffer.alloc(1) : key.subarray(0, 1));
  let sum = hash(key, Buffer.from(magics[id] ?? "", "latin1"), salt, fill, ...turns);
  for (let round = 0; round < 1000; round += 1) {
    const isOdd = (round & 1) === 1;
    const parts = [isOdd ? key : sum];
    if (round % 3 !== 0) parts.push(salt);
    if (round % 7 !== 0) parts.push(key);
    parts.push(isOdd ? sum : key);
    sum = hash(...parts);
  }
  const text = toCryptBase64(Uint8Array.from(byteOrder, (at) => sum[at] ?? 0));
  return Buffer.from(isTooLong ? "" : text, "latin1");
}
