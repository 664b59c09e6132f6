import type { Call } from "../../../kernel/base/call.ts";
import { holdsOnInstance } from "../../../kernel/base/permission.ts";
import { fieldInvalid } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { isFastHash, isWeakHash, parseEncodedHash } from "./encoded-hash.ts";
import { findExcess } from "./hash-cost.ts";
import type { PasswordHasher } from "./hasher.ts";
import { toStoredSpelling } from "./hashes/spelling.ts";

/** What hashes of other systems are taken with. */
export interface HashImportOptions {
  readonly hasher: PasswordHasher;
  /** Whether hashes are taken that cost more than `findExcess` allows. Default: no. */
  readonly allowSlowHashes?: boolean;
}

/**
 * Measures what it costs to compare with a hash, unless that is known, for a caller who may set hashes: an item of a batch cannot wait for
 * it. Raises OVERLOADED.
 */
export async function measureHash(
  { hasher }: { readonly hasher: Pick<PasswordHasher, "estimateMs"> },
  { caller }: Pick<Call, "caller">,
  given: Secret,
): Promise<void> {
  if (!holdsOnInstance(caller.held, "user.credential.write")) return;
  await hasher.estimateMs(toStoredSpelling(given.reveal()) ?? given.reveal());
}

const known =
  "argon2id, argon2i, bcrypt, PBKDF2, scrypt, SHA-crypt, MD5-crypt, phpass, or one of LDAP, ASP.NET Identity, Firebase, Keycloak, Drupal or WordPress";

/**
 * Returns the text to store for a hash of another system, which may take as long as hashing a password. Raises FIELD_INVALID on the field
 * for a hash that cannot be read or costs too much to compare, in a batch also for one that has to be hashed again; OVERLOADED.
 */
export async function importHash(
  { hasher, allowSlowHashes = false }: HashImportOptions,
  call: Call,
  { field, given }: { readonly field: string; readonly given: Secret },
): Promise<string> {
  const stored = toStoredSpelling(given.reveal()) ?? given.reveal();
  const hash = parseEncodedHash(stored);
  if (hash === undefined)
    throw fieldInvalid(field, `must be a hash that can be read, within the bounds of its kind: ${known}`);
  if (hash.kind === "wrapped" && isWeakHash(hash.outer))
    throw fieldInvalid(field, "must be hashed again with argon2id that is as strong as that of the service");
  const excess = allowSlowHashes ? undefined : findExcess(hash, await hasher.estimateMs(stored));
  if (excess !== undefined) throw fieldInvalid(field, excess);
  if (!isFastHash(hash)) return stored;
  if (call.isItem === true)
    throw fieldInvalid(
      field,
      "must be absent in a batch for a hash of a fast kind, which is hashed again before it is stored; send it by a call",
    );
  return await hasher.wrap(hash);
}
