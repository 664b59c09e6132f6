import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import type { ApplicationId, SessionId, UserId } from "../../base/ids.ts";
import type { Keyring } from "../../base/keyring.ts";
import { insertSql, isAmong } from "../../base/sql.ts";
import type { Projection } from "../../events/event.ts";
import type { SamlNameIdFormat } from "../applications/saml/saml-settings.ts";
import {
  maxNamesOfFormat,
  type NewSamlParticipation,
  resealNameId,
  type SamlParticipation,
} from "./saml-participation.ts";

const table = "saml_participations";

/**
 * What events do to participations, which are not made from the log. The end of a session leaves them, because whoever logs out
 * afterwards has to tell the applications of that session; they go when the time of the session is over.
 */
export const samlParticipationProjection: Projection = {
  tables: [],
  on: {
    "user.removed": (tx, { aggregateId }) => removeWhere(tx, "user_id = ?", aggregateId),
    "application.removed": (tx, { aggregateId }) => removeWhere(tx, "application_id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) =>
      removeWhere(
        tx,
        "application_id IN (SELECT id FROM stored_applications WHERE project_id = ?)",
        aggregateId,
      ),
    async "organization.removed"(tx, { aggregateId }) {
      await removeWhere(tx, "user_organization_id = ?", aggregateId);
      await removeWhere(tx, "application_organization_id = ?", aggregateId);
    },
  },
};

const columns = [
  "session_id",
  "application_id",
  "user_id",
  "name_id_format",
  "name_id_hash",
  "key_id",
  "name_id",
  "session_index",
  "authentication_ms",
  "expiration_ms",
] as const;
const primaryKey = "session_id, application_id, name_id_hash";
const select = `SELECT ${columns.join(", ")} FROM ${table}`;
const upsert = `${insertSql(table, [...columns, "user_organization_id", "application_organization_id", "name_number"])}
  ON CONFLICT (${primaryKey}) DO UPDATE SET name_id_format = excluded.name_id_format,
    key_id = excluded.key_id, name_id = excluded.name_id, session_index = excluded.session_index,
    authentication_ms = excluded.authentication_ms, expiration_ms = excluded.expiration_ms, name_number = excluded.name_number`;
const ofPart = "session_id = ? AND application_id = ?";

/** An application within a session. */
export interface SessionPart {
  readonly sessionId: SessionId;
  readonly applicationId: ApplicationId;
}

/**
 * Stores a participation beside those of the application in the session under other names, as the last one. Of its format, no more than
 * `maxNamesOfFormat` stay.
 */
export async function putParticipation(
  tx: WriteTransaction,
  participation: NewSamlParticipation,
): Promise<void> {
  const { sessionId, applicationId, nameIdFormat, nameIdHash } = participation;
  const given = await tx.all<Pick<ParticipationRow, "name_id_hash" | "name_id_format" | "name_number">>(
    `SELECT name_id_hash, name_id_format, name_number FROM ${table} WHERE ${ofPart} ORDER BY name_number DESC`,
    [sessionId, applicationId],
  );
  const ofFormat = given.filter(
    (each) => each.name_id_format === nameIdFormat && each.name_id_hash !== nameIdHash,
  );
  for (const { name_id_hash: forgotten } of ofFormat.slice(maxNamesOfFormat[nameIdFormat] - 1))
    await tx.run(`DELETE FROM ${table} WHERE ${ofPart} AND name_id_hash = ?`, [
      sessionId,
      applicationId,
      forgotten,
    ]);
  await tx.run(upsert, [
    sessionId,
    applicationId,
    participation.userId,
    nameIdFormat,
    nameIdHash,
    participation.sealedNameId.keyId,
    participation.sealedNameId.value,
    participation.sessionIndex,
    participation.authenticationDateMs,
    participation.expirationMs,
    participation.userOrganizationId,
    participation.applicationOrganizationId,
    (given[0]?.name_number ?? 0) + 1,
  ]);
}

/** Lists the names that an application got in a session, which may be over: the last first, at most ten. */
export async function listNamesOfPart(
  tx: ReadTransaction,
  { sessionId, applicationId }: SessionPart,
): Promise<readonly SamlParticipation[]> {
  const rows = await tx.all<ParticipationRow>(`${select} WHERE ${ofPart} ORDER BY name_number DESC`, [
    sessionId,
    applicationId,
  ]);
  return rows.map(toParticipation);
}

/**
 * Lists who took part in sessions, which may be over, in the order of the ids of the sessions and the applications: each once, with the
 * name that it got last.
 */
export async function listParticipationsOfSessions(
  tx: ReadTransaction,
  sessionIds: readonly SessionId[],
): Promise<readonly SamlParticipation[]> {
  const named = await listNamesOfSessions(tx, sessionIds);
  return named.filter(({ sessionId, applicationId }, at) => {
    const before = named[at - 1];
    return before?.sessionId !== sessionId || before.applicationId !== applicationId;
  });
}

/** The same with all names, of each application the last first. */
export async function listNamesOfSessions(
  tx: ReadTransaction,
  sessionIds: readonly SessionId[],
): Promise<readonly SamlParticipation[]> {
  if (sessionIds.length === 0) return [];
  const among = isAmong("session_id", sessionIds);
  const rows = await tx.all<ParticipationRow>(
    `${select} WHERE ${among.sql} ORDER BY session_id, application_id, name_number DESC`,
    among.parameters,
  );
  return rows.map(toParticipation);
}

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
 * Encrypts some names anew with the master key that encrypts: those that follow `after`. A name that nobody can open stays as it is. The
 * result says how many were encrypted and the last that was read, undefined at the end.
 */
export async function resealSamlNames(
  tx: WriteTransaction,
  keyring: Keyring,
  after: NamePosition,
): Promise<{ readonly count: number; readonly last: NamePosition | undefined }> {
  const rows = await tx.all<ParticipationRow>(
    `${select} WHERE (${primaryKey}) > (?, ?, ?) ORDER BY ${primaryKey} LIMIT ${portion}`,
    after,
  );
  let count = 0;
  for (const row of rows) {
    const sealed = resealNameId(keyring, toParticipation(row));
    if (sealed === undefined) continue;
    await tx.run(`UPDATE ${table} SET key_id = ?, name_id = ? WHERE ${ofPart} AND name_id_hash = ?`, [
      sealed.keyId,
      sealed.value,
      ...toPosition(row),
    ]);
    count += 1;
  }
  const last = rows[portion - 1];
  return { count, last: last && toPosition(last) };
}

/** Says what a LogoutRequest names (SAML Core §3.7.1). */
export interface AskedParticipations {
  readonly applicationId: ApplicationId;
  readonly nameIdHash: string;
  /** Empty: whatever the index. */
  readonly sessionIndexes: readonly string[];
}

/**
 * Finds the participations of the application under that NameID, at most `maxFoundParticipations`, the latest first. Also those of sessions that
 * are over.
 */
export async function findParticipations(
  tx: ReadTransaction,
  { applicationId, nameIdHash, sessionIndexes }: AskedParticipations,
): Promise<readonly SamlParticipation[]> {
  const among = isAmong("session_index", sessionIndexes);
  const indexes = sessionIndexes.length === 0 ? { sql: "TRUE", parameters: [] } : among;
  const rows = await tx.all<ParticipationRow>(
    `${select} WHERE application_id = ? AND name_id_hash = ? AND ${indexes.sql}
     ORDER BY authentication_ms DESC, session_id LIMIT ${maxFoundParticipations}`,
    [applicationId, nameIdHash, ...indexes.parameters],
  );
  return rows.map(toParticipation);
}

/** So many participations are found at most. */
export const maxFoundParticipations = 1000;

/** Removes an application that has ended its session from those that took part, under all its names. */
export async function removeParticipation(
  tx: WriteTransaction,
  { sessionId, applicationId }: SessionPart,
): Promise<void> {
  await tx.run(`DELETE FROM ${table} WHERE ${ofPart}`, [sessionId, applicationId]);
}

/** Deletes at most `limit` participations whose time is over. Returns how many. */
export async function deleteExpiredParticipations(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await removePortion(tx, { where: "expiration_ms <= ?", value: nowMs, limit });
}

/** How many rows go before other work gets a turn: an application may have any number. */
const portion = 500;

async function removeWhere(tx: WriteTransaction, where: string, value: string): Promise<void> {
  while ((await removePortion(tx, { where, value, limit: portion })) === portion) await tx.pause();
}

async function removePortion(
  tx: WriteTransaction,
  {
    where,
    value,
    limit,
  }: { readonly where: string; readonly value: string | number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM ${table} WHERE (${primaryKey}) IN (SELECT ${primaryKey} FROM ${table} WHERE ${where} LIMIT ?)`,
    [value, limit],
  );
}

interface ParticipationRow {
  readonly session_id: SessionId;
  readonly application_id: ApplicationId;
  readonly user_id: UserId;
  readonly name_id_format: SamlNameIdFormat;
  readonly name_id_hash: string;
  readonly key_id: string;
  readonly name_id: Uint8Array;
  readonly name_number: number;
  readonly session_index: string;
  readonly authentication_ms: number;
  readonly expiration_ms: number;
}

function toPosition(row: ParticipationRow): NamePosition {
  return [row.session_id, row.application_id, row.name_id_hash];
}

function toParticipation(row: ParticipationRow): SamlParticipation {
  return {
    sessionId: row.session_id,
    applicationId: row.application_id,
    userId: row.user_id,
    nameIdFormat: row.name_id_format,
    nameIdHash: row.name_id_hash,
    sealedNameId: { keyId: row.key_id, value: row.name_id },
    sessionIndex: row.session_index,
    authenticationDateMs: row.authentication_ms,
    expirationMs: row.expiration_ms,
  };
}
