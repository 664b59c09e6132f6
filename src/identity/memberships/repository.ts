import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import {
  type GroupId,
  type InstanceId,
  type MembershipId,
  toId,
  type UserId,
} from "../../kernel/base/ids.ts";
import { type HeldRoles, holdsAt, type Scope } from "../../kernel/base/permission.ts";
import { notFound, permissionDenied } from "../../kernel/base/problem.ts";
import { type Condition, countUpTo, equals, insertSql, isAmong, updateSql } from "../../kernel/base/sql.ts";
import type { EventPayloads } from "../../kernel/events/payloads.ts";
import type { Projection, RecordedEvent } from "../../kernel/events/event.ts";
import type { TargetTokenPayload } from "../../kernel/events/delivery-payloads.ts";
import { toNames, toScope } from "../held-roles/repository.ts";
import { periodColumns, type PeriodRow, toPeriod, toPeriodValues } from "../rights-in-time/period-columns.ts";
import { getOrganization } from "../organizations/repository.ts";
import { findProjectGrant } from "../projects/project-grant-repository.ts";
import { findProjectOwner } from "../projects/repository.ts";
import { leaveOut, leaveOutAlike } from "./left-out-repository.ts";
import { takenMemberships } from "./taken-repository.ts";
import { type Membership, type MembershipHolder, membershipNotFound, type ScopeName } from "./membership.ts";

/** The columns of the table of memberships. */
export const membershipColumns: readonly string[] = [
  "id",
  ...detailsColumns,
  "user_id",
  "scope_kind",
  "scope_id",
  "roles",
  "group_id",
  ...periodColumns,
];

const insertMembership = insertSql("stored_memberships", membershipColumns);
const updateRoles = updateSql("stored_memberships", ["roles", ...periodColumns, "sequence"]);

/** How events fill the tables of memberships. */
export const membershipProjection: Projection = {
  tables: ["stored_memberships", "left_out_roles"], // rows of the second go with those of the first, and with their tokens
  on: {
    "membership.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      const scope = toScopeName(payload);
      const tokenIds = payload.limited_token_ids ?? [];
      await tx.run(insertMembership, [
        aggregateId,
        date,
        date,
        resourceOwner,
        payload.user_id ?? null,
        scope.kind,
        scope.kind === "instance" ? "" : scope.id,
        JSON.stringify(payload.roles),
        payload.group_id ?? null,
        ...toPeriodValues(payload),
      ]);
      await leaveOut(tx, { membershipId: aggregateId, before: [], after: payload.roles, tokenIds });
    },
    "membership.changed": async (tx, { aggregateId, date, payload }) => {
      await leaveOut(tx, {
        membershipId: aggregateId,
        before: (await findMembership(tx, aggregateId))?.roles ?? [],
        after: payload.roles,
        tokenIds: payload.limited_token_ids ?? [],
      });
      const values = [JSON.stringify(payload.roles), ...toPeriodValues(payload), date, aggregateId];
      await tx.run(updateRoles, values);
    },
    "membership.limited": async (tx, { aggregateId, payload }) => {
      const after = (await findMembership(tx, aggregateId))?.roles ?? [];
      const tokenIds = payload.limited_token_ids;
      await leaveOut(tx, { membershipId: aggregateId, before: [], after, tokenIds });
    },
    "membership.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM stored_memberships WHERE id = ?", [aggregateId]);
    },
    "user.token.added": (tx, { aggregateId, payload }) =>
      leaveOutAlike(tx, {
        tokenId: payload.token_id,
        userId: aggregateId,
        madeWithTokenId: payload.made_with_token_id,
      }),
    "user.key.added": (tx, { aggregateId, payload }) =>
      leaveOutAlike(tx, {
        tokenId: payload.key_id,
        userId: aggregateId,
        madeWithTokenId: payload.made_with_token_id,
      }),
    "user.secret.set": (tx, { aggregateId, payload }) =>
      leaveOutAlike(tx, {
        tokenId: payload.secret_id,
        userId: aggregateId,
        madeWithTokenId: payload.made_with_token_id,
      }),
    "target.added": limitTarget,
    "target.changed": limitTarget,
    "target.secret.added": limitTarget,
    "target.secret.removed": limitTarget,
    "target.reactivated": limitTarget,
    "user.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM stored_memberships WHERE user_id = ?", [aggregateId]);
    },
    "group.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM stored_memberships WHERE group_id = ?", [aggregateId]);
    },
    "project.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM stored_memberships WHERE scope_kind = 'project' AND scope_id = ?", [
        aggregateId,
      ]);
      await tx.run(
        `DELETE FROM stored_memberships WHERE scope_kind = 'project-grant'
           AND scope_id IN (SELECT id FROM stored_project_grants WHERE project_id = ?)`,
        [aggregateId],
      );
    },
    "project_grant.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM stored_memberships WHERE scope_kind = 'project-grant' AND scope_id = ?", [
        aggregateId,
      ]);
    },
  },
  // Memberships on the organization, its projects and the project grants made to it. Others go with their user or scope.
  owned: [
    { ids: "SELECT id FROM stored_memberships WHERE resource_owner = ?", removal: "membership.removed" },
  ],
  takenAlong: takenMemberships,
};

/** Returns the membership, or undefined. */
export async function findMembership(tx: ReadTransaction, id: string): Promise<Membership | undefined> {
  const sql = `SELECT ${membershipColumns.join(", ")} FROM memberships WHERE id = ?`;
  const row = await tx.get<MembershipRow>(sql, [id]);
  return row === undefined ? undefined : toMembership(row);
}

/** Returns the membership if the caller may change memberships on its scope. Raises NOT_FOUND. */
export async function getMembership(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  id: string,
): Promise<Membership> {
  const membership = await findMembership(tx, id);
  if (membership === undefined || !holdsAt(held, "membership.write", membership.scope))
    throw membershipNotFound(id);
  return membership;
}

/** Checks whether the user, or the group, has a membership on that scope. */
export async function hasMembership(
  tx: ReadTransaction,
  holder: MembershipHolder,
  scope: ScopeName,
): Promise<boolean> {
  const of = isOf(holder);
  const row = await tx.get<{ id: string }>(
    `SELECT id FROM memberships WHERE ${of.sql} AND scope_kind = ? AND scope_id = ?`,
    [...of.parameters, scope.kind, scope.kind === "instance" ? "" : scope.id],
  );
  return row !== undefined;
}

/** Counts the memberships of the user, or of the group itself, on all scopes, up to `limit`. */
export async function countMembershipsOf(
  tx: ReadTransaction,
  holder: MembershipHolder,
  limit: number,
): Promise<number> {
  return await countUpTo(tx, limit, { column: "id", from: "memberships", where: isOf(holder) });
}

/** Counts what the user holds, also by groups. */
export async function countHeldMemberships(tx: ReadTransaction, userId: string): Promise<number> {
  const rows = await tx.all<{ id: string }>("SELECT id FROM held_memberships WHERE user_id = ?", [userId]);
  return new Set(rows.map(({ id }) => id)).size;
}

/** Lists the memberships of these groups themselves, the oldest first. */
export async function listMembershipsOfGroups(
  tx: ReadTransaction,
  groupIds: readonly string[],
): Promise<readonly Membership[]> {
  const named = isAmong("group_id", groupIds);
  const rows = await tx.all<MembershipRow>(
    `SELECT ${membershipColumns.join(", ")} FROM memberships WHERE ${named.sql} ORDER BY creation_date, id`,
    named.parameters,
  );
  return rows.map(toMembership);
}

function isOf({ userId, groupId }: MembershipHolder): Condition {
  return userId === undefined ? equals("group_id", groupId) : equals("user_id", userId);
}

/** Looks up which organization a named scope belongs to; undefined when the project or project grant is absent. */
export async function findScope(tx: ReadTransaction, name: ScopeName): Promise<Scope | undefined> {
  switch (name.kind) {
    case "instance":
      return { kind: "instance" };
    case "organization":
      return { kind: "organization", organizationId: toId(name.id) };
    case "project": {
      const owner = await findProjectOwner(tx, name.id);
      return owner && { kind: "project", projectId: toId(name.id), organizationId: owner };
    }
    case "project-grant": {
      const grant = await findProjectGrant(tx, name.id);
      return (
        grant && {
          kind: "project-grant",
          projectGrantId: grant.id,
          organizationId: grant.grantedOrganizationId,
        }
      );
    }
  }
}

/**
 * Returns the named scope if the caller may give roles on it. Raises PERMISSION_DENIED for the instance and for organizations
 * where the caller may not, NOT_FOUND for projects and project grants, and for what is absent.
 */
export async function getScope(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  { name, instanceId }: { readonly name: ScopeName; readonly instanceId: InstanceId },
): Promise<Scope> {
  const scope = await findScope(tx, name);
  if (scope === undefined || !holdsAt(held, "membership.write", scope)) {
    if (name.kind === "instance" || name.kind === "organization") {
      throw permissionDenied("membership.write", name.kind === "instance" ? instanceId : name.id);
    }
    throw notFound(name.kind === "project" ? "project" : "project_grant", name.id);
  }
  if (scope.kind === "organization") await getOrganization(tx, scope.organizationId);
  return scope;
}

/** A row with these columns. */
export interface MembershipRow extends DetailsRow, PeriodRow {
  readonly id: MembershipId;
  readonly user_id: UserId | null;
  readonly group_id: GroupId | null;
  readonly scope_kind: Scope["kind"];
  readonly scope_id: string;
  readonly roles: string;
}

/** Reads the membership that a row holds. */
export function toMembership(row: MembershipRow): Membership {
  return {
    id: row.id,
    details: toDetails(row),
    ...toHolder(row),
    scope: toScope(row, row.resource_owner),
    roles: toNames(row),
    ...toPeriod(row),
  };
}

function toHolder({ user_id: userId, group_id: groupId }: MembershipRow): MembershipHolder {
  if (userId !== null) return { userId };
  if (groupId === null) throw new Error("a membership is of nobody");
  return { groupId };
}

function toScopeName(payload: EventPayloads["membership.added"]): ScopeName {
  if (payload.organization_id !== undefined) return { kind: "organization", id: payload.organization_id };
  if (payload.project_id !== undefined) return { kind: "project", id: payload.project_id };
  if (payload.project_grant_id !== undefined) return { kind: "project-grant", id: payload.project_grant_id };
  return { kind: "instance" };
}

/** Limits the token that a target is checked as like the token of the call. */
async function limitTarget(
  tx: WriteTransaction,
  { editor, payload }: Pick<RecordedEvent, "editor"> & { readonly payload: Partial<TargetTokenPayload> },
): Promise<void> {
  const { token_id: tokenId, made_with_token_id: madeWithTokenId } = payload;
  if (tokenId !== undefined) await leaveOutAlike(tx, { tokenId, userId: editor, madeWithTokenId });
}
