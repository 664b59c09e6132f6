import type { ReadTransaction, SqlValue, WriteTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type {
  GroupGrantId,
  GroupId,
  OrganizationId,
  ProjectGrantId,
  ProjectId,
} from "../../kernel/base/ids.ts";
import type { Access } from "../../kernel/base/permission.ts";
import { insertSql, unindexed, updateSql } from "../../kernel/base/sql.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { groupsOfOrganization, projectsOfOrganization } from "../../kernel/events/taken-along.ts";
import { periodColumns, type PeriodRow, toPeriod, toPeriodValues } from "../rights-in-time/period-columns.ts";
import { type GroupGrant, groupGrantNotFound, mayAccessGroupGrant } from "./group-grant.ts";

/** The columns of the table of grants to groups that lists read. */
export const groupGrantColumns: readonly string[] = [
  "id",
  "state",
  ...detailsColumns,
  "group_id",
  "project_id",
  "project_grant_id",
  "role_keys",
  ...periodColumns,
];

const select = `SELECT ${groupGrantColumns.join(", ")} FROM group_grants`;
const insertGrant = insertSql("stored_group_grants", [...groupGrantColumns, "held_at_home"]);
const updateGrant = updateSql("stored_group_grants", ["role_keys", ...periodColumns, "sequence"]);
const updateRoles = updateSql("stored_group_grants", ["role_keys", "sequence"]);
const updateState = updateSql("stored_group_grants", ["state", "sequence"]);
/** The second condition is that of the partial index, which SQLite uses only where a query repeats it. */
const restsOnProjectGrant = "project_grant_id = ? AND project_grant_id <> ''";

/** The projection of group grants. There are few for each project, unlike user grants. */
export const groupGrantProjection: Projection = {
  tables: ["stored_group_grants"],
  on: {
    "group_grant.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(insertGrant, [
        aggregateId,
        "ACTIVE",
        date,
        date,
        resourceOwner,
        payload.group_id,
        payload.project_id,
        payload.project_grant_id,
        JSON.stringify(payload.role_keys),
        ...toPeriodValues(payload),
        Number(payload.held_at_home),
      ]);
    },
    "group_grant.changed": async (tx, { aggregateId, date, payload }) => {
      const values = [JSON.stringify(payload.role_keys), ...toPeriodValues(payload), date, aggregateId];
      await tx.run(updateGrant, values);
    },
    "group_grant.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "group_grant.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["ACTIVE", date, aggregateId]);
    },
    "group_grant.removed": (tx, { aggregateId }) => removeGrants(tx, "id = ?", aggregateId),
    "group.removed": (tx, { aggregateId }) => removeGrants(tx, "group_id = ?", aggregateId),
    "project.removed": (tx, { aggregateId }) => removeGrants(tx, "project_id = ?", aggregateId),
    "project_grant.removed": (tx, { aggregateId }) => removeGrants(tx, restsOnProjectGrant, aggregateId),
    "project.role.removed": (tx, { aggregateId, date, payload }) =>
      removeRoles(tx, ["project_id = ?", aggregateId], { date, isLost: (key) => key === payload.role_key }),
    "project_grant.changed": (tx, { aggregateId, date, payload }) => {
      const kept = new Set(payload.role_keys);
      return removeRoles(tx, [restsOnProjectGrant, aggregateId], { date, isLost: (key) => !kept.has(key) });
    },
  },
  owned: [
    { ids: "SELECT id FROM stored_group_grants WHERE resource_owner = ?", removal: "group_grant.removed" },
    {
      ids: `SELECT g.id FROM stored_projects p JOIN stored_group_grants g ON g.project_id = p.id
        WHERE p.resource_owner = ?`,
      removal: "group_grant.removed",
    },
  ],
  takenAlong: {
    "group.removed": [{ type: "group_grant", rows: ["SELECT 1 FROM group_grants WHERE group_id = :id"] }],
    "project.removed": [{ type: "group_grant", rows: ["SELECT 1 FROM group_grants WHERE project_id = :id"] }],
    "project_grant.removed": [
      {
        type: "group_grant",
        rows: ["SELECT 1 FROM group_grants WHERE project_grant_id = :id AND project_grant_id <> ''"],
      },
    ],
    // Those that it has given, those of others on its projects, and those to its groups on other projects of others.
    "organization.removed": [
      {
        type: "group_grant",
        rows: ["SELECT 1 FROM group_grants WHERE resource_owner = :id"],
        ofEach: [
          {
            parents: projectsOfOrganization,
            rows: `SELECT 1 FROM group_grants WHERE project_id IN :ids AND ${unindexed("resource_owner")} <> :id`,
          },
          {
            parents: groupsOfOrganization,
            rows: `SELECT 1 FROM group_grants g JOIN projects p ON p.id = g.project_id AND ${unindexed("p.resource_owner")} <> :id
             WHERE g.group_id IN :ids AND ${unindexed("g.resource_owner")} <> :id`,
          },
        ],
      },
    ],
  },
};

/** Returns the grant of the organization acted on if the caller may access it. Raises NOT_FOUND. */
export async function getGroupGrant(
  tx: ReadTransaction,
  access: Access,
  { groupId, grantId }: { readonly groupId: string; readonly grantId: string },
): Promise<GroupGrant> {
  const row = await tx.get<GroupGrantRow>(`${select} WHERE id = ? AND group_id = ? AND resource_owner = ?`, [
    grantId,
    groupId,
    access.organizationId,
  ]);
  const found = row && toGroupGrant(row);
  if (found === undefined || !mayAccessGroupGrant(access, found)) throw groupGrantNotFound(grantId);
  return found;
}

/** Says whether the group has a grant for the project in the organization, resting on that project grant or on none. */
export async function hasGroupGrant(
  tx: ReadTransaction,
  grant: {
    readonly organizationId: OrganizationId;
    readonly groupId: string;
    readonly projectId: string;
    readonly projectGrantId: string;
  },
): Promise<boolean> {
  const row = await tx.get(
    `SELECT 1 FROM stored_group_grants
     WHERE group_id = ? AND project_id = ? AND resource_owner = ? AND project_grant_id = ?`,
    [grant.groupId, grant.projectId, grant.organizationId, grant.projectGrantId],
  );
  return row !== undefined;
}

/** What group grants rest on: a project and, where the organization does not own it, a project grant. */
export interface GrantBasis {
  readonly organizationId: OrganizationId;
  readonly projectId: ProjectId;
  readonly projectGrantId: ProjectGrantId | "";
}

/** Lists what the grants rest on that the members of the group have by it, or by a group that it is in. */
export async function listGrantBases(tx: ReadTransaction, groupId: string): Promise<readonly GrantBasis[]> {
  return await tx.all<GrantBasis>(
    `SELECT g.resource_owner AS "organizationId", g.project_id AS "projectId", g.project_grant_id AS "projectGrantId"
     FROM nested_groups n JOIN group_grants g ON g.group_id = n.outer_id WHERE n.inner_id = ?`,
    [groupId],
  );
}

/** A row with `groupGrantColumns`. */
export interface GroupGrantRow extends DetailsRow, PeriodRow {
  readonly id: GroupGrantId;
  readonly state: GroupGrant["state"];
  readonly group_id: GroupId;
  readonly project_id: ProjectId;
  readonly project_grant_id: ProjectGrantId | "";
  readonly role_keys: string;
}

/** Reads the grant that a row holds. */
export function toGroupGrant(row: GroupGrantRow): GroupGrant {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    groupId: row.group_id,
    projectId: row.project_id,
    projectGrantId: row.project_grant_id,
    roleKeys: toKeys(row),
    ...toPeriod(row),
  };
}

async function removeGrants(tx: WriteTransaction, where: string, value: SqlValue): Promise<void> {
  await tx.run(`DELETE FROM stored_group_grants WHERE ${where}`, [value]);
}

/** Takes roles out of grants. Grants that lose a role count as changed; the others do not. */
async function removeRoles(
  tx: WriteTransaction,
  [where, value]: readonly [string, string],
  { date, isLost }: { readonly date: number; readonly isLost: (roleKey: string) => boolean },
): Promise<void> {
  const rows = await tx.all<Pick<GroupGrantRow, "id" | "role_keys">>(
    `SELECT id, role_keys FROM stored_group_grants WHERE ${where}`,
    [value],
  );
  for (const row of rows) {
    const keys = toKeys(row);
    const left = keys.filter((key) => !isLost(key));
    if (left.length < keys.length) await tx.run(updateRoles, [JSON.stringify(left), date, row.id]);
  }
}

function toKeys({ role_keys: json }: { readonly role_keys: string }): readonly string[] {
  return JSON.parse(json) as string[]; // written by the appliers
}
