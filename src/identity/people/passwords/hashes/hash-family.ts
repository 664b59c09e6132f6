/** What a password was hashed with, but for the password: enough to hash another one in the same way. */
export interface Recipe {
  /** Which algorithm of a family: `pbkdf2-sha256`. */
  readonly id: string;
  /** The parameters, each a positive integer: `{ i: 600000, l: 32 }`. */
  readonly parameters: Readonly<Record<string, number>>;
  readonly salt: Buffer;
}

/** A hash of a family: how it was made, and what came out. */
export interface ForeignHash {
  readonly recipe: Recipe;
  readonly digest: Buffer;
}

/** A way of hashing passwords that other systems have, with one kind of cost. */
export interface HashFamily {
  /** Unique; what comparing costs is comparable within it. */
  readonly name: string;
  readonly ids: readonly string[];
  /** The least and the most of each parameter, in the order in which they are written. */
  readonly bounds: Readonly<Record<string, readonly [number, number]>>;
  /** The parameters of a hash that is computed in a few milliseconds, to estimate others by. */
  readonly small: Readonly<Record<string, number>>;
  /** The work of computing a hash. */
  work(recipe: Recipe): number;
  /** The memory that it takes, in KiB. */
  memoryKib(recipe: Recipe): number;
  /**
   * Says whether so many passwords can be tried with it in a second that it is not stored as it is, but hashed once more with
   * argon2id.
   */
  isFast(recipe: Recipe): boolean;
  /** Hashes the password; takes as long as its work. */
  digest(recipe: Recipe, password: string): Buffer;
  /** Reads a hash as one of the systems writes it; undefined for a text of another family. Does not look at the bounds. */
  read(text: string): ForeignHash | undefined;
}

/** Returns a parameter of a recipe; 0 if it has none of that name. */
export function numberOf({ parameters }: Recipe, name: string): number {
  return parameters[name] ?? 0;
}

/** Most bytes of a password that is hashed thousands of times over: longer ones would take longer, and are never right. */
const maxLoopedBytes = 512;

/**
 * Returns the bytes of a password for an algorithm that reads them in each of its rounds. `isTooLong`: they are not all of it, so it
 * must not be accepted.
 */
export function loopedBytes(password: string): { readonly bytes: Buffer; readonly isTooLong: boolean } {
  const bytes = Buffer.from(password, "utf8");
  return { bytes: bytes.subarray(0, maxLoopedBytes), isTooLong: bytes.length > maxLoopedBytes };
}
