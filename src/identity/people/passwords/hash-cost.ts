import {
  type Argon2Hash,
  type EncodedHash,
  hashHeaderOf,
  ownCost,
  parseEncodedHash,
  type StoredForeignHash,
  toSampleHash,
} from "./encoded-hash.ts";
import { toHeader } from "./hashes/families.ts";

/** The work of comparing with a hash, comparable within a kind: KiB times passes for argon2, 2 to the power of the cost for bcrypt. */
function workOf(hash: EncodedHash): number {
  switch (hash.kind) {
    case "argon2":
      return hash.memoryKib * hash.passes;
    case "bcrypt":
      return 2 ** hash.cost;
    case "foreign":
      return hash.family.work(hash.recipe);
    case "wrapped":
      return hash.family.work(hash.inner);
  }
}

const maxMs = 250;
const maxMemoryKib = 65_536;

/**
 * Says why a hash costs more than the service should spend on each try of a password, if it takes so many milliseconds; undefined: it does
 * not.
 */
export function findExcess(hash: EncodedHash, tookMs: number): string | undefined {
  if (memoryKibOf(hash) > maxMemoryKib)
    return `needs more than ${maxMemoryKib} KiB of memory, which is the most without --allow-slow-hashes`;
  if (tookMs > maxMs)
    return `takes about ${Math.round(tookMs)} ms to compare here; the most without --allow-slow-hashes is ${maxMs} ms`;
  return undefined;
}

function memoryKibOf(hash: EncodedHash): number {
  switch (hash.kind) {
    case "argon2":
      return hash.memoryKib;
    case "bcrypt":
      return 4;
    case "foreign":
      return hash.family.memoryKib(hash.recipe);
    case "wrapped":
      return Math.max(hash.outer.memoryKib, hash.family.memoryKib(hash.inner));
  }
}

/** A hash of which it is measured how long it takes, and how many times as long another one of its kind takes. */
export interface EstimatePart {
  readonly header: string;
  readonly times: number;
}

/** Returns the parts that the time of comparing with a hash is the sum of. `own`: the header of our hashes. */
export function toEstimateParts(hash: EncodedHash, own: string): readonly EstimatePart[] {
  if (hash.kind === "wrapped") {
    const { family, inner, outer } = hash;
    const digest = Buffer.alloc(32);
    return [...partsOf({ kind: "foreign", family, recipe: inner, digest }, own), ...partsOf(outer, own)];
  }
  return partsOf(hash, own);
}

function partsOf(
  hash: Exclude<EncodedHash, { readonly kind: "wrapped" }>,
  own: string,
): readonly EstimatePart[] {
  const header = likeOf(hash, own);
  const like = parseEncodedHash(toSampleHash(header));
  if (like === undefined) throw new Error("a hash of ours can be read");
  return [{ header, times: workOf(hash) / workOf(like) }];
}

/** The header of a hash of the same kind that is compared in a few milliseconds, for argon2 of one of ours. */
function likeOf(hash: Argon2Hash | StoredForeignHash | { readonly kind: "bcrypt" }, own: string): string {
  switch (hash.kind) {
    case "argon2":
      return own;
    case "bcrypt":
      return "$2b$06$";
    case "foreign":
      return toHeader({ id: hash.recipe.id, parameters: hash.family.small });
  }
}

/** What it costs to compare with a hash that was made elsewhere. */
export interface ImportedCost {
  /** Work is comparable within it. */
  readonly kind: string;
  readonly work: number;
  readonly header: string;
}

/** Returns the cost of comparing with a hash; undefined if that is no more than with ours. */
export function importedCostOf(encoded: string): ImportedCost | undefined {
  const hash = parseEncodedHash(encoded);
  if (hash === undefined) return undefined;
  const work = workOf(hash);
  if (hash.kind === "argon2" && work <= ownCost.memoryKib * ownCost.passes) return undefined;
  return { kind: kindOf(hash), work, header: hashHeaderOf(hash) };
}

function kindOf(hash: EncodedHash): string {
  switch (hash.kind) {
    case "argon2":
    case "bcrypt":
      return hash.kind;
    case "foreign":
      return hash.family.name;
    case "wrapped":
      return `wrapped ${hash.family.name}`;
  }
}
