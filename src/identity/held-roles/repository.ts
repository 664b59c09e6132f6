import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import { inEffect, notEnded, type PeriodRow, toPeriod } from "../rights-in-time/period-columns.ts";
import { isInPeriod, nextBoundary } from "../rights-in-time/period.ts";
import { type MembershipId, type OrganizationId, toId, type UserId } from "../../kernel/base/ids.ts";
import { findRole, type HeldRoles, type Role, type Scope } from "../../kernel/base/permission.ts";

/**
 * Lists everything that the user holds, also by groups, each scope with the organization that it belongs to now, the oldest membership
 * first. A membership is held from the write that gives it until its end, before its start too: what it is kept safe by does not wait
 * for the start. What the user may do is what `readRolesInForce` says.
 */
export async function listHeldRoles(tx: ReadTransaction, userId: string): Promise<readonly HeldRoles[]> {
  const held = notEnded("m", tx.now());
  const rows = await tx.all<HeldRow>(
    `SELECT ${heldColumns} FROM held_memberships m ${heldJoins} WHERE m.user_id = ? AND ${held.sql}`,
    [userId, ...held.parameters],
  );
  return rows.toSorted(oldestFirst).flatMap(toHeldRoles);
}

/** The roles that are in effect at an instant, which decide what a caller may do. */
export interface RolesInForce {
  readonly held: readonly HeldRoles[];
  /** The first instant at which others may be in effect though nothing was changed; undefined: none is known. */
  readonly heldUntil: Instant | undefined;
}

/** Reads the roles of the user that are in effect, the oldest membership first. */
export async function readRolesInForce(tx: ReadTransaction, userId: string): Promise<RolesInForce> {
  const rows = await tx.all<HeldRow>(
    `SELECT ${heldColumns} FROM held_memberships m ${heldJoins} WHERE m.user_id = ?`,
    [userId],
  );
  return toRolesInForce(tx, rows, toHeldRoles);
}

/** Converts all memberships of a user, by the rows that hold them, to the roles that are in effect. */
export function toRolesInForce<Row extends HeldRow>(
  tx: ReadTransaction,
  rows: readonly Row[],
  convert: (row: Row) => readonly HeldRoles[],
): RolesInForce {
  const now = tx.now();
  return {
    held: rows
      .filter((row) => isInPeriod(toPeriod(row), now))
      .toSorted(oldestFirst)
      .flatMap(convert),
    heldUntil: nextBoundary(rows.map(toPeriod), now),
  };
}

/**
 * Checks whether that user of the organization, or any user of it if `userId` is absent, holds one of the roles on the scope, as
 * `listHeldRoles` counts.
 */
export async function isHeldByUserOf(
  tx: ReadTransaction,
  of: { readonly userId?: string; readonly organizationId: OrganizationId },
  { scope, roles }: HeldRoles,
): Promise<boolean> {
  const held = notEnded("m", tx.now());
  const onScope = [scope.kind, scopeIdOf(scope)];
  const rows =
    of.userId === undefined
      ? await tx.all<{ roles: string }>(
          `SELECT m.roles FROM holders_of_scopes m JOIN users u ON u.id = m.user_id
           WHERE m.scope_kind = ? AND m.scope_id = ? AND u.resource_owner = ? AND ${held.sql}`,
          [...onScope, of.organizationId, ...held.parameters],
        )
      : await tx.all<{ roles: string }>(
          `SELECT m.roles FROM held_memberships m WHERE m.scope_kind = ? AND m.scope_id = ? AND m.user_id = ? AND ${held.sql}`,
          [...onScope, of.userId, ...held.parameters],
        );
  return rows.some((row) => toRoles(toNames(row)).some((role) => roles.includes(role)));
}

/**
 * Lists the roles that the user holds on the instance, as `listHeldRoles` counts; a look-up on an index, and one of the groups of the
 * user.
 */
export async function listInstanceRoles(tx: ReadTransaction, userId: string): Promise<readonly Role[]> {
  const held = notEnded("m", tx.now());
  const rows = await tx.all<{ roles: string }>(
    `SELECT m.roles FROM held_memberships m WHERE m.user_id = ? AND m.scope_kind = 'instance' AND m.scope_id = '' AND ${held.sql}`,
    [userId, ...held.parameters],
  );
  return rows.flatMap((row) => toRoles(toNames(row)));
}

/**
 * An active user of an active organization who has INSTANCE_OWNER in effect, and the membership that gives it to them, of theirs or of a
 * group.
 */
export interface InstanceOwner {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly membershipId: MembershipId;
  /** When it ends; null: never. */
  readonly endDate: Instant | null;
}

/** Lists the instance owners, the oldest user first: once for each membership, or way to it, that makes them one. */
export async function listInstanceOwners(tx: ReadTransaction): Promise<readonly InstanceOwner[]> {
  const inForce = inEffect("m", tx.now());
  const rows = await tx.all<InstanceOwner & { readonly roles: string; readonly since: number }>(
    `SELECT u.id AS "userId", u.resource_owner AS "organizationId", m.id AS "membershipId", m.end_date AS "endDate", m.roles,
       u.creation_date AS since
     FROM holders_of_scopes m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = u.resource_owner
     WHERE m.scope_kind = 'instance' AND m.scope_id = '' AND u.state = 'ACTIVE' AND o.state = 'ACTIVE'
       AND ${inForce.sql}`,
    inForce.parameters,
  );
  return rows
    .filter((row) => toNames(row).includes("INSTANCE_OWNER"))
    .toSorted((left, right) => left.since - right.since || (left.userId < right.userId ? -1 : 1))
    .map(({ userId, organizationId, membershipId, endDate }) => ({
      userId,
      organizationId,
      membershipId,
      endDate,
    }));
}

/** A row that says what a user holds: `heldColumns` of held memberships `m` with `heldJoins`. */
export interface HeldRow extends PeriodRow {
  readonly scope_kind: Scope["kind"];
  readonly scope_id: string;
  readonly roles: string;
  readonly owner_id: OrganizationId | null;
  readonly grantee_id: OrganizationId | null;
  readonly id: string;
  readonly creation_date: number;
}

/** The columns of `HeldRow`. */
export const heldColumns =
  "m.scope_kind, m.scope_id, m.roles, m.id, m.creation_date, m.start_date, m.end_date, p.resource_owner AS owner_id, g.granted_organization_id AS grantee_id";
/** The joins that `heldColumns` need. */
export const heldJoins = `LEFT JOIN projects p ON m.scope_kind = 'project' AND p.id = m.scope_id
     LEFT JOIN project_grants g ON m.scope_kind = 'project-grant' AND g.id = m.scope_id`;

type Since = Pick<HeldRow, "id" | "creation_date">;

/**
 * The order in which permissions are looked for, so that a refusal always names the same one. Not that of a statement: an engine would
 * put memberships of users and groups in order with all that stands beside them.
 */
export function oldestFirst(left: Since, right: Since): number {
  return left.creation_date - right.creation_date || Number(left.id > right.id) - Number(left.id < right.id);
}

/** Converts a row; the result is empty when the scope of the row is gone. */
export function toHeldRoles(row: HeldRow): readonly HeldRoles[] {
  const owner = { project: row.owner_id, "project-grant": row.grantee_id, instance: "", organization: "" };
  const organizationId = owner[row.scope_kind];
  if (organizationId === null) return []; // the project or project grant is gone
  const { endDate } = toPeriod(row);
  return [{ scope: toScope(row, organizationId), roles: toRoles(toNames(row)), endDate }];
}

/** Converts the columns of a scope. `owner` is the organization that a project belongs to or a project grant is made to. */
export function toScope(
  row: { readonly scope_kind: Scope["kind"]; readonly scope_id: string },
  owner: string,
): Scope {
  switch (row.scope_kind) {
    case "instance":
      return { kind: "instance" };
    case "organization":
      return { kind: "organization", organizationId: toId(row.scope_id) };
    case "project":
      return { kind: "project", projectId: toId(row.scope_id), organizationId: toId(owner) };
    case "project-grant":
      return { kind: "project-grant", projectGrantId: toId(row.scope_id), organizationId: toId(owner) };
  }
}

/** Makes the `scope_id` under which memberships on the scope are stored. */
export function scopeIdOf(scope: Scope): string {
  switch (scope.kind) {
    case "instance":
      return "";
    case "organization":
      return scope.organizationId;
    case "project":
      return scope.projectId;
    case "project-grant":
      return scope.projectGrantId;
  }
}

/** Reads the names of the roles in a row, which may be no roles of this version any more. */
export function toNames({ roles }: { readonly roles: string }): readonly string[] {
  return JSON.parse(roles) as string[]; // written by the appliers of memberships
}

/** Converts names to roles and leaves out names that are no role. */
export function toRoles(names: readonly string[]): readonly Role[] {
  return names.flatMap((name) => findRole(name) ?? []);
}
