import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type InstanceId, toId } from "../../kernel/base/ids.ts";

/** Finds the id of the instance; undefined before the first start. Settings such as this are not in the log. */
export async function findInstanceId(tx: ReadTransaction): Promise<InstanceId | undefined> {
  const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE name = 'instance_id'");
  return row === undefined ? undefined : toId(row.value);
}

/** Stores the id of the instance, which never changes. */
export async function putInstanceId(tx: WriteTransaction, id: InstanceId): Promise<void> {
  await tx.run("INSERT INTO settings (name, value) VALUES ('instance_id', ?)", [id]);
}

/** Returns the check values of the master keys that this database was used with, by key id. */
export async function listKeyChecks(tx: ReadTransaction): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await tx.all<{ name: string; value: string }>(
    "SELECT name, value FROM settings WHERE name LIKE 'key-check:%'",
  );
  return new Map(
    rows.map((row) => [
      row.name.slice("key-check:".length),
      new Uint8Array(Buffer.from(row.value, "base64")),
    ]),
  );
}

/** Stores the check value of a master key. */
export async function putKeyCheck(tx: WriteTransaction, keyId: string, value: Uint8Array): Promise<void> {
  await tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", [
    `key-check:${keyId}`,
    Buffer.from(value).toString("base64"),
  ]);
}

/** Finds the id of the master key that encrypts in all processes; undefined where one process uses the database. */
export async function findSealingKeyId(tx: ReadTransaction): Promise<string | undefined> {
  const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE name = 'sealing-key'");
  return row?.value;
}

/** Stores the id of the master key that encrypts in all processes. */
export async function putSealingKeyId(tx: WriteTransaction, keyId: string): Promise<void> {
  await tx.run(
    "INSERT INTO settings (name, value) VALUES ('sealing-key', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [keyId],
  );
}

/** Checks whether all keys of users are wrapped by the keys of their organizations. */
export async function areUserKeysOfOrganizations(tx: ReadTransaction): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM settings WHERE name = 'user-keys'")) !== undefined;
}

/** Notes that all keys of users are wrapped by the keys of their organizations. */
export async function noteUserKeysOfOrganizations(tx: WriteTransaction): Promise<void> {
  await tx.run(
    "INSERT INTO settings (name, value) VALUES ('user-keys', 'of organizations') ON CONFLICT (name) DO NOTHING",
  );
}

/** Checks whether the unique names with invisible characters are stored with their spellings. */
export async function areUniqueNamesSpelled(tx: ReadTransaction): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM settings WHERE name = 'unique-names'")) !== undefined;
}

/** Notes that they are. */
export async function noteUniqueNamesSpelled(tx: WriteTransaction): Promise<void> {
  await tx.run(
    "INSERT INTO settings (name, value) VALUES ('unique-names', 'spelled') ON CONFLICT (name) DO NOTHING",
  );
}

/**
 * Returns the sequence that the log had when the words of all that is found by words were noted first; Infinity when nothing is left
 * to be noted, undefined before the first time.
 */
export async function findSearchWordsSequence(tx: ReadTransaction): Promise<number | undefined> {
  const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE name = 'search-words'");
  return row && Number(row.value);
}

/** Stores that sequence. */
export async function putSearchWordsSequence(tx: WriteTransaction, sequence: number): Promise<void> {
  await tx.run(
    "INSERT INTO settings (name, value) VALUES ('search-words', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [String(sequence)],
  );
}

/**
 * Says whether the roles that were gained under earlier versions were removed from everything that was made in logins at identity
 * providers.
 */
export async function areFormerGainsChecked(tx: ReadTransaction): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM settings WHERE name = 'provider-logins'")) !== undefined;
}

/** Notes that it carries none. */
export async function noteFormerGainsChecked(tx: WriteTransaction): Promise<void> {
  await tx.run(
    "INSERT INTO settings (name, value) VALUES ('provider-logins', 'limited') ON CONFLICT (name) DO NOTHING",
  );
}

/** A link for the first administrator that was used, or is about to be. */
export interface UsedSetupLink {
  /** SHA-256 (base64url) of the random part of its code. */
  readonly hash: string;
  readonly expirationMs: number;
}

/** Says whether the link was used before. */
export async function isSetupLinkUsed(tx: ReadTransaction, { hash }: UsedSetupLink): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM used_setup_links WHERE hash = ?", [hash])) !== undefined;
}

/** Remembers until its expiry that the link was used. Returns whether this was its first use. */
export async function useSetupLink(tx: WriteTransaction, link: UsedSetupLink): Promise<boolean> {
  const added = await tx.change(
    "INSERT INTO used_setup_links (hash, expiration_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    [link.hash, link.expirationMs],
  );
  return added === 1;
}

/** Deletes at most `limit` uses of links that have expired, and returns how many. */
export async function deleteExpiredSetupLinks(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM used_setup_links WHERE hash IN
       (SELECT hash FROM used_setup_links WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}
