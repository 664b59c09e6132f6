import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import { type GroupId, type OrganizationId, toId } from "../../kernel/base/ids.ts";
import { defineListOfParts } from "../../kernel/base/list.ts";
import { isNameTaken, toUniqueName } from "../../kernel/base/names/unique-name.ts";
import { equals, insertSql, isAmong, unindexed, updateSql } from "../../kernel/base/sql.ts";
import { endless, type Instant } from "../../kernel/base/clock.ts";
import { inEffect } from "../rights-in-time/period-columns.ts";
import type { Projection } from "../../kernel/events/event.ts";
import type { GroupSettingsPayload } from "../../kernel/events/rights-payloads.ts";
import { groupsOfOrganization } from "../../kernel/events/taken-along.ts";
import { type Group, groupNotFound, toSource } from "./group.ts";
import { insertGroup, memberAppliers, removeAllMembers } from "./member-repository.ts";

const settings = ["name", "description", "external_id", "source_idp_id", "source_user_id", "source_hook_id"];
const columns = ["id", ...detailsColumns, ...settings];
const written = [...settings, "folded_name", "sequence"];
const insert = insertSql("stored_groups", [...written, "id", "creation_date", "resource_owner"]);
const update = updateSql("stored_groups", written);
const select = `SELECT ${columns.join(", ")} FROM groups`;

/** The projection of groups, their members, and which group is in which. */
export const groupProjection: Projection = {
  tables: ["stored_groups", "group_members", "subgroups", "nested_groups"],
  on: {
    "group.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(insert, [...toWritten(payload, date), aggregateId, date, resourceOwner]);
      await insertGroup(tx, aggregateId);
    },
    "group.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(update, [...toWritten(payload, date), aggregateId]);
    },
    "group.removed": async (tx, { aggregateId, date }) => {
      await removeAllMembers(tx, aggregateId, date);
      await tx.run("DELETE FROM stored_groups WHERE id = ?", [aggregateId]);
    },
    ...memberAppliers,
  },
  owned: [{ ids: "SELECT id FROM stored_groups WHERE resource_owner = ?", removal: "group.removed" }],
  takenAlong: {
    "user.removed": [{ type: "group.member", rows: ["SELECT 1 FROM group_members WHERE user_id = :id"] }],
    "group.removed": [
      {
        type: "group.member",
        rows: [
          "SELECT 1 FROM group_members WHERE group_id = :id",
          "SELECT 1 FROM subgroups WHERE group_id = :id",
          "SELECT 1 FROM subgroups WHERE subgroup_id = :id",
        ],
      },
    ],
    "organization.removed": [
      { type: "group", rows: ["SELECT 1 FROM groups WHERE resource_owner = :id"] },
      {
        type: "group.member",
        ofEach: [
          { parents: groupsOfOrganization, rows: "SELECT 1 FROM group_members WHERE group_id IN :ids" },
          { parents: groupsOfOrganization, rows: "SELECT 1 FROM subgroups WHERE group_id IN :ids" },
        ],
      },
    ],
  },
};

/** Returns the group of any organization, or undefined. */
export async function findGroup(tx: ReadTransaction, id: string): Promise<Group | undefined> {
  const row = await tx.get<GroupRow>(`${select} WHERE id = ?`, [id]);
  return row && toGroup(row);
}

/** Returns the group of that organization. Raises NOT_FOUND. */
export async function getGroup(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<Group> {
  const group = await findGroup(tx, id);
  if (group?.organizationId !== organizationId) throw groupNotFound(id);
  return group;
}

/** Returns those of the groups that are in the organization, in no order. */
export async function findGroups(
  tx: ReadTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<readonly Group[]> {
  if (ids.length === 0) return [];
  const named = isAmong("id", ids);
  const rows = await tx.all<GroupRow>(`${select} WHERE ${named.sql} AND ${unindexed("resource_owner")} = ?`, [
    ...named.parameters,
    organizationId,
  ]);
  return rows.map(toGroup);
}

/** A group that a user is in, and when the last of the ways ends by which the user is in it; `endless`: never. */
export type GroupOfUser = Pick<Group, "id" | "name"> & { readonly endDate: Instant };

/** Lists the groups of the organization that the user is in at this instant, at all levels, each once. */
export async function listGroupsOfUser(
  tx: ReadTransaction,
  userId: string,
  organizationId: string,
): Promise<readonly GroupOfUser[]> {
  const inTime = inEffect("m", tx.now());
  return await tx.all<GroupOfUser>(
    `SELECT g.id, g.name, w.end_date AS "endDate"
     FROM (SELECT n.outer_id, MAX(COALESCE(m.end_date, '${endless}')) AS end_date
       FROM group_members m JOIN nested_groups n ON n.inner_id = m.group_id
       WHERE m.user_id = ? AND ${inTime.sql} GROUP BY n.outer_id) w JOIN groups g ON g.id = w.outer_id
     WHERE ${unindexed("g.resource_owner")} = ?`,
    [userId, ...inTime.parameters, organizationId],
  );
}

/** Says whether a group of the organization, other than `kept`, has a name that counts as the same. */
export async function isGroupNameTaken(
  tx: ReadTransaction,
  organizationId: string,
  name: string,
  kept?: Group,
): Promise<boolean> {
  const within = equals("resource_owner", organizationId);
  return await isNameTaken(tx, { from: "groups", column: "folded_name", within, name, kept });
}

/** The groups of an organization that a call asks for. */
export interface AskedGroups {
  readonly organizationId: string;
  /** Empty: whatever the members are. Otherwise only groups with this direct member. */
  readonly userId: string;
  /** Empty: whatever the source is. Otherwise only groups with this service user as source. */
  readonly sourceUserId: string;
  /** Only these, which are few. */
  readonly among?: readonly string[];
}

/** The groups of an organization. A user is in few. */
export const groupList = defineListOfParts<AskedGroups, GroupRow, Group>({
  name: "ListGroups",
  from: "groups",
  columns,
  indexes: [
    { table: "groups", columns: ["resource_owner", "creation_date", "id"], isUnique: false },
    { table: "group_members", columns: ["user_id", "creation_date", "group_id"], isUnique: false },
    { table: "groups", columns: ["source_user_id", "creation_date", "id"], isUnique: false },
  ],
  keyOf: ({ userId, sourceUserId }) => [userId, sourceUserId],
  partsOf({ organizationId, userId, sourceUserId, among }) {
    const ofUser = {
      sql: "id IN (SELECT group_id FROM group_members WHERE user_id = ?)",
      parameters: [userId],
    };
    const few = [...(among === undefined ? [] : [isAmong("id", among)]), ...(userId === "" ? [] : [ofUser])];
    const within = equals(unindexed("resource_owner"), organizationId);
    if (few.length > 0) {
      // No index of sources may find them: `unindexed` would let PostgreSQL walk through a partial one.
      const ofSource = sourceUserId === "" ? [] : [equals("COALESCE(source_user_id, '')", sourceUserId)];
      return [{ where: [...few, ...ofSource, within], isUnordered: true }];
    }
    if (sourceUserId !== "") return [{ where: [equals("source_user_id", sourceUserId), within] }];
    return [{ where: [equals("resource_owner", organizationId)] }];
  },
  toItems: (rows) => rows.map(toGroup),
});

interface GroupRow extends DetailsRow {
  readonly id: GroupId;
  readonly name: string;
  readonly description: string;
  readonly external_id: string;
  readonly source_idp_id: string | null;
  readonly source_user_id: string | null;
  readonly source_hook_id: string | null;
}

function toGroup(row: GroupRow): Group {
  const { id, name, description, external_id: externalId } = row;
  const details = toDetails(row);
  const organizationId = toId<OrganizationId>(details.resourceOwner);
  return { id, details, organizationId, name, description, externalId, source: toSource(row) };
}

function toWritten(payload: GroupSettingsPayload, date: number) {
  const { name, description, external_id, source_idp_id, source_user_id, source_hook_id } = payload;
  const source = [source_idp_id ?? null, source_user_id ?? null, source_hook_id ?? null];
  return [name, description, external_id, ...source, toUniqueName(name), date];
}
