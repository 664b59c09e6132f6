import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { ApplicationId, SessionId, UserId } from "../../../kernel/base/ids.ts";
import { insertSql, isAmong } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { SamlNameIdFormat } from "../../applications/saml/saml-settings.ts";
import { maxNamesOfFormat, type NewSamlParticipation, type SamlParticipation } from "./saml-participation.ts";

const table = "saml_participations";

/**
 * What events do to participations, which are not made from the log. The end of a session leaves them, because a user who logs out
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
const ofOthers = `${ofPart} AND name_id_format = ? AND name_id_hash <> ?`;

/** An application within a session. */
export interface SessionPart {
  readonly sessionId: SessionId;
  readonly applicationId: ApplicationId;
}

/**
 * Stores a participation as the last one of the application in the session; those with other names stay. Of its format, no more
 * than `maxNamesOfFormat` stay.
 */
export async function putParticipation(
  tx: WriteTransaction,
  participation: NewSamlParticipation,
): Promise<void> {
  const { sessionId, applicationId, nameIdFormat, nameIdHash } = participation;
  const others = [sessionId, applicationId, nameIdFormat, nameIdHash];
  const max = maxNamesOfFormat[nameIdFormat];
  const given = await tx.get<{ last: number | null; others: number }>(
    `SELECT MAX(name_number) AS last, COUNT(*) FILTER (WHERE name_id_format = ? AND name_id_hash <> ?) AS others
     FROM ${table} WHERE ${ofPart}`,
    [nameIdFormat, nameIdHash, sessionId, applicationId],
  );
  if ((given?.others ?? 0) >= max)
    await tx.run(
      `DELETE FROM ${table} WHERE ${ofOthers} AND name_number <=
         (SELECT name_number FROM ${table} WHERE ${ofOthers} ORDER BY name_number DESC LIMIT 1 OFFSET ?)`,
      [...others, ...others, max - 1],
    );
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
    (given?.last ?? 0) + 1,
  ]);
}

/** What an application got in a session, which may be over. */
export interface GivenNames {
  /** Undefined: it got no name. */
  readonly sessionIndex: string | undefined;
  /** How many names of the format it got that are remembered. */
  readonly count: number;
}

/** Counts the names of a format that an application got in a session. Reads none of them. */
export async function countNamesOfPart(
  tx: ReadTransaction,
  { sessionId, applicationId }: SessionPart,
  format: SamlNameIdFormat,
): Promise<GivenNames> {
  const row = await tx.get<{ session_index: string | null; count: number }>(
    `SELECT MAX(session_index) AS session_index, COUNT(*) FILTER (WHERE name_id_format = ?) AS count
     FROM ${table} WHERE ${ofPart}`,
    [format, sessionId, applicationId],
  );
  return { sessionIndex: row?.session_index ?? undefined, count: row?.count ?? 0 };
}

/** Finds the name of a format that an application got last in a session. */
export async function findLastName(
  tx: ReadTransaction,
  { sessionId, applicationId }: SessionPart,
  format: SamlNameIdFormat,
): Promise<SamlParticipation | undefined> {
  const row = await tx.get<ParticipationRow>(
    `${select} WHERE ${ofPart} AND name_id_format = ? ORDER BY name_number DESC LIMIT 1`,
    [sessionId, applicationId, format],
  );
  return row && toParticipation(row);
}

/**
 * Lists the applications that took part in sessions, which may be over, in the order of the ids of the sessions and the
 * applications: each once, with the name that it got last.
 */
export async function listParticipationsOfSessions(
  tx: ReadTransaction,
  sessionIds: readonly SessionId[],
): Promise<readonly SamlParticipation[]> {
  return await listRanked(tx, sessionIds, {
    ranks:
      "ROW_NUMBER() OVER (PARTITION BY session_id, application_id ORDER BY name_number DESC) AS from_last",
    where: "from_last = 1",
  });
}

/**
 * The same with the names by which an application is asked to end its session, at most ten: of each format the last two and the
 * first two, the last of all first. Which of them the application took is not known: a foreign page can make a browser fetch later
 * ones.
 */
export async function listNamesOfSessions(
  tx: ReadTransaction,
  sessionIds: readonly SessionId[],
): Promise<readonly SamlParticipation[]> {
  const ofFormat = "PARTITION BY session_id, application_id, name_id_format ORDER BY name_number";
  return await listRanked(tx, sessionIds, {
    ranks: `ROW_NUMBER() OVER (${ofFormat} DESC) AS from_last, ROW_NUMBER() OVER (${ofFormat}) AS from_first`,
    where: "from_last <= 2 OR from_first <= 2",
  });
}

/** Lists some of the names of each application in sessions, chosen by their ranks. */
async function listRanked(
  tx: ReadTransaction,
  sessionIds: readonly SessionId[],
  { ranks, where }: { readonly ranks: string; readonly where: string },
): Promise<readonly SamlParticipation[]> {
  if (sessionIds.length === 0) return [];
  const among = isAmong("session_id", sessionIds);
  const rows = await tx.all<ParticipationRow>(
    `SELECT ${columns.join(", ")} FROM
       (SELECT ${columns.join(", ")}, name_number, ${ranks} FROM ${table} WHERE ${among.sql}) AS ranked
     WHERE ${where} ORDER BY session_id, application_id, name_number DESC`,
    among.parameters,
  );
  return rows.map(toParticipation);
}

/** Says what a LogoutRequest names (SAML Core §3.7.1). */
export interface AskedParticipations {
  readonly applicationId: ApplicationId;
  readonly nameIdHash: string;
  /** Empty: whatever the index. */
  readonly sessionIndexes: readonly string[];
}

/**
 * Finds the participations of the application under that NameID, at most `maxFoundParticipations`, the latest first. Also those of
 * sessions that are over.
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
  readonly session_index: string;
  readonly authentication_ms: number;
  readonly expiration_ms: number;
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
