import { type ReadTransaction, toInList, type WriteTransaction } from "../../kernel/base/database.ts";
import type { Projection } from "../../kernel/events/event.ts";
import type { DeleteExpired } from "../delete-expired.ts";
import type { SessionMethod } from "../logins/sessions/session.ts";
import type { Count, CountKind, CountOfDay } from "./activity.ts";
import { decodeSketch, encodeSketch, mergeSketch, type Sketch } from "./sketch.ts";

/** What the numbers of all organizations together are kept under. */
export const wholeInstance = "";

/** How events take numbers away: the tables are kept beside the log, from which they are not made. */
export const activityProjection: Projection = {
  tables: [],
  on: {
    async "organization.removed"(tx, { aggregateId }) {
      await removeWhere(tx, "resource_owner = ?", aggregateId);
      await tx.run("DELETE FROM active_users WHERE resource_owner = ?", [aggregateId]);
    },
    "application.removed": (tx, { aggregateId }) =>
      removeWhere(tx, "kind = 'application' AND subject = ?", aggregateId),
  },
};

const portion = 500;

async function removeWhere(tx: WriteTransaction, condition: string, id: string): Promise<void> {
  const sql = `DELETE FROM activity_hours WHERE (resource_owner, hour, kind, subject) IN
    (SELECT resource_owner, hour, kind, subject FROM activity_hours WHERE ${condition} LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
}

/** Adds to what was counted in an hour: the number of hours since 1970. */
export async function addCount(
  tx: WriteTransaction,
  {
    owner,
    hour,
    of,
    count,
  }: { readonly owner: string; readonly hour: number; readonly of: Count; readonly count: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO activity_hours (resource_owner, hour, kind, subject, count) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (resource_owner, hour, kind, subject) DO UPDATE SET count = activity_hours.count + excluded.count`,
    [owner, hour, of.kind, of.subject, count],
  );
}

/** Adds the users of a sketch to those of a span. */
export async function addActiveUsers(
  tx: WriteTransaction,
  { owner, span, sketch }: { readonly owner: string; readonly span: number; readonly sketch: Sketch },
): Promise<void> {
  const sql = "SELECT sketch FROM active_users WHERE resource_owner = ? AND span = ?";
  const stored = await tx.get<{ sketch: Uint8Array }>(sql, [owner, span]);
  if (stored !== undefined) mergeSketch(sketch, decodeSketch(stored.sketch));
  await tx.run(
    `INSERT INTO active_users (resource_owner, span, sketch) VALUES (?, ?, ?)
     ON CONFLICT (resource_owner, span) DO UPDATE SET sketch = excluded.sketch`,
    [owner, span, encodeSketch(sketch)],
  );
}

/** Lists what was counted on each day from an hour on. The days begin so many hours earlier than in UTC. */
export async function listCountsOfDays(
  tx: ReadTransaction,
  owners: readonly string[],
  { fromHour, offsetHours }: { readonly fromHour: number; readonly offsetHours: number },
): Promise<readonly CountOfDay[]> {
  const { sql, parameters } = toInList(owners);
  const rows = await tx.all<{ hour: number; kind: CountKind; subject: string; count: number }>(
    `SELECT hour, kind, subject, CAST(SUM(count) AS BIGINT) AS count FROM activity_hours
     WHERE resource_owner IN ${sql} AND hour >= ? AND kind <> 'application' GROUP BY hour, kind, subject`,
    [...parameters, fromHour],
  );
  const dayOf = (hour: number) => Math.floor((hour + offsetHours) / 24);
  return rows.map(({ hour, kind, subject, count }) => ({ kind, subject, count, day: dayOf(hour) }));
}

/** Lists the applications with the most sign-ins from an hour on, at most 10, the most first. */
export async function listApplicationUses(
  tx: ReadTransaction,
  owners: readonly string[],
  fromHour: number,
): Promise<readonly { readonly appId: string; readonly count: number }[]> {
  const { sql, parameters } = toInList(owners);
  const rows = await tx.all<{ subject: string; count: number }>(
    `SELECT subject, CAST(SUM(count) AS BIGINT) AS count FROM activity_hours
     WHERE resource_owner IN ${sql} AND hour >= ? AND kind = 'application'
     GROUP BY subject ORDER BY 2 DESC, subject LIMIT 10`,
    [...parameters, fromHour],
  );
  return rows.map(({ subject, count }) => ({ appId: subject, count }));
}

/** Lists the sketches of the users who were active from a span on. */
export async function listSketches(
  tx: ReadTransaction,
  owners: readonly string[],
  fromSpan: number,
): Promise<readonly { readonly span: number; readonly sketch: Sketch }[]> {
  const { sql, parameters } = toInList(owners);
  const rows = await tx.all<{ span: number; sketch: Uint8Array }>(
    `SELECT span, sketch FROM active_users WHERE resource_owner IN ${sql} AND span >= ?`,
    [...parameters, fromSpan],
  );
  return rows.map(({ span, sketch }) => ({ span, sketch: decodeSketch(sketch) }));
}

/** No more users with a factor are counted. */
const mostUsers = 100_000;

/** What the users of each factor are counted by. */
const factorTables: readonly { readonly method: SessionMethod; readonly from: string }[] = [
  { method: "U2F", from: "second_factors WHERE type = 'U2F' AND state = 'READY'" },
  { method: "TOTP", from: "second_factors WHERE type = 'TOTP' AND state = 'READY'" },
  { method: "PASSKEY", from: "passkeys WHERE state = 'READY'" },
  { method: "RECOVERY_CODE", from: "recovery_codes WHERE remaining > 0" },
  { method: "IDP", from: "idp_links WHERE is_questioned = 0" },
];

/** Counts the users with each factor, those of some organizations or all, the most first. */
export async function listFactorUses(
  tx: ReadTransaction,
  owners: readonly string[] | undefined,
): Promise<readonly { readonly method: SessionMethod; readonly users: number }[]> {
  const { sql, parameters } = owners === undefined ? { sql: "", parameters: [] } : toInList(owners);
  const within = owners === undefined ? "" : `AND resource_owner IN ${sql}`;
  const uses: { method: SessionMethod; users: number }[] = [];
  for (const { method, from } of factorTables) {
    const row = await tx.get<{ users: number }>(
      `SELECT COUNT(*) AS users FROM (SELECT DISTINCT user_id FROM ${from} ${within} LIMIT ${mostUsers}) AS found`,
      parameters,
    );
    uses.push({ method, users: row?.users ?? 0 });
  }
  return uses.filter(({ users }) => users > 0).toSorted((a, b) => b.users - a.users);
}

/** The longest time that is looked back, with a day at both ends. */
const keptHours = 92 * 24;

/** Deletes numbers that nobody asks for any more, a portion at a time. */
export const deleteOldCounts: DeleteExpired = async (tx, { nowMs, limit }) =>
  await tx.change(
    `DELETE FROM activity_hours WHERE (resource_owner, hour, kind, subject) IN
       (SELECT resource_owner, hour, kind, subject FROM activity_hours WHERE hour < ? ORDER BY hour LIMIT ?)`,
    [Math.floor(nowMs / 3_600_000) - keptHours, limit],
  );

/** Likewise the active users. */
export const deleteOldActiveUsers: DeleteExpired = async (tx, { nowMs, limit }) =>
  await tx.change(
    `DELETE FROM active_users WHERE (resource_owner, span) IN
       (SELECT resource_owner, span FROM active_users WHERE span < ? ORDER BY span LIMIT ?)`,
    [Math.floor((nowMs / 3_600_000 - keptHours) / 6), limit],
  );
