import { hash as hashOnce } from "node:crypto";
import { toCryptBase64 } from "./crypt-base64.ts";
import { type HashFamily, loopedBytes, numberOf, type Recipe } from "./hash-family.ts";

type Algorithm = "sha256" | "sha512";

/** In this order the bytes of the result are written. */
const byteOrder: Readonly<Record<Algorithm, readonly number[]>> = {
  sha256: orderOf(10, 2, [30, 31]),
  sha512: orderOf(21, 1, [63]),
};

/** SHA-crypt, the `$5$` and `$6$` of crypt(3) (U. Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6). `rounds` */
export const shaCryptFamilies: readonly HashFamily[] = (["sha256", "sha512"] as const).map((algorithm) => {
  const id = `${algorithm}-crypt`;
  const pattern =
    algorithm === "sha256"
      ? /^\$5\$(?:rounds=(?<rounds>\d{1,9})\$)?(?<salt>[^$]{0,16})\$(?<digest>[./0-9A-Za-z]{43})$/
      : /^\$6\$(?:rounds=(?<rounds>\d{1,9})\$)?(?<salt>[^$]{0,16})\$(?<digest>[./0-9A-Za-z]{86})$/;
  return {
    name: id,
    ids: [id],
    bounds: { rounds: [1000, 5_000_000] },
    small: { rounds: 1000 },
    work: (recipe) => numberOf(recipe, "rounds"),
    memoryKib: () => 1,
    isFast: (recipe) => numberOf(recipe, "rounds") < 5000,
    digest: (recipe, password) => compute(algorithm, recipe, password),
    read(text) {
      const found = pattern.exec(text)?.groups;
      if (found === undefined) return undefined;
      const { rounds = "5000", salt = "", digest = "" } = found;
      const recipe = { id, parameters: { rounds: Number(rounds) }, salt: Buffer.from(salt, "utf8") };
      return { recipe, digest: Buffer.from(digest, "latin1") };
    },
  };
});

/** Steps 1 to 22 of the specification. */
function compute(algorithm: Algorithm, recipe: Recipe, password: string): Buffer {
  const { bytes: key, isTooLong } = loopedBytes(password);
  const { salt } = recipe;
  const hash = (...parts: readonly Uint8Array[]) => hashOnce(algorithm, Buffer.concat(parts), "buffer");
  const inner = hash(key, salt, key);
  const turns: Uint8Array[] = [];
  for (let length = key.length; length > 0; length >>= 1) turns.push((length & 1) === 1 ? inner : key);
  let sum = hash(key, salt, repeatTo(inner, key.length), ...turns);
  const p = repeatTo(hash(...Array.from(key, () => key)), key.length);
  const s = repeatTo(hash(...Array.from({ length: 16 + (sum[0] ?? 0) }, () => salt)), salt.length);
  const rounds = numberOf(recipe, "rounds");
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = (round & 1) === 1;
    const parts = [isOdd ? p : sum];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(isOdd ? sum : p);
    sum = hash(...parts);
  }
  const text = toCryptBase64(Uint8Array.from(byteOrder[algorithm], (at) => sum[at] ?? 0));
  return Buffer.from(isTooLong ? "" : text, "latin1");
}

function repeatTo(bytes: Buffer, length: number): Buffer {
  return Buffer.alloc(length, bytes.length === 0 ? undefined : bytes);
}

/** Three bytes at a time, each from another third of the digest, the last one first; the next three begin `turn` thirds further on. */
function orderOf(third: number, turn: number, rest: readonly number[]): readonly number[] {
  const order: number[] = [];
  for (let at = 0; at < third; at += 1)
    for (const part of [2, 1, 0]) order.push(at + third * ((at * turn + part) % 3));
  return [...order, ...rest];
}
