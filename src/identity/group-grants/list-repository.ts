import type { Instant } from "../../kernel/base/clock.ts";
import { defineListOfParts } from "../../kernel/base/list.ts";
import type { Access } from "../../kernel/base/permission.ts";
import { equals, unindexed } from "../../kernel/base/sql.ts";
import { endsBefore } from "../rights-in-time/period-columns.ts";
import { isOpen } from "../user-grants/list-repository.ts";
import type { GroupGrant } from "./group-grant.ts";
import { groupGrantColumns, type GroupGrantRow, toGroupGrant } from "./repository.ts";

/** Filters of a list of grants to groups. Empty texts = any. */
export interface GroupGrantFilter {
  readonly groupId: string;
  readonly projectId: string;
  /** Those that are not over and end before it, in the order of their ends. Absent: all. */
  readonly expiresBefore?: Instant | undefined;
}

/** The grants of the organization of the call that the caller may reach. */
export const groupGrantList = defineListOfParts<
  { readonly access: Access; readonly filter: GroupGrantFilter },
  GroupGrantRow,
  GroupGrant
>({
  name: "ListGroupGrants",
  from: "group_grants g",
  columns: groupGrantColumns.map((column) => `g.${column}`),
  order: ["g.creation_date", "g.id"],
  indexes: [
    ["group_id", "resource_owner", "creation_date"],
    ["project_id", "resource_owner", "creation_date"],
    ["project_id", "resource_owner", "end_date"],
    ["resource_owner", "creation_date"],
    ["resource_owner", "end_date"],
  ].map((columns) => ({ table: "group_grants", columns: [...columns, "id"], isUnique: false })),
  keyOf: ({ filter: { groupId, projectId, expiresBefore = "" } }) => [groupId, projectId, expiresBefore],
  isByEnd: ({ filter: { expiresBefore } }) => expiresBefore !== undefined,
  partsOf({ access, filter: { groupId, projectId, expiresBefore } }, tx) {
    const leading = groupId !== "" ? "group" : projectId !== "" ? "project" : "organization";
    const isOfGroup = leading === "group";
    return [
      {
        // A group has few grants, which are put in order afterwards.
        ...(expiresBefore !== undefined && isOfGroup ? { isUnordered: true } : {}),
        where: [
          ...(expiresBefore === undefined
            ? []
            : [endsBefore(isOfGroup ? unindexed("g.end_date") : "g.end_date", expiresBefore, tx.now())]),
          ...(leading === "group" ? [equals("g.group_id", groupId)] : []),
          ...(projectId === ""
            ? []
            : [equals(leading === "project" ? "g.project_id" : unindexed("g.project_id"), projectId)]),
          equals("g.resource_owner", access.organizationId),
          ...isOpen(access),
        ],
      },
    ];
  },
  toItems: (rows) => rows.map(toGroupGrant),
});
