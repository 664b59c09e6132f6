import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { OrganizationId, SessionId, UserId } from "../../../kernel/base/ids.ts";
import { defineListOfParts } from "../../../kernel/base/list.ts";
import { equals, insertSql, isAmong, unindexed, updateSql } from "../../../kernel/base/sql.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import {
  type LiveSession,
  type UserSession,
  type SessionCheck,
  sessionMethods,
  sessionNotFound,
  toLogin,
} from "./session.ts";
import { noteSessionLink, sessionLinkAppliers, toProvedLink } from "./session-link-repository.ts";
import { takenSessions } from "./taken-repository.ts";

const table = "sessions";

/** What a session is made from. */
const sessionColumns: readonly string[] = [
  "id",
  ...detailsColumns,
  "user_id",
  "state",
  "checks",
  "user_agent",
  "remote_address",
  "expiration_ms",
];

const select = `SELECT ${sessionColumns.join(", ")} FROM ${table}`;
const insertSession = insertSql(table, [...sessionColumns, "application_id"]);
const updateChecks = updateSql(table, ["checks", "sequence"]);
const updateState = updateSql(table, ["state", "sequence"]);

/** How events fill the table of sessions. Their values go with them. */
export const sessionProjection: Projection = {
  tables: [table, "session_links"],
  takenAlong: takenSessions,
  on: {
    ...sessionLinkAppliers,
    "session.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const checks = toMethods(payload.methods).map((method) => ({ method, dateMs: toMs(date) }));
      await tx.run(insertSession, [
        aggregateId,
        date,
        date,
        resourceOwner,
        payload.user_id,
        "ACTIVE",
        JSON.stringify(checks),
        payload.user_agent ?? null,
        payload.remote_address ?? null,
        Date.parse(payload.expiration_date),
        payload.application_id ?? null,
      ]);
      if (payload.methods.includes("IDP")) await noteSessionLink(tx, toProvedLink(aggregateId, payload));
    },
    "session.checked": async (tx, { aggregateId, date, payload }) => {
      const row = await tx.get<{ checks: string }>("SELECT checks FROM sessions WHERE id = ?", [aggregateId]);
      const checks = new Map(toChecks(row?.checks ?? "[]").map((check) => [check.method, check]));
      const dateMs = payload.auth_date === undefined ? toMs(date) : Date.parse(payload.auth_date);
      const { issuer } = payload;
      for (const method of toMethods([payload.method])) checks.set(method, { method, dateMs, issuer });
      await tx.run(updateChecks, [JSON.stringify([...checks.values()]), date, aggregateId]);
      if (payload.method === "IDP") await noteSessionLink(tx, toProvedLink(aggregateId, payload));
    },
    "session.terminated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["TERMINATED", date, aggregateId]);
      await tx.run("DELETE FROM session_values WHERE session_id = ?", [aggregateId]);
    },
    /** A user that was locked by a person loses the earlier sessions for good; too many wrong passwords end nothing. */
    "user.locked": async (tx, { aggregateId, date, payload }) => {
      if (payload.cause !== undefined) return;
      await removeValues(tx, `${ofUser} AND state = 'ACTIVE'`, aggregateId);
      await tx.run(
        "UPDATE sessions SET state = 'TERMINATED', sequence = ? WHERE user_id = ? AND state = 'ACTIVE'",
        [date, aggregateId],
      );
    },
    "user.removed": async (tx, { aggregateId }) => {
      await removeValues(tx, ofUser, aggregateId);
      await tx.run(`DELETE FROM session_links WHERE session_id IN (${ofUser})`, [aggregateId]);
      await tx.run("DELETE FROM sessions WHERE user_id = ?", [aggregateId]);
    },
  },
};

const ofUser = "SELECT id FROM sessions WHERE user_id = ?";

async function removeValues(tx: WriteTransaction, sessions: string, userId: string): Promise<void> {
  await tx.run(`DELETE FROM session_values WHERE session_id IN (${sessions})`, [userId]);
}

/** Returns the session, whatever its state, of a user of any organization that was not removed; or undefined. */
export async function findSession(tx: ReadTransaction, id: string): Promise<UserSession | undefined> {
  const row = await tx.get<SessionRow>(`${select} WHERE id = ? AND user_id IN (SELECT id FROM users)`, [id]);
  return row && toSession(row);
}

/** Returns the session if its user is of that organization. Raises NOT_FOUND. */
export async function getSession(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<UserSession> {
  const session = await findSession(tx, id);
  if (session?.details.resourceOwner !== organizationId) throw sessionNotFound(id);
  return session;
}

/** Which sessions of an organization are listed. */
export interface SessionFilter {
  /** Empty = of any user. */
  readonly userId: string;
  readonly state: UserSession["state"] | undefined;
}

/** A filter, and the organization. */
export interface AskedSessions extends SessionFilter {
  readonly of: OrganizationId;
}

/** The sessions of the users of an organization, also those that are over. */
export const sessionList = defineListOfParts<AskedSessions, SessionRow, UserSession>({
  name: "ListSessions",
  from: table,
  columns: sessionColumns,
  indexes: [["resource_owner"], ["resource_owner", "state"], ["user_id"], ["user_id", "state"]].map(
    (lead) => ({
      table,
      columns: [...lead, "creation_date", "id"],
      isUnique: false,
    }),
  ),
  keyOf: ({ userId, state = "" }) => [userId, state],
  partsOf({ of, userId, state }) {
    const inState = state === undefined ? [] : [equals("state", state)];
    if (userId === "") return [{ where: [equals("resource_owner", of), ...inState] }];
    return [{ where: [equals("user_id", userId), equals(unindexed("resource_owner"), of), ...inState] }];
  },
  toItems: (rows) => rows.map(toSession),
});

/** Lists the ACTIVE sessions of the user, oldest first. */
export async function listActiveSessions(
  tx: ReadTransaction,
  userId: string,
): Promise<readonly UserSession[]> {
  const rows = await tx.all<SessionRow>(
    `${select} WHERE user_id = ? AND state = 'ACTIVE' ORDER BY creation_date, id`,
    [userId],
  );
  return rows.map(toSession);
}

/**
 * Finds the session of a browser by the hash of its value. Undefined unless session, user and organization are ACTIVE, and it
 * has neither lasted nor rested too long.
 */
export async function findLiveSession(
  tx: ReadTransaction,
  valueHash: string,
  nowMs: number,
): Promise<LiveSession | undefined> {
  const row = await tx.get<LiveRow>(
    `SELECT ${sessionColumns.map((column) => `s.${column}`).join(", ")},
       u.resource_owner AS organization_id, u.lock_count
     FROM session_values v JOIN sessions s ON s.id = v.session_id
       JOIN users u ON u.id = s.user_id JOIN organizations o ON o.id = u.resource_owner
     WHERE v.hash = ? AND v.expiration_ms > ? AND s.expiration_ms > ?
       AND s.state = 'ACTIVE' AND u.state = 'ACTIVE' AND o.state = 'ACTIVE'`,
    [valueHash, nowMs, nowMs],
  );
  if (row === undefined) return undefined;
  const session = toSession(row);
  const user = { id: row.user_id, organizationId: row.organization_id, lockCount: row.lock_count };
  return { session, user, ...toLogin(session.checks) };
}

/** Stores the hash of the value that the browser sends from now on. Every former value of the session ends. */
export async function putSessionValue(
  tx: WriteTransaction,
  value: {
    readonly sessionId: SessionId;
    readonly hash: string;
    readonly nowMs: number;
    /** The session ends when it is not used for so long. */
    readonly idleMs: number;
  },
): Promise<void> {
  const { sessionId, hash, nowMs, idleMs } = value;
  await tx.run("DELETE FROM session_values WHERE session_id = ?", [sessionId]);
  await tx.run(insertSql("session_values", ["hash", "session_id", "used_ms", "expiration_ms"]), [
    hash,
    sessionId,
    nowMs,
    nowMs + idleMs,
  ]);
}

/** Finds the hash of the value that the browser of a session sends; undefined when the session is over. */
export async function findSessionValueHash(
  tx: ReadTransaction,
  sessionId: SessionId,
): Promise<string | undefined> {
  const sql = "SELECT hash FROM session_values WHERE session_id = ?";
  return (await tx.get<{ hash: string }>(sql, [sessionId]))?.hash;
}

/** A use is noted at most so often. */
const noteEveryMs = 60_000;

/** Notes that the session was used, so that it does not rest too long. Does nothing within a minute of the last note. */
export async function touchSession(
  tx: WriteTransaction,
  {
    sessionId,
    nowMs,
    idleMs,
  }: { readonly sessionId: SessionId; readonly nowMs: number; readonly idleMs: number },
): Promise<void> {
  await tx.run(
    "UPDATE session_values SET used_ms = ?, expiration_ms = ? WHERE session_id = ? AND used_ms <= ?",
    [nowMs, nowMs + idleMs, sessionId, nowMs - noteEveryMs],
  );
}

/** Lists ACTIVE sessions whose time is over: at most `limit` that have rested too long, and as many that have lasted too long. */
export async function listExpiredSessions(
  tx: ReadTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<readonly UserSession[]> {
  const values = await tx.all<{ session_id: SessionId }>(
    "SELECT session_id FROM session_values WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?",
    [nowMs, limit],
  );
  const ofValues = isAmong(
    "id",
    values.map(({ session_id: id }) => id),
  );
  const rested =
    values.length === 0
      ? []
      : await tx.all<SessionRow>(
          `${select} WHERE ${ofValues.sql} AND ${unindexed("state")} = 'ACTIVE'`,
          ofValues.parameters,
        );
  const lasted = await tx.all<SessionRow>(
    `${select} WHERE state = 'ACTIVE' AND expiration_ms <= ? ORDER BY expiration_ms LIMIT ?`,
    [nowMs, limit],
  );
  return [...new Map([...rested, ...lasted].map((row) => [row.id, toSession(row)])).values()];
}

interface SessionRow extends DetailsRow {
  readonly id: SessionId;
  readonly user_id: UserId;
  readonly state: UserSession["state"];
  readonly checks: string;
  readonly user_agent: string | null;
  readonly remote_address: string | null;
  readonly expiration_ms: number;
}

interface LiveRow extends SessionRow {
  readonly organization_id: OrganizationId;
  readonly lock_count: number;
}

function toSession(row: SessionRow): UserSession {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    userId: row.user_id,
    checks: toChecks(row.checks),
    userAgent: row.user_agent ?? "",
    remoteAddress: row.remote_address ?? "",
    expirationMs: row.expiration_ms,
  };
}

function toChecks(json: string): readonly SessionCheck[] {
  return JSON.parse(json) as readonly SessionCheck[]; // written above
}

function toMethods(names: readonly string[]) {
  return names.flatMap((name) => sessionMethods.find((method) => method === name) ?? []);
}

/** Converts the instant of an event. */
function toMs(micros: number): number {
  return Math.floor(micros / 1000);
}
