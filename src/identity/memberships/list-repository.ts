import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import { defineListOfParts, type ListIndex } from "../../kernel/base/list.ts";
import type { PermissionScopes, Scope } from "../../kernel/base/permission.ts";
import { allOf, type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";
import { endsBefore } from "../rights-in-time/period-columns.ts";
import type { Membership, ScopeName } from "./membership.ts";
import { membershipColumns, type MembershipRow, toMembership } from "./repository.ts";

/** Which memberships are listed. */
export interface MembershipFilter {
  /** Empty = of every user. */
  readonly userId: string;
  /** Absent or empty = of users and of every group. */
  readonly groupId?: string;
  /** None = on every scope. A membership must be on all of them, so there is nothing on several. */
  readonly scopes: readonly ScopeName[];
  /** Those that are not over and end before it, in the order of their ends. Absent: all. */
  readonly expiresBefore?: Instant | undefined;
}

/** A filter, and where the caller may read memberships. */
export interface AskedMemberships extends MembershipFilter {
  /** Undefined: the caller may read none on the scope of the filter. Otherwise a scope of the filter is one where they may. */
  readonly reach: PermissionScopes | undefined;
}

/** The memberships that the caller may read. */
export const membershipList = defineListOfParts<AskedMemberships, MembershipRow, Membership>({
  name: "ListMemberships",
  from: "memberships",
  columns: membershipColumns,
  indexes: [
    ["user_id", "creation_date"],
    ["group_id", "creation_date"],
    ...[[], ["resource_owner"], ["scope_kind", "scope_id"]].flatMap((columns) => [
      [...columns, "creation_date"],
      [...columns, "end_date"],
    ]),
  ].map((columns): ListIndex => ({ table: "memberships", columns: [...columns, "id"], isUnique: false })),
  keyOf: ({ userId, groupId = "", scopes, expiresBefore = "" }) => [
    userId,
    groupId,
    expiresBefore,
    ...scopes.flatMap((scope) => [scope.kind, idOf(scope)]),
  ],
  isByEnd: ({ expiresBefore }) => expiresBefore !== undefined,
  partsOf: (asked, tx) => {
    const { userId, groupId = "", expiresBefore } = asked;
    if (expiresBefore === undefined) return conditionsOf(asked).map((condition) => ({ where: [condition] }));
    const ends = (column: string) => endsBefore(column, expiresBefore, tx.now());
    const conditions = conditionsOf(asked);
    if (userId === "" && groupId === "")
      return conditions.map((condition) => ({ where: [condition, ends("end_date")] }));
    // A user or a group has few memberships, which are put in order afterwards.
    return conditions.map((condition) => ({
      where: [condition, ends(unindexed("end_date"))],
      isUnordered: true,
    }));
  },
  toItems: (rows) => rows.map(toMembership),
});

/** A membership is of one user or group, and on one scope. No row meets two of these. Each leads to its rows by an index, in the order of the list. */
function conditionsOf({ reach, userId, groupId = "", scopes }: AskedMemberships): readonly Condition[] {
  const ofHolder = [
    ...(userId === "" ? [] : [equals("user_id", userId)]),
    ...(groupId === "" ? [] : [equals("group_id", groupId)]),
  ];
  if (reach === undefined || scopes.length > 1 || ofHolder.length > 1) return [];
  const [scope] = scopes;
  const places =
    scope === undefined ? placesIn(reach, ofHolder.length > 0) : [onScope(scope.kind, idOf(scope))];
  return places.map((place) => allOf([...ofHolder, place]));
}

function placesIn(reach: PermissionScopes, hasHolder: boolean): readonly Condition[] {
  if (reach.isInstance) return [allOf([])];
  return [
    ...(hasHolder ? inSome(reach.organizations) : reach.organizations.map(inOne)),
    ...reach.projects.map((id) => onScope("project", id)),
    ...reach.projectGrants.map((id) => onScope("project-grant", id)),
  ];
}

function idOf(scope: ScopeName): string {
  return scope.kind === "instance" ? "" : scope.id;
}

function onScope(kind: Scope["kind"], id: string): Condition {
  return allOf([equals("scope_kind", kind), equals("scope_id", id)]);
}

function inOne(organizationId: OrganizationId): Condition {
  return equals("resource_owner", organizationId);
}

/** Names many organizations in one condition: the index leads by the user or the group, which have few memberships. */
function inSome(organizationIds: readonly OrganizationId[]): readonly Condition[] {
  const conditions: Condition[] = [];
  for (let start = 0; start < organizationIds.length; start += listLength)
    conditions.push(isAmong(unindexed("resource_owner"), organizationIds.slice(start, start + listLength)));
  return conditions;
}

const listLength = 1024;
