import { defineListOfParts } from "../../kernel/base/list.ts";
import type { Access } from "../../kernel/base/permission.ts";
import { equals, unindexed } from "../../kernel/base/sql.ts";
import { isOpen } from "../user-grants/list-repository.ts";
import type { GroupGrant } from "./group-grant.ts";
import { groupGrantColumns, type GroupGrantRow, toGroupGrant } from "./repository.ts";

/** Filters of a list of grants to groups. Empty texts = any. */
export interface GroupGrantFilter {
  readonly groupId: string;
  readonly projectId: string;
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
  indexes: [["group_id", "resource_owner"], ["project_id", "resource_owner"], ["resource_owner"]].map(
    (columns) => ({ table: "group_grants", columns: [...columns, "creation_date", "id"], isUnique: false }),
  ),
  keyOf: ({ filter: { groupId, projectId } }) => [groupId, projectId],
  partsOf({ access, filter: { groupId, projectId } }) {
    const leading = groupId !== "" ? "group" : projectId !== "" ? "project" : "organization";
    return [
      {
        where: [
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
