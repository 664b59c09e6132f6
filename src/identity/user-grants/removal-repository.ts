import type { SqlValue, WriteTransaction } from "../../kernel/base/database.ts";
import { unindexed } from "../../kernel/base/sql.ts";
import type { Appliers, TakenAlong } from "../../kernel/events/event.ts";
import { projectsOfOrganization, usersOfOrganization } from "../../kernel/events/taken-along.ts";
import { toRoleKeys, userGrantColumns, type UserGrantRow } from "./grant-rows.ts";
import { removeRoleRows } from "./role-row-repository.ts";

/** The effects of other removals on grants, and the removal of grants themselves. */
export const removalAppliers: Appliers = {
  "user_grant.removed": (tx, { aggregateId }) => removeGrants(tx, "id = ?", aggregateId),
  "user.removed": (tx, { aggregateId }) => removeGrants(tx, "user_id = ?", aggregateId),
  "project.removed": (tx, { aggregateId }) => removeGrants(tx, "project_id = ?", aggregateId),
  "project.role.removed": (tx, { aggregateId, date, payload }) =>
    removeRoles(tx, date, { of: ofProject(aggregateId), isLost: (key) => key === payload.role_key }),
  "project_grant.changed": (tx, { aggregateId, date, payload }) => {
    const kept = new Set(payload.role_keys);
    return removeRoles(tx, date, { of: ofProjectGrant(aggregateId), isLost: (key) => !kept.has(key) });
  },
  "project_grant.removed": (tx, { aggregateId }) => removeGrants(tx, restsOnProjectGrant, aggregateId),
};

/** The grants that go with another object. Those that only lose a role stay. */
export const takenUserGrants: TakenAlong = {
  "user.removed": [{ type: "user_grant", rows: ["SELECT 1 FROM user_grants WHERE user_id = :id"] }],
  "project.removed": [{ type: "user_grant", rows: ["SELECT 1 FROM user_grants WHERE project_id = :id"] }],
  "project_grant.removed": [
    {
      type: "user_grant",
      rows: ["SELECT 1 FROM user_grants WHERE project_grant_id = :id AND project_grant_id <> ''"],
    },
  ],
  // Its own user grants, those of other organizations on its projects, and those of its users in other organizations on other
  // projects.
  "organization.removed": [
    {
      type: "user_grant",
      rows: ["SELECT 1 FROM user_grants WHERE resource_owner = :id"],
      ofEach: [
        {
          parents: projectsOfOrganization,
          rows: "SELECT 1 FROM user_grants WHERE project_id IN :ids AND resource_owner < :id",
        },
        {
          parents: projectsOfOrganization,
          rows: "SELECT 1 FROM user_grants WHERE project_id IN :ids AND resource_owner > :id",
        },
        {
          parents: usersOfOrganization,
          rows: `SELECT 1 FROM user_grants g JOIN projects p ON p.id = g.project_id AND ${unindexed("p.resource_owner")} <> :id
           WHERE g.user_id IN :ids AND ${unindexed("g.resource_owner")} <> :id`,
        },
      ],
    },
  ],
};

const columns = userGrantColumns.join(", ");

/** The second condition is that of the partial index, which SQLite uses only where a query repeats it. */
const restsOnProjectGrant = "project_grant_id = ? AND project_grant_id <> ''";

/**
 * Number of grants that are handled, within a few milliseconds, before other work gets a turn: there may be a
 * million.
 */
const portion = 64;

/** Removes the grants that match a condition on one value. */
async function removeGrants(tx: WriteTransaction, where: string, value: string): Promise<void> {
  const read = () =>
    tx.all<UserGrantRow>(`SELECT ${columns} FROM stored_user_grants WHERE ${where} LIMIT ${portion}`, [
      value,
    ]);
  for (let rows = await read(); rows.length > 0; rows = await read()) {
    for (const row of rows) {
      await removeRoleRows(tx, row, toRoleKeys(row));
      await tx.run(`DELETE FROM stored_user_grants WHERE ${isRow}`, keyOf(row));
    }
    if (rows.length < portion) return;
    await tx.pause();
  }
}

/**
 * The primary key. A statement that changes one row by its primary key needs no journal in memory, unlike statements
 * that change several rows.
 */
const isRow = "user_id = ? AND creation_date = ? AND id = ?";

function keyOf(row: UserGrantRow): readonly SqlValue[] {
  return [row.user_id, row.creation_date, row.id];
}

/** Grants in the order of the index that finds them. */
interface Group {
  readonly where: string;
  readonly value: string;
  /** A text, a number and a text that together identify a grant. */
  readonly order: readonly ["resource_owner" | "user_id", "creation_date", "id"];
}

function ofProject(value: string): Group {
  return { where: "project_id = ?", value, order: ["resource_owner", "creation_date", "id"] };
}

function ofProjectGrant(value: string): Group {
  return { where: restsOnProjectGrant, value, order: ["user_id", "creation_date", "id"] };
}

/** Takes roles out of grants. Grants that lose a role count as changed; the others do not. */
async function removeRoles(
  tx: WriteTransaction,
  date: number,
  { of, isLost }: { readonly of: Group; readonly isLost: (roleKey: string) => boolean },
): Promise<void> {
  const order = of.order.join(", ");
  const sql = `SELECT ${columns} FROM stored_user_grants WHERE ${of.where} AND (${order}) > (?, ?, ?) ORDER BY ${order} LIMIT ${portion}`;
  let after: readonly SqlValue[] = ["", 0, ""];
  for (;;) {
    const rows = await tx.all<UserGrantRow>(sql, [of.value, ...after]);
    for (const row of rows) {
      const keys = toRoleKeys(row);
      const lost = keys.filter(isLost);
      if (lost.length > 0) {
        await removeRoleRows(tx, row, lost);
        const left = JSON.stringify(keys.filter((key) => !lost.includes(key)));
        await tx.run(`UPDATE stored_user_grants SET sequence = ?, role_keys = ? WHERE ${isRow}`, [
          date,
          left,
          ...keyOf(row),
        ]);
      }
      after = of.order.map((column) => row[column]);
    }
    if (rows.length < portion) return;
    await tx.pause();
  }
}
