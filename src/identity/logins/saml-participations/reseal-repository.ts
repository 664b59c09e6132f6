import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, SessionId } from "../../../kernel/base/ids.ts";
import type { Keyring } from "../../../kernel/base/keyring.ts";
import { resealNameId, type StoredName } from "./saml-participation.ts";

const table = "saml_participations";
const primaryKey = "session_id, application_id, name_id_hash";

/** Counts the names that need each master key, by key id: those of sessions whose time is not over. */
export async function countSamlNamesByKey(
  tx: ReadTransaction,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.all<{ key_id: string; count: number }>(
    `SELECT key_id, COUNT(*) AS count FROM ${table} WHERE expiration_ms > ? GROUP BY key_id`,
    [nowMs],
  );
  return new Map(rows.map((row) => [row.key_id, row.count]));
}

/** How far a walk over all names has come: the session, the application and the hash of the last one. */
export type NamePosition = readonly [sessionId: string, applicationId: string, nameIdHash: string];

/** Before all names. */
export const beforeAllNames: NamePosition = ["", "", ""];

/**
 * Encrypts some names again with the master key that encrypts: those that follow `after`. A name that nobody can open stays as it is. The
 * result says how many were encrypted and the last that was read, undefined at the end.
 */
export async function resealSamlNames(
  tx: WriteTransaction,
  keyring: Keyring,
  after: NamePosition,
): Promise<{ readonly count: number; readonly last: NamePosition | undefined }> {
  const rows = await tx.all<NameRow>(
    `SELECT ${primaryKey}, key_id, name_id FROM ${table}
     WHERE (${primaryKey}) > (?, ?, ?) ORDER BY ${primaryKey} LIMIT ${portion}`,
    after,
  );
  let count = 0;
  for (const row of rows) {
    const sealed = resealNameId(keyring, toName(row));
    if (sealed === undefined) continue;
    await tx.run(`UPDATE ${table} SET key_id = ?, name_id = ? WHERE (${primaryKey}) = (?, ?, ?)`, [
      sealed.keyId,
      sealed.value,
      ...toPosition(row),
    ]);
    count += 1;
  }
  const last = rows[portion - 1];
  return { count, last: last && toPosition(last) };
}

/** How many names are encrypted before other work gets a turn. */
const portion = 500;

interface NameRow {
  readonly session_id: SessionId;
  readonly application_id: ApplicationId;
  readonly name_id_hash: string;
  readonly key_id: string;
  readonly name_id: Uint8Array;
}

function toPosition(row: NameRow): NamePosition {
  return [row.session_id, row.application_id, row.name_id_hash];
}

function toName(row: NameRow): StoredName {
  return {
    sessionId: row.session_id,
    applicationId: row.application_id,
    nameIdHash: row.name_id_hash,
    sealedNameId: { keyId: row.key_id, value: row.name_id },
  };
}
