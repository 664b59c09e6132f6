import { createHash, createHmac } from "node:crypto";
import { familyOf, parseForeignText, toHeader } from "./hashes/families.ts";
import type { HashFamily, Recipe } from "./hashes/hash-family.ts";

/** The hash of a password as it is stored. */
export type EncodedHash = Argon2Hash | BcryptHash | StoredForeignHash | WrappedHash;

/** The hashes that we make are argon2id. */
export interface Argon2Hash {
  readonly kind: "argon2";
  readonly variant: "argon2id" | "argon2i";
  readonly version: number;
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
  readonly saltBytes: number;
  readonly tagBytes: number;
}

/** `plain`: as the library reads it. `toKey`: what is hashed in place of the password. */
export interface BcryptHash {
  readonly kind: "bcrypt";
  readonly cost: number;
  readonly plain: string;
  readonly toKey: (password: string) => string;
}

/** A hash of another system that takes long enough to be stored. */
export interface StoredForeignHash {
  readonly kind: "foreign";
  readonly family: HashFamily;
  readonly recipe: Recipe;
  readonly digest: Buffer;
}

/** A hash by argon2id of a hash that is computed fast, which is not stored itself. */
export interface WrappedHash {
  readonly kind: "wrapped";
  readonly outer: Argon2Hash;
  /** The text of the argon2id. */
  readonly outerText: string;
  readonly family: HashFamily;
  readonly inner: Recipe;
}

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
const bcryptPattern =
  /^(?<before>\$wp|bcrypt_sha256\$)?(?<plain>\$2[aby]\$(?<cost>\d{2})\$[./A-Za-z0-9]{53})$/;
/** Between the argon2id of a wrapped hash and the recipe of what is in it, which begins with `$`. */
const wrapMark = "$of";

/** What bcrypt hashes in place of the password, by what stands before the hash. */
const bcryptKeys: Readonly<Record<string, (password: string) => string>> = {
  // WordPress 6.8: wp_hash_password trims as PHP does.
  $wp: (password) =>
    createHmac("sha384", "wp-sha384")
      .update(password.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, ""))
      .digest("base64"),
  // Django: BCryptSHA256PasswordHasher.
  bcrypt_sha256$: (password) => createHash("sha256").update(password).digest("hex"),
};

/**
 * Reads the text of a hash as it is stored: argon2id and argon2i as a PHC string, bcrypt as `$2a$`, `$2b$` or `$2y$`, hashes of other
 * systems as `toForeignText` writes them. Undefined for any other text, and for a hash that costs too much or has too short a salt.
 */
export function parseEncodedHash(text: string): EncodedHash | undefined {
  const wrapAt = text.indexOf(`${wrapMark}$`);
  if (wrapAt >= 0) return parseWrapped(text.slice(0, wrapAt), text.slice(wrapAt + wrapMark.length));
  return parseBcrypt(text) ?? parseArgon2(text) ?? parseForeign(text);
}

function parseBcrypt(text: string): BcryptHash | undefined {
  const { before, plain = "", cost: digits } = bcryptPattern.exec(text)?.groups ?? {};
  const cost = Number(digits);
  if (!(cost >= minBcrypt && cost <= maxCost.bcrypt)) return undefined;
  return { kind: "bcrypt", cost, plain, toKey: bcryptKeys[before ?? ""] ?? ((password) => password) };
}

function parseArgon2(text: string): Argon2Hash | undefined {
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

function parseForeign(text: string): StoredForeignHash | undefined {
  const { recipe, digest } = parseForeignText(text) ?? {};
  if (recipe === undefined || digest === undefined) return undefined;
  const family = familyOf(recipe);
  return family.memoryKib(recipe) <= maxCost.memoryKib
    ? { kind: "foreign", family, recipe, digest }
    : undefined;
}

function parseWrapped(outerText: string, innerText: string): WrappedHash | undefined {
  const outer = parseArgon2(outerText);
  const { recipe: inner, digest } = parseForeignText(innerText) ?? {};
  if (outer === undefined || inner === undefined || digest !== undefined) return undefined;
  return { kind: "wrapped", outer, outerText, family: familyOf(inner), inner };
}

/** Returns the text of a wrapped hash: `outer` is the argon2id of the digest, as `toWrappable` writes that. */
export function toWrappedText(outer: string, innerText: string): string {
  return outer + wrapMark + innerText;
}

/** Writes a digest as the text that argon2id hashes. */
export function toWrappable(digest: Buffer): string {
  return digest.toString("base64");
}

/** Says whether a hash may not be stored before it is hashed again, because passwords can be tried with it too fast. */
export function isFastHash(hash: EncodedHash): hash is StoredForeignHash {
  return hash.kind === "foreign" && hash.family.isFast(hash.recipe);
}

/** Says whether the hash is weaker than those that we make, so that it is replaced at the next right password. */
export function isWeakHash(hash: EncodedHash, cost = ownCost): boolean {
  return (
    hash.kind !== "argon2" ||
    hash.variant !== "argon2id" ||
    hash.version !== 19 ||
    hash.memoryKib < cost.memoryKib ||
    hash.passes < cost.passes ||
    hash.saltBytes < cost.saltBytes ||
    hash.tagBytes < cost.tagBytes
  );
}

/** Returns the text of a hash before its salt, which says all that the time of a comparison depends on. */
export function hashHeaderOf(hash: EncodedHash): string {
  switch (hash.kind) {
    case "argon2":
      return `$${hash.variant}$v=${hash.version}$m=${hash.memoryKib},t=${hash.passes},p=${hash.lanes}$`;
    case "bcrypt":
      return hash.plain.slice(0, 7);
    case "foreign":
      return toHeader(hash.recipe);
    case "wrapped":
      return toWrappedText(hashHeaderOf(hash.outer), toHeader(hash.inner));
  }
}

/** Makes a hash with that header which is of no password. */
export function toSampleHash(header: string): string {
  const [outer = "", inner] = header.split(wrapMark);
  const salt = "A".repeat(22);
  if (inner !== undefined) return toWrappedText(toSampleHash(outer), inner + salt);
  return header.startsWith("$2") ? header + "a".repeat(53) : `${header}${salt}$${"A".repeat(43)}`;
}

/** Counts the bytes of base64 without padding; 0 for a length that base64 never has. */
function byteCount(base64 = ""): number {
  return base64.length % 4 === 1 ? 0 : Math.floor((base64.length * 3) / 4);
}
