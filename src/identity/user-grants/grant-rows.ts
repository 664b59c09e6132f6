import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { ProjectGrantId, ProjectId, UserGrantId, UserId } from "../../kernel/base/ids.ts";
import { periodColumns, type PeriodRow, toPeriod } from "../rights-in-time/period-columns.ts";
import type { UserGrant } from "./user-grant.ts";

/** The columns of the table of grants. */
export const userGrantColumns: readonly string[] = [
  "id",
  "state",
  ...detailsColumns,
  "user_id",
  "project_id",
  "project_grant_id",
  "role_keys",
  ...periodColumns,
];

/** A row with these columns. */
export interface UserGrantRow extends DetailsRow, PeriodRow {
  readonly id: UserGrantId;
  readonly state: UserGrant["state"];
  readonly user_id: UserId;
  readonly project_id: ProjectId;
  readonly project_grant_id: ProjectGrantId | "";
  readonly role_keys: string;
}

/** Reads the grant that a row holds. */
export function toUserGrant(row: UserGrantRow): UserGrant {
  return {
    id: row.id,
    details: toDetails(row),
    state: row.state,
    userId: row.user_id,
    projectId: row.project_id,
    projectGrantId: row.project_grant_id,
    roleKeys: toRoleKeys(row),
    ...toPeriod(row),
  };
}

/** Reads the keys of the roles in the row of a grant, in their order. */
export function toRoleKeys({ role_keys: json }: { readonly role_keys: string }): readonly string[] {
  return JSON.parse(json) as string[]; // written by the appliers
}
