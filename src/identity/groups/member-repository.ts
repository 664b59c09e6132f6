import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { UserId } from "../../kernel/base/ids.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import { insertSql, isAmong } from "../../kernel/base/sql.ts";
import type { Appliers } from "../../kernel/events/event.ts";
import {
  notEnded,
  periodColumns,
  type PeriodRow,
  toLastEnds,
  toPeriod,
  toPeriodValues,
} from "../rights-in-time/period-columns.ts";
import type { Period } from "../rights-in-time/period.ts";
import type { GroupMembers } from "./group.ts";

const putMember = `${insertSql("group_members", ["user_id", "creation_date", "group_id", ...periodColumns])}
  ON CONFLICT (user_id, group_id) DO UPDATE SET start_date = excluded.start_date, end_date = excluded.end_date`;

/** How members come and go; part of the projection of groups. */
export const memberAppliers: Appliers = {
  "group.member.added": async (tx, { aggregateId, date, payload }) => {
    for (const userId of payload.user_ids)
      await tx.run(putMember, [userId, date, aggregateId, ...toPeriodValues(payload)]);
    for (const subgroupId of payload.group_ids) {
      await tx.run("INSERT INTO subgroups (subgroup_id, creation_date, group_id) VALUES (?, ?, ?)", [
        subgroupId,
        date,
        aggregateId,
      ]);
      await addPaths(tx, { innerId: subgroupId, outerId: aggregateId });
    }
    await move(tx, aggregateId, date);
  },
  "group.member.removed": async (tx, { aggregateId, date, payload }) => {
    for (const userId of payload.user_ids)
      await tx.run("DELETE FROM group_members WHERE user_id = ? AND group_id = ?", [userId, aggregateId]);
    for (const subgroupId of payload.group_ids)
      await removeSubgroup(tx, { innerId: subgroupId, outerId: aggregateId });
    await move(tx, aggregateId, date);
  },
  "user.removed": async (tx, { aggregateId, date }) => {
    await tx.run(
      "UPDATE stored_groups SET sequence = ? WHERE id IN (SELECT group_id FROM group_members WHERE user_id = ?)",
      [date, aggregateId],
    );
    await tx.run("DELETE FROM group_members WHERE user_id = ?", [aggregateId]);
  },
  "group_grant.added": async (tx, { payload }) => {
    await tx.run("UPDATE nested_groups SET has_grants = 1 WHERE outer_id = ? AND has_grants = 0", [
      payload.group_id,
    ]);
  },
};

/** Notes that a new group is in no other. */
export async function insertGroup(tx: WriteTransaction, id: string): Promise<void> {
  await tx.run("INSERT INTO nested_groups (inner_id, outer_id, paths, has_grants) VALUES (?, ?, 1, 0)", [
    id,
    id,
  ]);
}

/** Takes all members out of a group that is removed, and the group out of those that it is in. */
export async function removeAllMembers(tx: WriteTransaction, id: string, date: number): Promise<void> {
  const links = await tx.all<Link>(
    `SELECT subgroup_id AS "innerId", group_id AS "outerId" FROM subgroups WHERE group_id = ?
     UNION SELECT subgroup_id AS "innerId", group_id AS "outerId" FROM subgroups WHERE subgroup_id = ?`,
    [id, id],
  );
  for (const link of links) {
    await removeSubgroup(tx, link);
    if (link.outerId !== id) await move(tx, link.outerId, date);
  }
  await tx.run("DELETE FROM nested_groups WHERE inner_id = ?", [id]);
  for (;;) {
    const rows = await tx.all<{ user_id: string }>(
      `SELECT user_id FROM group_members WHERE group_id = ? LIMIT ${portion}`,
      [id],
    );
    for (const row of rows)
      await tx.run("DELETE FROM group_members WHERE user_id = ? AND group_id = ?", [row.user_id, id]);
    if (rows.length < portion) return;
    await tx.pause();
  }
}

/** After so many members other work gets a turn: a group may have a hundred thousand. */
const portion = 64;

/** One group that is a member of another. */
interface Link {
  readonly innerId: string;
  readonly outerId: string;
}

async function move(tx: WriteTransaction, id: string, date: number): Promise<void> {
  await tx.run("UPDATE stored_groups SET sequence = ? WHERE id = ?", [date, id]);
}

/** Each way into the inner group goes on along each way out of the outer one. */
const pathsAlong = `SELECT i.inner_id, o.outer_id, i.paths * o.paths, o.has_grants FROM nested_groups i JOIN nested_groups o ON TRUE
  WHERE i.outer_id = ? AND o.inner_id = ?
  ON CONFLICT (inner_id, outer_id) DO UPDATE SET paths = nested_groups.paths`;

async function addPaths(tx: WriteTransaction, { innerId, outerId }: Link): Promise<void> {
  await tx.run(
    `INSERT INTO nested_groups (inner_id, outer_id, paths, has_grants) ${pathsAlong} + excluded.paths`,
    [innerId, outerId],
  );
}

async function removeSubgroup(tx: WriteTransaction, { innerId, outerId }: Link): Promise<void> {
  const count = await tx.change("DELETE FROM subgroups WHERE subgroup_id = ? AND group_id = ?", [
    innerId,
    outerId,
  ]);
  if (count === 0) return;
  await tx.run(
    `INSERT INTO nested_groups (inner_id, outer_id, paths, has_grants) ${pathsAlong} - excluded.paths`,
    [innerId, outerId],
  );
  await tx.run(
    `DELETE FROM nested_groups WHERE paths = 0
       AND inner_id IN (SELECT i.inner_id FROM nested_groups i WHERE i.outer_id = ?)
       AND outer_id IN (SELECT o.outer_id FROM nested_groups o WHERE o.inner_id = ?)`,
    [innerId, outerId],
  );
}

/** Returns those of the members that the group has directly. */
export async function findMembers(
  tx: ReadTransaction,
  groupId: string,
  { userIds, groupIds }: GroupMembers,
): Promise<GroupMembers> {
  const find = async (table: string, column: string, ids: readonly string[]) => {
    if (ids.length === 0) return [];
    const named = isAmong(column, ids);
    const rows = await tx.all<{ id: string }>(
      `SELECT ${column} AS id FROM ${table} WHERE ${named.sql} AND group_id = ?`,
      [...named.parameters, groupId],
    );
    const found = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => found.has(id));
  };
  return {
    userIds: await find("group_members", "user_id", userIds),
    groupIds: await find("subgroups", "subgroup_id", groupIds),
  };
}

/** Lists the groups that the group is in, at all levels, and itself. */
export async function listOuterGroups(tx: ReadTransaction, groupId: string): Promise<readonly string[]> {
  const rows = await tx.all<{ id: string }>("SELECT outer_id AS id FROM nested_groups WHERE inner_id = ?", [
    groupId,
  ]);
  return rows.map(({ id }) => id);
}

/** A user in a group. */
export interface UserInGroup {
  readonly id: UserId;
  /** When the last of the ways ends by which the user is in it; `endless`: never. */
  readonly endDate: Instant;
}

/**
 * Lists the users who are in one of the groups, at all levels, or will be from a later start on, by their ids; each once. Users that were
 * in it until an end are left out. If there are more than `limit`, `limit` of them.
 */
export async function listUsersIn(
  tx: ReadTransaction,
  groupIds: readonly string[],
  limit: number,
): Promise<readonly UserInGroup[]> {
  if (groupIds.length === 0) return [];
  const outer = isAmong("outer_id", groupIds);
  const nested = await tx.all<{ id: string }>(
    `SELECT inner_id AS id FROM nested_groups WHERE ${outer.sql}`,
    outer.parameters,
  );
  const innerIds = [...new Set(nested.map(({ id }) => id))];
  const [inner, held] = [isAmong("m.group_id", innerIds), notEnded("m", tx.now())];
  // Beyond so many rows one of the groups alone has more than `limit`.
  const rows = await tx.all<{ readonly id: UserId; readonly end_date: Instant | null }>(
    `SELECT m.user_id AS id, m.end_date FROM group_members m WHERE ${inner.sql} AND ${held.sql} LIMIT ?`,
    [...inner.parameters, ...held.parameters, limit * innerIds.length],
  );
  const users = [...toLastEnds(rows)].map(([id, endDate]) => ({ id, endDate }));
  return users.toSorted((left, right) => (left.id < right.id ? -1 : 1)).slice(0, limit);
}

/** Finds when those of the users who are direct members of the group are so. */
export async function findPeriods(
  tx: ReadTransaction,
  groupId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, Period>> {
  if (userIds.length === 0) return new Map();
  const named = isAmong("user_id", userIds);
  const rows = await tx.all<PeriodRow & { readonly user_id: string }>(
    `SELECT user_id, start_date, end_date FROM group_members WHERE ${named.sql} AND group_id = ?`,
    [...named.parameters, groupId],
  );
  return new Map(rows.map((row) => [row.user_id, toPeriod(row)]));
}

/** Finds a group with a source among the groups that are in one of these, at all levels, and these. */
export async function findSourcedIn(
  tx: ReadTransaction,
  groupIds: readonly string[],
): Promise<string | undefined> {
  const outer = isAmong("n.outer_id", groupIds);
  const row = await tx.get<{ id: string }>(
    `SELECT s.id FROM nested_groups n JOIN stored_groups s ON s.id = n.inner_id
     WHERE ${outer.sql} AND (s.source_idp_id IS NOT NULL OR s.source_user_id IS NOT NULL) LIMIT 1`,
    outer.parameters,
  );
  return row?.id;
}

/** Says whether one of the users is a direct member of at least so many groups. */
export async function isAnyInManyGroups(
  tx: ReadTransaction,
  userIds: readonly string[],
  many: number,
): Promise<boolean> {
  if (userIds.length === 0) return false;
  const named = isAmong("user_id", userIds);
  const row = await tx.get<{ user_id: string }>(
    `SELECT user_id FROM group_members WHERE ${named.sql} GROUP BY user_id HAVING COUNT(*) >= ? LIMIT 1`,
    [...named.parameters, many],
  );
  return row !== undefined;
}

/** Which group is in which, over any number of steps. */
export interface Nesting {
  readonly innerId: string;
  readonly outerId: string;
}

/** Lists what the groups in one of these groups, and these, are in, and themselves: once for each way in. */
export async function listNestingsOfInner(
  tx: ReadTransaction,
  groupIds: readonly string[],
): Promise<readonly Nesting[]> {
  const outer = isAmong("i.outer_id", groupIds);
  return await tx.all<Nesting>(
    `SELECT n.inner_id AS "innerId", n.outer_id AS "outerId"
     FROM nested_groups i JOIN nested_groups n ON n.inner_id = i.inner_id WHERE ${outer.sql}`,
    outer.parameters,
  );
}

/** Lists what is in the groups that the group is in, and in itself. */
export async function listNestingsOfOuter(tx: ReadTransaction, groupId: string): Promise<readonly Nesting[]> {
  return await tx.all<Nesting>(
    `SELECT n.inner_id AS "innerId", n.outer_id AS "outerId"
     FROM nested_groups o JOIN nested_groups n ON n.outer_id = o.outer_id WHERE o.inner_id = ?`,
    [groupId],
  );
}

/**
 * Measures the longest chains that end and begin at a group: how many groups are above each other up to the outermost one, and down
 * to the innermost one, with itself.
 */
export async function measureDepth(
  tx: ReadTransaction,
  groupId: string,
): Promise<{ readonly up: number; readonly down: number }> {
  const along = async (from: string, to: string) => {
    const row = await tx.get<{ depth: number }>(
      `WITH RECURSIVE chain (id, depth) AS (
         SELECT id, 1 FROM stored_groups WHERE id = ? UNION SELECT s.${to}, c.depth + 1 FROM chain c JOIN subgroups s ON s.${from} = c.id)
       SELECT MAX(depth) AS depth FROM chain`,
      [groupId],
    );
    return row?.depth ?? 1;
  };
  return { up: await along("subgroup_id", "group_id"), down: await along("group_id", "subgroup_id") };
}
