import { type ReadTransaction, toInList, type WriteTransaction } from "../base/database.ts";
import type { Sealed } from "../base/keyring.ts";
import { checksumOfSecret } from "./checksum.ts";

/**
 * A row of the only table with secret material: ciphertexts, hashes of tokens and codes with the attempts at them,
 * challenges, wrapped keys. The table is not made from the log: `rebuild` keeps it. Ids are `<kind>:<id of the
 * object>`.
 */
export interface StoredSecret {
  /** The master key that the value depends on; empty when there is none (a plain hash). */
  readonly keyId: string;
  readonly value: Uint8Array;
}

/** Returns the secret with this id, or undefined. */
export async function findSecret(tx: ReadTransaction, id: string): Promise<StoredSecret | undefined> {
  const row = await tx.get<{ key_id: string; value: Uint8Array }>(
    "SELECT key_id, value FROM secrets WHERE id = ?",
    [id],
  );
  return row === undefined ? undefined : { keyId: row.key_id, value: row.value };
}

/** A secret, and the key of the organization by which it is wrapped; undefined if there is none, or not any more. */
export interface WrappedSecret {
  readonly wrapped: StoredSecret;
  readonly organizationKey: StoredSecret | undefined;
}

/** Returns the secrets with these ids, of which each may be wrapped by the key of an organization, by id. Reads once. */
export async function findWrappedSecrets(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WrappedSecret>> {
  if (ids.length === 0) return new Map();
  const list = toInList(ids);
  const rows = await tx.all<WrappedRow>(
    // The key id of what is wrapped is `organization:<id>`.
    `SELECT secrets.id, secrets.key_id, secrets.value, o.key_id AS organization_key_id, o.value AS organization_value
     FROM secrets LEFT JOIN secrets o ON o.id = 'organization-key:' || SUBSTR(secrets.key_id, 14)
     WHERE secrets.id IN ${list.sql}`,
    list.parameters,
  );
  return new Map(rows.map((row) => [row.id, toWrappedSecret(row)]));
}

type WrappedRow = { readonly id: string; readonly key_id: string; readonly value: Uint8Array } & (
  | { readonly organization_key_id: null }
  | { readonly organization_key_id: string; readonly organization_value: Uint8Array }
);

function toWrappedSecret(row: WrappedRow): WrappedSecret {
  return {
    wrapped: { keyId: row.key_id, value: row.value },
    organizationKey:
      row.organization_key_id === null
        ? undefined
        : { keyId: row.organization_key_id, value: row.organization_value },
  };
}

/** Returns secrets whose id starts with `prefix` and comes after `after`, in the order of ids. */
export async function listSecrets(
  tx: ReadTransaction,
  asked: { readonly prefix: string; readonly after: string; readonly limit: number },
): Promise<readonly (StoredSecret & { readonly id: string })[]> {
  const rows = await tx.all<{ id: string; key_id: string; value: Uint8Array }>(
    "SELECT id, key_id, value FROM secrets WHERE id > ? AND id < ? ORDER BY id LIMIT ?",
    [asked.after, `${asked.prefix}\u{10ffff}`, asked.limit],
  );
  return rows.map((row) => ({ id: row.id, keyId: row.key_id, value: row.value }));
}

/** Says whether any secret depends on the master key. Reads all of them. */
export async function isKeyNeeded(tx: ReadTransaction, keyId: string): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM secrets WHERE key_id = ? LIMIT 1", [keyId])) !== undefined;
}

/** Stores a secret whose id is new. Nobody can have remembered anything of it, so watches do not tell of it. */
export async function addSecret(
  tx: WriteTransaction,
  id: string,
  { keyId, value }: Sealed | StoredSecret,
): Promise<void> {
  await tx.run("INSERT INTO secrets (id, key_id, value, checksum) VALUES (?, ?, ?, ?)", [
    id,
    keyId,
    value,
    checksumOfSecret({ id, key_id: keyId, value }),
  ]);
}

/** Stores the secret, replacing any other with this id. */
export async function putSecret(
  tx: WriteTransaction,
  id: string,
  { keyId, value }: Sealed | StoredSecret,
): Promise<void> {
  await tx.run(
    `INSERT INTO secrets (id, key_id, value, checksum) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE
       SET key_id = excluded.key_id, value = excluded.value, checksum = excluded.checksum`,
    [id, keyId, value, checksumOfSecret({ id, key_id: keyId, value })],
  );
}

/** Destroys the secret; does nothing if it does not exist. */
export async function removeSecret(tx: WriteTransaction, id: string): Promise<void> {
  await tx.run("DELETE FROM secrets WHERE id = ?", [id]);
}

/** Destroys the secrets whose id is `prefix` followed by an `id` that the query returns. */
export async function removeSecretsOf(
  tx: WriteTransaction,
  prefix: string,
  ids: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  await tx.run(`DELETE FROM secrets WHERE id IN (SELECT ? || id FROM (${ids.sql}) AS named)`, [
    prefix,
    ...ids.parameters,
  ]);
}
