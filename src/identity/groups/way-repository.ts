import type { ReadTransaction } from "../../kernel/base/database.ts";
import { isAmong } from "../../kernel/base/sql.ts";
import { type PeriodRow, toPeriod } from "../rights-in-time/period-columns.ts";
import type { Period } from "../rights-in-time/period.ts";

/** A way by which a user is in a group, in effect or not. */
export interface WayIntoGroup {
  /** Each group is a member of the next; the user is a member of the first. A shortest one where groups have several. */
  readonly groupIds: readonly string[];
  /** When the user is a member of the first. */
  readonly period: Period;
}

/** Finds the ways by which the user is in these groups: one for each group that the user is a direct member of, by the id of the outer group. */
export async function findWaysIntoGroups(
  tx: ReadTransaction,
  userId: string,
  outerIds: readonly string[],
): Promise<ReadonlyMap<string, readonly WayIntoGroup[]>> {
  if (outerIds.length === 0) return new Map();
  const outer = isAmong("n.outer_id", outerIds);
  // A CROSS JOIN of SQLite keeps its order: the user leads to the groups.
  const rows = await tx.all<PeriodRow & { readonly inner_id: string; readonly outer_id: string }>(
    `SELECT n.inner_id, n.outer_id, m.start_date, m.end_date FROM group_members m CROSS JOIN nested_groups n
     WHERE m.user_id = ? AND n.inner_id = m.group_id AND ${outer.sql} ORDER BY m.creation_date, n.inner_id`,
    [userId, ...outer.parameters],
  );
  const parentsOf = await readParents(tx, new Set(rows.map((row) => row.inner_id)));
  const ways = rows.map((row) => ({
    outerId: row.outer_id,
    way: { groupIds: findPath(parentsOf, row.inner_id, row.outer_id), period: toPeriod(row) },
  }));
  const byOuter = Map.groupBy(ways, ({ outerId }) => outerId);
  return new Map([...byOuter].map(([id, found]) => [id, found.map(({ way }) => way)]));
}

type Parents = ReadonlyMap<string, readonly string[]>;

/** Reads which groups each of the groups around these is a direct member of. */
async function readParents(tx: ReadTransaction, innerIds: ReadonlySet<string>): Promise<Parents> {
  if (innerIds.size === 0) return new Map();
  const inner = isAmong("n.inner_id", [...innerIds]);
  const rows = await tx.all<{ readonly child: string; readonly parent: string }>(
    `SELECT DISTINCT s.subgroup_id AS child, s.group_id AS parent FROM nested_groups n CROSS JOIN subgroups s
     WHERE ${inner.sql} AND s.subgroup_id = n.outer_id`,
    inner.parameters,
  );
  const byChild = Map.groupBy(rows, ({ child }) => child);
  return new Map([...byChild].map(([id, found]) => [id, found.map(({ parent }) => parent)]));
}

/** Finds a shortest path; there is one, and no circle. */
function findPath(parentsOf: Parents, from: string, to: string): readonly string[] {
  let paths: readonly (readonly string[])[] = [[from]];
  while (paths.length > 0) {
    const found = paths.find((path) => path.at(-1) === to);
    if (found !== undefined) return found;
    paths = paths.flatMap((path) =>
      (parentsOf.get(path.at(-1) ?? "") ?? []).map((parent) => path.concat(parent)),
    );
  }
  return [from, to];
}
