import { createSecretKey, type KeyObject } from "node:crypto";
import type { Database, ReadTransaction, WriteTransaction } from "../base/database.ts";
import { decryptWith, encryptWith, type Keyring } from "../base/keyring.ts";
import type { Random } from "../base/random.ts";
import { findSecret, putSecret, type StoredSecret } from "./secret-store.ts";

/**
 * Encrypts what the log holds about a person, under a key per user. The key of the organization wraps those of its users, and
 * the master key wraps that: to destroy the keys of all users of an organization is to destroy one.
 */
export interface PersonalData {
  /** Makes the key of a new user of that organization. */
  createKey(tx: WriteTransaction, userId: string, organizationId: string): Promise<void>;
  /** Encrypts; undefined when the user has no key (any more), so that nothing about him is stored. */
  seal(
    tx: WriteTransaction,
    userId: string,
    plaintext: string,
    context: string,
  ): Promise<Uint8Array | undefined>;
  /** Decrypts; undefined when the key is destroyed. Throws UnreadableError. */
  open(tx: ReadTransaction, userId: string, sealed: Uint8Array, context: string): Promise<string | undefined>;
}

/** Says that sealed data, or the key that it is under, was changed, or that the master key of that is gone. */
export class UnreadableError extends Error {}

/** What the id of the secret that is a user's key begins with; his id follows. */
export const userKeyPrefix = "user-key:";

/** What the key id of a secret begins with that is under the key of an organization. No master key has such an id. */
const underOrganization = "organization:";

const format = 1;
const keyBytes = 32;

/** Some hundreds of kilobytes. */
const maxRemembered = 1000;

/**
 * Creates it. Sealed data is 1 byte format, then what `encryptWith` returns. With the database that it writes to, it remembers
 * the keys that it seals with until a secret is written.
 */
export function createPersonalData(
  keyring: Keyring,
  random: Random,
  database?: Pick<Database, "watch">,
): PersonalData {
  const watch = database?.watch(["secrets"]);
  let known = new Map<string, KeyObject>();
  let seenAt = watch?.written();
  const findKey = async (tx: ReadTransaction, userId: string) => {
    const wrapped = await findSecret(tx, secretIdOf(userId));
    return wrapped && (await openUserKey(tx, keyring, { userId, wrapped }));
  };
  /** Only in writes, which see what has become of the secrets: a reader could bring back a key that was destroyed meanwhile. */
  const recall = (userId: string): KeyObject | undefined => {
    if (watch === undefined) return undefined;
    if (seenAt !== watch.written() || known.size >= maxRemembered) known = new Map();
    seenAt = watch.written();
    return known.get(userId);
  };
  const findSealingKey = async (tx: WriteTransaction, userId: string) => {
    const bytes = await findKey(tx, userId);
    if (bytes === undefined) return undefined;
    const key = createSecretKey(bytes);
    if (watch !== undefined && seenAt === watch.written()) known.set(userId, key);
    return key;
  };
  return {
    async createKey(tx, userId, organizationId) {
      const key = random.bytes(keyBytes);
      await putUserKey(tx, { keyring, random }, { userId, organizationId, key });
    },
    async seal(tx, userId, plaintext, context) {
      const key = recall(userId) ?? (await findSealingKey(tx, userId));
      if (key === undefined) return undefined;
      return encryptWith({
        key,
        plaintext: Buffer.from(plaintext, "utf8"),
        context,
        nonce: random.bytes(12),
        head: [format],
      });
    },
    async open(tx, userId, sealed, context) {
      const key = await findKey(tx, userId);
      if (key === undefined) return undefined;
      if (sealed[0] !== format) throw new UnreadableError("personal data of an unknown format");
      const value = sealed.subarray(1);
      const opened = orUnreadable("sealed data", () => decryptWith({ key, value, context }));
      return Buffer.from(opened).toString("utf8");
    },
  };
}

/** Returns the id of the secret that is the key of an organization. Without it, nothing opens the keys of its users. */
export function organizationKeyId(organizationId: string): string {
  return `organization-key:${organizationId}`;
}

/** Says whether the key of a user is under that of an organization, as all are that this version has made. */
export function isUnderOrganization({ keyId }: Pick<StoredSecret, "keyId">): boolean {
  return keyId.startsWith(underOrganization);
}

/** Opens the key of a user; undefined when that of the organization is destroyed. Throws UnreadableError. */
export async function openUserKey(
  tx: ReadTransaction,
  keyring: Keyring,
  { userId, wrapped }: { readonly userId: string; readonly wrapped: StoredSecret },
): Promise<Uint8Array | undefined> {
  const { keyId, value } = wrapped;
  if (!isUnderOrganization(wrapped))
    return orUnreadable("the key of the user", () => keyring.decrypt("user-key", wrapped, userId));
  const key = await findOrganizationKey(tx, keyring, keyId.slice(underOrganization.length));
  return key && orUnreadable("the key of the user", () => decryptWith({ key, value, context: userId }));
}

/** Stores the key of a user under that of the organization, which is made when it has none. Throws UnreadableError. */
export async function putUserKey(
  tx: WriteTransaction,
  { keyring, random }: { readonly keyring: Keyring; readonly random: Random },
  user: { readonly userId: string; readonly organizationId: string; readonly key: Uint8Array },
): Promise<void> {
  const { userId, organizationId, key: plaintext } = user;
  let key = await findOrganizationKey(tx, keyring, organizationId);
  if (key === undefined) {
    key = random.bytes(keyBytes);
    const wrapped = keyring.encrypt("organization-key", key, organizationId);
    await putSecret(tx, organizationKeyId(organizationId), wrapped);
  }
  await putSecret(tx, secretIdOf(userId), {
    keyId: `${underOrganization}${organizationId}`,
    value: encryptWith({ key, plaintext, context: userId, nonce: random.bytes(12) }),
  });
}

async function findOrganizationKey(
  tx: ReadTransaction,
  keyring: Keyring,
  id: string,
): Promise<Uint8Array | undefined> {
  const wrapped = await findSecret(tx, organizationKeyId(id));
  return (
    wrapped &&
    orUnreadable("the key of the organization", () => keyring.decrypt("organization-key", wrapped, id))
  );
}

function secretIdOf(userId: string): string {
  return `${userKeyPrefix}${userId}`;
}

function orUnreadable<T>(what: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UnreadableError(`${what} cannot be opened: ${reason}`, { cause });
  }
}
