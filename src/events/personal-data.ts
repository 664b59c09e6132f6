import { createSecretKey, type KeyObject } from "node:crypto";
import type { Database, ReadTransaction, TableWatch, WriteTransaction } from "../base/database.ts";
import { decryptWith, encryptWith, type Keyring } from "../base/keyring.ts";
import type { Random } from "../base/random.ts";
import {
  findSecret,
  findWrappedSecrets,
  putSecret,
  type StoredSecret,
  type WrappedSecret,
} from "./secret-store.ts";

/**
 * Encrypts personal data in the log with a key per user. The key of the organization wraps the keys of its users, and
 * the master key wraps the key of the organization, so destroying that one key destroys the keys of all its users.
 */
export interface PersonalData {
  /** Makes the key of a new user of the organization. */
  createKey(tx: WriteTransaction, userId: string, organizationId: string): Promise<void>;
  /** Encrypts; undefined when the user has no key (any more), so that nothing about them is stored. */
  seal(
    tx: WriteTransaction,
    userId: string,
    plaintext: string,
    context: string,
  ): Promise<Uint8Array | undefined>;
  /** Decrypts; undefined when the key has been destroyed. Throws UnreadableError. */
  open(tx: ReadTransaction, userId: string, sealed: Uint8Array, context: string): Promise<string | undefined>;
  /** Reads the keys of these users together, for what is opened in the same transaction. */
  loadKeys(tx: ReadTransaction, userIds: readonly string[]): Promise<LoadedKeys>;
}

/** Keys of some users, as they were when they were read. */
export interface LoadedKeys {
  /** As `PersonalData.open`; undefined also for a user whose key was not asked for. */
  open(userId: string, sealed: Uint8Array, context: string): string | undefined;
}

/** Encrypted data or its key was changed, or the master key of that key is missing. */
export class UnreadableError extends Error {}

/** Prefix of the id of the secret that holds a user's key; the id of the user follows. */
export const userKeyPrefix = "user-key:";

/** Prefix of the key id of a secret that is wrapped by the key of an organization. No master key has such an id. */
const underOrganization = "organization:";

const format = 1;
const keyBytes = 32;

/** A few hundred kilobytes. */
const maxRemembered = 1000;

/**
 * Creates the encryption of personal data. Encrypted data is one byte for the format and the result of `encryptWith`.
 * Given the database that it writes to, it remembers the keys that it encrypts with until a secret is written.
 */
export function createPersonalData(
  keyring: Keyring,
  random: Random,
  database?: Pick<Database, "watch">,
): PersonalData {
  const watch = database?.watch(["secrets"]);
  let known = new Map<string, KeyObject>();
  let seenAt = watch?.written();
  const loadKeys: PersonalData["loadKeys"] = async (tx, userIds) => {
    const found = await findWrappedSecrets(tx, [...new Set(userIds)].map(secretIdOf));
    return createLoadedKeys(keyring, found);
  };
  const findKey = async (tx: ReadTransaction, userId: string) => {
    const id = secretIdOf(userId);
    const stored = (await findWrappedSecrets(tx, [id])).get(id);
    return stored && openWrappedKey(keyring, userId, stored);
  };
  const made = createMadeKeys(watch);
  /**
   * Only in writes, which see the current secrets: a reader could bring back a key that was destroyed in the
   * meantime. `written()` tells of every process: other processes cannot commit until this write has ended.
   */
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
    // Not while secrets are being written: what is undone must not be remembered.
    if (watch !== undefined && seenAt === watch.written() && seenAt === watch.committed())
      known.set(userId, key);
    return key;
  };
  return {
    async createKey(tx, userId, organizationId) {
      const key = random.bytes(keyBytes);
      await putUserKey(tx, { keyring, random }, { userId, organizationId, key });
      made.add(tx, userId, key);
    },
    async seal(tx, userId, plaintext, context) {
      const key = made.find(tx, userId) ?? recall(userId) ?? (await findSealingKey(tx, userId));
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
      return (await loadKeys(tx, [userId])).open(userId, sealed, context);
    },
    loadKeys,
  };
}

/** Remembers the last key that was made in a transaction, as long as no other secret is written in it. */
function createMadeKeys(watch: TableWatch | undefined) {
  const made = new WeakMap<
    WriteTransaction,
    { readonly userId: string; readonly key: KeyObject; readonly writtenAt: number }
  >();
  return {
    add(tx: WriteTransaction, userId: string, key: Uint8Array): void {
      if (watch !== undefined)
        made.set(tx, { userId, key: createSecretKey(key), writtenAt: watch.written() });
    },
    find(tx: WriteTransaction, userId: string): KeyObject | undefined {
      const last = made.get(tx);
      return last?.userId === userId && last.writtenAt === watch?.written() ? last.key : undefined;
    },
  };
}

function createLoadedKeys(keyring: Keyring, stored: ReadonlyMap<string, WrappedSecret>): LoadedKeys {
  const opened = new Map<string, Uint8Array | undefined>();
  return {
    open(userId, sealed, context) {
      const found = stored.get(secretIdOf(userId));
      if (found === undefined) return undefined;
      const key = opened.get(userId) ?? openWrappedKey(keyring, userId, found);
      opened.set(userId, key);
      if (key === undefined) return undefined;
      if (sealed[0] !== format) throw new UnreadableError("personal data in an unknown format");
      const value = sealed.subarray(1);
      const text = orUnreadable("sealed data", () => decryptWith({ key, value, context }));
      return Buffer.from(text).toString("utf8");
    },
  };
}

/**
 * Returns the id of the secret that holds the key of an organization. Without it, the keys of its users cannot be
 * opened.
 */
export function organizationKeyId(organizationId: string): string {
  return `organization-key:${organizationId}`;
}

/** Says whether the key of a user is wrapped by the key of an organization, as in all keys made by this version. */
export function isUnderOrganization({ keyId }: Pick<StoredSecret, "keyId">): boolean {
  return keyId.startsWith(underOrganization);
}

/** Opens the key of a user; undefined when the key of the organization has been destroyed. Throws UnreadableError. */
export async function openUserKey(
  tx: ReadTransaction,
  keyring: Keyring,
  { userId, wrapped }: { readonly userId: string; readonly wrapped: StoredSecret },
): Promise<Uint8Array | undefined> {
  const organizationKey = isUnderOrganization(wrapped)
    ? await findSecret(tx, organizationKeyId(organizationOf(wrapped)))
    : undefined;
  return openWrappedKey(keyring, userId, { wrapped, organizationKey });
}

/** Opens the key of a user; undefined when the key of the organization has been destroyed. Throws UnreadableError. */
function openWrappedKey(
  keyring: Keyring,
  userId: string,
  { wrapped, organizationKey }: WrappedSecret,
): Uint8Array | undefined {
  const what = "the key of the user";
  if (!isUnderOrganization(wrapped))
    return orUnreadable(what, () => keyring.decrypt("user-key", wrapped, userId));
  if (organizationKey === undefined) return undefined;
  const key = openOrganizationKey(keyring, organizationOf(wrapped), organizationKey);
  return orUnreadable(what, () => decryptWith({ key, value: wrapped.value, context: userId }));
}

function openOrganizationKey(keyring: Keyring, id: string, wrapped: StoredSecret): Uint8Array {
  return orUnreadable("the key of the organization", () => keyring.decrypt("organization-key", wrapped, id));
}

/** Returns the organization by whose key something is wrapped. */
function organizationOf({ keyId }: StoredSecret): string {
  return keyId.slice(underOrganization.length);
}

/**
 * Stores the key of a user, wrapped by the key of the organization, which is made if it does not exist yet. Throws
 * UnreadableError.
 */
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
  return wrapped && openOrganizationKey(keyring, id, wrapped);
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
