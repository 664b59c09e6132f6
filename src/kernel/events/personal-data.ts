import { createSecretKey, type KeyObject } from "node:crypto";
import type { Database, ReadTransaction, WriteTransaction } from "../base/database.ts";
import { decryptWith, encryptWith, type Keyring } from "../base/keyring.ts";
import type { Random } from "../base/random.ts";
import { createKnownKeys, type KnownKeys } from "./known-keys.ts";
import {
  addSecret,
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

/**
 * Creates the encryption of personal data. Encrypted data is one byte for the format and the result of `encryptWith`.
 * Given the database that it writes to, it remembers the keys that it encrypts with until a secret is written.
 */
export function createPersonalData(
  keyring: Keyring,
  random: Random,
  database?: Pick<Database, "watch">,
): PersonalData {
  const known = createKnownKeys(database?.watch(["secrets"]));
  const loadKeys: PersonalData["loadKeys"] = async (tx, userIds) => {
    const found = await findWrappedSecrets(tx, [...new Set(userIds)].map(secretIdOf));
    return createLoadedKeys(keyring, found);
  };
  const findKey = async (tx: ReadTransaction, userId: string) => {
    const id = secretIdOf(userId);
    const stored = (await findWrappedSecrets(tx, [id])).get(id);
    return stored && openWrappedKey(keyring, userId, stored);
  };
  const findSealingKey = async (tx: WriteTransaction, userId: string) => {
    const id = secretIdOf(userId);
    const remembered = known.find(tx, id);
    if (remembered !== undefined) return remembered;
    const bytes = await findKey(tx, userId);
    if (bytes === undefined) return undefined;
    const key = createSecretKey(bytes);
    known.addRead(tx, id, key);
    return key;
  };
  return {
    async createKey(tx, userId, organizationId) {
      const key = random.bytes(keyBytes);
      const id = secretIdOf(userId);
      await addSecret(
        tx,
        id,
        await wrapUserKey(tx, { keyring, random, known }, { userId, organizationId, key }),
      );
      known.addMade(tx, id, createSecretKey(key));
    },
    async seal(tx, userId, plaintext, context) {
      const key = await findSealingKey(tx, userId);
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

/** Returns the organization by whose key the key of a user is wrapped; undefined in keys that an earlier version made. */
export function organizationOfKey(stored: Pick<StoredSecret, "keyId">): string | undefined {
  return isUnderOrganization(stored) ? stored.keyId.slice(underOrganization.length) : undefined;
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
 * Wraps the key of a user by the key of the organization, which is made if it does not exist yet. `known` may be left out. Throws
 * UnreadableError.
 */
export async function wrapUserKey(
  tx: WriteTransaction,
  setup: { readonly keyring: Keyring; readonly random: Random; readonly known?: KnownKeys },
  user: { readonly userId: string; readonly organizationId: string; readonly key: Uint8Array },
): Promise<StoredSecret> {
  const { userId, organizationId, key: plaintext } = user;
  const key =
    (await findOrganizationKey(tx, setup, organizationId)) ??
    (await makeOrganizationKey(tx, setup, organizationId));
  return {
    keyId: `${underOrganization}${organizationId}`,
    value: encryptWith({ key, plaintext, context: userId, nonce: setup.random.bytes(12) }),
  };
}

async function findOrganizationKey(
  tx: WriteTransaction,
  { keyring, known }: { readonly keyring: Keyring; readonly known?: KnownKeys },
  organizationId: string,
): Promise<KeyObject | undefined> {
  const id = organizationKeyId(organizationId);
  const remembered = known?.find(tx, id);
  if (remembered !== undefined) return remembered;
  const wrapped = await findSecret(tx, id);
  if (wrapped === undefined) return undefined;
  const key = createSecretKey(openOrganizationKey(keyring, organizationId, wrapped));
  known?.addRead(tx, id, key);
  return key;
}

/** It replaces none, but as a secret that is put it is told of: while it may be undone, nobody remembers it. */
async function makeOrganizationKey(
  tx: WriteTransaction,
  { keyring, random }: { readonly keyring: Keyring; readonly random: Random },
  organizationId: string,
): Promise<KeyObject> {
  const key = random.bytes(keyBytes);
  await putSecret(
    tx,
    organizationKeyId(organizationId),
    keyring.encrypt("organization-key", key, organizationId),
  );
  return createSecretKey(key);
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
