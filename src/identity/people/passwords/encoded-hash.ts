/** The hash of a password as a text, as PHC strings and bcrypt have it. */
export type EncodedHash =
  | {
      readonly kind: "argon2";
      readonly variant: "argon2id" | "argon2i";
      readonly version: number;
      readonly memoryKib: number;
      readonly passes: number;
      readonly lanes: number;
      readonly saltBytes: number;
      readonly tagBytes: number;
    }
  | { readonly kind: "bcrypt"; readonly cost: number };

/** What a hash costs: its time and memory, and the lengths of its parts. */
export interface HashCost {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
  readonly saltBytes: number;
  readonly tagBytes: number;
}

/** What a hash that we make costs (OWASP Password Storage Cheat Sheet: argon2id, 19 MiB, two passes, one lane). */
export const ownCost: HashCost = { memoryKib: 19_456, passes: 2, lanes: 1, saltBytes: 16, tagBytes: 32 };

/** More than this is not taken from elsewhere: each try of such a password would hold the service up. */
const maxCost = {
  memoryKib: 262_144,
  passes: 16,
  lanes: 16,
  saltBytes: 64,
  tagBytes: 64,
  bcrypt: 14,
} as const;
const minSaltBytes = 8;
const minTagBytes = 16;
const minBcrypt = 4;

const argon2Pattern =
  /^\$(?<variant>argon2id|argon2i)\$v=(?<version>16|19)\$m=(?<memory>[1-9]\d{0,9}),t=(?<passes>[1-9]\d{0,9}),p=(?<lanes>[1-9]\d{0,9})\$(?<salt>[A-Za-z0-9+/]+)\$(?<tag>[A-Za-z0-9+/]+)$/;
const bcryptPattern = /^\$2[aby]\$(?<cost>\d{2})\$[./A-Za-z0-9]{53}$/;

/**
 * Reads the text of a hash: argon2id and argon2i as a PHC string, bcrypt as `$2a$`, `$2b$` or `$2y$`. Undefined for any other
 * text, and for a hash that costs too much or has too short a salt.
 */
export function parseEncodedHash(text: string): EncodedHash | undefined {
  const bcrypt = bcryptPattern.exec(text)?.groups;
  if (bcrypt !== undefined) {
    const cost = Number(bcrypt["cost"]);
    return cost >= minBcrypt && cost <= maxCost.bcrypt ? { kind: "bcrypt", cost } : undefined;
  }
  const groups = argon2Pattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const hash = {
    kind: "argon2",
    variant: groups["variant"] === "argon2id" ? "argon2id" : "argon2i",
    version: Number(groups["version"]),
    memoryKib: Number(groups["memory"]),
    passes: Number(groups["passes"]),
    lanes: Number(groups["lanes"]),
    saltBytes: byteCount(groups["salt"]),
    tagBytes: byteCount(groups["tag"]),
  } as const;
  const isBounded =
    hash.memoryKib <= maxCost.memoryKib &&
    hash.passes <= maxCost.passes &&
    hash.lanes <= maxCost.lanes &&
    hash.saltBytes <= maxCost.saltBytes &&
    hash.tagBytes <= maxCost.tagBytes;
  // RFC 9106 §3.1: at least 8 KiB for each lane.
  const isSound =
    hash.saltBytes >= minSaltBytes && hash.tagBytes >= minTagBytes && hash.memoryKib >= 8 * hash.lanes;
  return isBounded && isSound ? hash : undefined;
}

/** Says whether the hash is weaker than those that we make, so that it is replaced at the next right password. */
export function isWeakHash(hash: EncodedHash, cost = ownCost): boolean {
  return (
    hash.kind === "bcrypt" ||
    hash.variant !== "argon2id" ||
    hash.version !== 19 ||
    hash.memoryKib < cost.memoryKib ||
    hash.passes < cost.passes ||
    hash.saltBytes < cost.saltBytes ||
    hash.tagBytes < cost.tagBytes
  );
}

/** The work of comparing with a hash, comparable within a kind: KiB times passes for argon2, 2 to the power of the cost for bcrypt. */
export function workOf(hash: EncodedHash): number {
  return hash.kind === "bcrypt" ? 2 ** hash.cost : hash.memoryKib * hash.passes;
}

const maxMs = 250;
const maxMemoryKib = 65_536;

/**
 * Says why a hash costs more than the service should spend on each try of a password, if it takes so many milliseconds; undefined: it does
 * not.
 */
export function findExcess(hash: EncodedHash, tookMs: number): string | undefined {
  if (hash.kind === "argon2" && hash.memoryKib > maxMemoryKib)
    return `needs more than ${maxMemoryKib} KiB of memory, which is the most without --allow-slow-hashes`;
  if (tookMs > maxMs)
    return `takes about ${Math.round(tookMs)} ms to compare here; the most without --allow-slow-hashes is ${maxMs} ms`;
  return undefined;
}

const headerPattern = /^(?:\$2[aby]\$\d{2}\$|\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+\$)/;

/** Returns the text of a hash before its salt, which says all that the time of a comparison depends on. */
export function hashHeaderOf(encoded: string): string {
  return headerPattern.exec(encoded)?.[0] ?? "";
}

/** Makes a hash with that header which is of no password. */
export function toSampleHash(header: string): string {
  return header.startsWith("$2") ? header + "a".repeat(53) : `${header}${"A".repeat(22)}$${"A".repeat(43)}`;
}

/** The header of a bcrypt hash that is compared in a few milliseconds. */
export const smallBcrypt = "$2b$06$";

/** What it costs to compare with a hash that was made elsewhere. */
export interface ImportedCost {
  readonly kind: EncodedHash["kind"];
  readonly work: number;
  readonly header: string;
}

/** Returns the cost of comparing with a hash; undefined if that is no more than with ours. */
export function importedCostOf(encoded: string): ImportedCost | undefined {
  const hash = parseEncodedHash(encoded);
  if (hash === undefined) return undefined;
  const work = workOf(hash);
  if (hash.kind === "argon2" && work <= ownCost.memoryKib * ownCost.passes) return undefined;
  return { kind: hash.kind, work, header: hashHeaderOf(encoded) };
}

/** Counts the bytes of base64 without padding; 0 for a length that base64 never has. */
function byteCount(base64 = ""): number {
  return base64.length % 4 === 1 ? 0 : Math.floor((base64.length * 3) / 4);
}
