import { hashToken } from "../../programs/tokens/token.ts";
import { ownCost } from "../../people/passwords/encoded-hash.ts";
import type { Random } from "../../../kernel/base/random.ts";

// A secret that we make cannot be guessed, so its SHA-256 is stored. A secret that comes from elsewhere may be one that people have typed:
// then argon2id of it is stored, as text, which is longer than a SHA-256.

const sha256Bytes = 32;
const leastBits = 128;

const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];
const sizes = [26, 26, 10, 32];

/** Makes the bytes to store for a client secret of another system. */
export async function hashForeignSecret(text: string, random: Random): Promise<Uint8Array> {
  if (bitsOf(text) >= leastBits) return hashToken(text);
  const { hash } = await import("@node-rs/argon2");
  const encoded = await hash(text, {
    memoryCost: ownCost.memoryKib,
    timeCost: ownCost.passes,
    parallelism: ownCost.lanes,
    outputLen: ownCost.tagBytes,
    salt: random.bytes(ownCost.saltBytes),
  });
  return new Uint8Array(Buffer.from(encoded));
}

/** Says whether what is stored of a secret is argon2id of it, which takes time and memory to compare with. */
export function isStretched(stored: Uint8Array): boolean {
  return stored.length > sha256Bytes;
}

/** Compares a secret with what `hashForeignSecret` has made of one that can be guessed. */
export async function matchesStretched(stored: Uint8Array, text: string): Promise<boolean> {
  const { verify } = await import("@node-rs/argon2");
  return await verify(Buffer.from(stored).toString("utf8"), text);
}

/** Estimates how many bits a text of random characters has, each different one counted at most twice: words repeat their letters. */
function bitsOf(text: string): number {
  const size = sizes.reduce((sum, each, at) => (classes[at]?.test(text) === true ? sum + each : sum), 0);
  return Math.min(text.length, new Set(text).size * 2) * Math.log2(Math.max(size, 1));
}
