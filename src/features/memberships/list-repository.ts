import { type ReadTransaction, type SqlValue, toInList } from "../../base/database.ts";
import type { OrganizationId } from "../../base/ids.ts";
import { behind, mergeCounts, mergePages, type PageQuery } from "../../base/paging.ts";
import type { PermissionScopes, Scope } from "../../base/permission.ts";
import type { Membership, ScopeName } from "./membership.ts";
import { type MembershipRow, toMembership } from "./repository.ts";

/** Which memberships are listed. */
export interface MembershipFilter {
  /** Where the caller may read memberships. It is not used with a scope, which was judged before. */
  readonly reach: PermissionScopes;
  /** Empty = of every user. */
  readonly userId: string;
  /** Undefined = on every scope. */
  readonly scope: ScopeName | undefined;
}

/** Returns memberships, oldest first. */
export async function listMemberships(
  tx: ReadTransaction,
  filter: MembershipFilter,
  page: PageQuery,
): Promise<readonly Membership[]> {
  const reads = conditionsOf(filter).map(({ sql, parameters }) => async (part: PageQuery) => {
    const position = behind(part);
    const rows = await tx.all<MembershipRow>(
      `SELECT * FROM memberships WHERE ${sql} AND ${position.sql} ORDER BY creation_date, id LIMIT ?`,
      [...parameters, ...position.parameters, part.limit],
    );
    return rows.map(toMembership);
  });
  return await mergePages(page, reads);
}

/** Counts memberships, up to `limit`. */
export async function countMemberships(
  tx: ReadTransaction,
  filter: MembershipFilter,
  limit: number,
): Promise<number> {
  const counts = conditionsOf(filter).map(({ sql, parameters }) => async (rest: number) => {
    const row = await tx.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM (SELECT id FROM memberships WHERE ${sql} LIMIT ?) AS counted`,
      [...parameters, rest],
    );
    return row?.total ?? 0;
  });
  return await mergeCounts(limit, counts);
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** No row meets two of these conditions. Each leads to its rows by an index, in the order of the list. */
function conditionsOf({ reach, userId, scope }: MembershipFilter): readonly Condition[] {
  const ofUser: Condition =
    userId === "" ? { sql: "TRUE", parameters: [] } : { sql: "user_id = ?", parameters: [userId] };
  const both = ({ sql, parameters }: Condition): Condition => ({
    sql: `${ofUser.sql} AND ${sql}`,
    parameters: [...ofUser.parameters, ...parameters],
  });
  if (scope !== undefined) return [both(onScope(scope.kind, scope.kind === "instance" ? "" : scope.id))];
  if (reach.isInstance) return [ofUser];
  const inOrganizations = userId === "" ? reach.organizations.map(inOne) : inSome(reach.organizations);
  return [
    ...inOrganizations,
    ...reach.projects.map((id) => onScope("project", id)),
    ...reach.projectGrants.map((id) => onScope("project-grant", id)),
  ].map(both);
}

function onScope(kind: Scope["kind"], id: string): Condition {
  return { sql: "scope_kind = ? AND scope_id = ?", parameters: [kind, id] };
}

function inOne(organizationId: OrganizationId): Condition {
  return { sql: "resource_owner = ?", parameters: [organizationId] };
}

/** Names many organizations in one condition: the index leads by the user, who has few memberships. */
function inSome(organizationIds: readonly OrganizationId[]): readonly Condition[] {
  const conditions: Condition[] = [];
  for (let start = 0; start < organizationIds.length; start += listLength) {
    const list = toInList(organizationIds.slice(start, start + listLength));
    conditions.push({ sql: `resource_owner IN ${list.sql}`, parameters: list.parameters });
  }
  return conditions;
}

const listLength = 1024;
