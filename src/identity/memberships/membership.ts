import type { Details } from "../../kernel/base/details.ts";
import type { GroupId, MembershipId, TokenId, UserId } from "../../kernel/base/ids.ts";
import {
  findMissing,
  type HeldRoles,
  type Role,
  roleDefinitions,
  type Scope,
} from "../../kernel/base/permission.ts";
import {
  alreadyExists,
  type FieldViolation,
  fieldsInvalid,
  notFound,
  permissionDenied,
  type Problem,
} from "../../kernel/base/problem.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { hasEnded, isSamePeriod, type Period, toPeriodPayload } from "../rights-in-time/period.ts";

/** A scope as a caller names it, before it is looked up. */
export type ScopeName =
  | { readonly kind: "instance" }
  | { readonly kind: "organization"; readonly id: string }
  | { readonly kind: "project"; readonly id: string }
  | { readonly kind: "project-grant"; readonly id: string };

/** How many memberships a user may have. All of them are read when the user calls. */
export const maxMemberships = 1000;
/** How many memberships a group may have, besides those of the groups that it is in. */
export const maxMembershipsOfGroup = 100;

/** Whose membership it is. */
export type MembershipHolder =
  | { readonly userId: UserId; readonly groupId?: undefined }
  | { readonly groupId: GroupId; readonly userId?: undefined };

/** The roles of a user, or of all who are in a group, on one scope, and when they are in effect. */
export type Membership = MembershipHolder &
  Period & {
    readonly id: MembershipId;
    /** The resource owner is the organization of the scope; the instance id for the instance. */
    readonly details: Details;
    readonly scope: Scope;
    /** As they were recorded: a name may not be a role in this version. */
    readonly roles: readonly string[];
  };

/** Decides to give a user, or a group, roles on a scope. Roles are a set. */
export function addMembership(
  input: MembershipHolder & {
    readonly id: MembershipId;
    readonly scope: Scope;
    readonly roles: readonly Role[];
    /** The organization of the scope; the instance id for the instance. */
    readonly resourceOwner: string;
    readonly period?: Period;
    /** Tokens of the user, or of those in the group, that do not carry the roles. */
    readonly limitedTokenIds?: readonly TokenId[];
  },
): NewEvent {
  const { id, userId, groupId, scope, roles, resourceOwner, period = {}, limitedTokenIds } = input;
  return {
    type: "membership.added",
    aggregateId: id,
    resourceOwner,
    payload: {
      ...(userId === undefined ? { group_id: groupId } : { user_id: userId }),
      ...toScopePayload(scope),
      roles: [...new Set(roles)],
      ...toPeriodPayload(period),
      ...toLimitPayload(limitedTokenIds),
    },
  };
}

/** What replaces the roles and the dates of a membership. */
export interface MembershipChange extends Period {
  readonly roles: readonly Role[];
}

/** Checks whether the membership has exactly these roles, in this order, and these dates. */
export function isSame(membership: Membership, asked: MembershipChange): boolean {
  const hasRoles = JSON.stringify([...new Set(asked.roles)]) === JSON.stringify(membership.roles);
  return hasRoles && isSamePeriod(membership, asked);
}

/** Which roles of a membership are new to its user from a change on, and which the user goes on holding. */
export interface Gained {
  readonly gained: readonly Role[];
  readonly kept: readonly Role[];
}

/**
 * Decides what a user gains by a change. A membership is held from the write that gives it until its end, so a start, be it in the
 * future, makes no difference. A later end is a gain of all roles, as if they were given then, and so is everything that lets a
 * membership that has ended go on. Of one that has ended already nothing is gained.
 */
export function findGained(membership: Membership, asked: MembershipChange, now: Instant): Gained {
  if (hasEnded(asked, () => now)) return { gained: [], kept: [] };
  const { roles, endDate } = membership;
  const isLonger = endDate !== undefined && (asked.endDate === undefined || asked.endDate > endDate);
  if (isLonger) return { gained: asked.roles, kept: [] };
  return {
    gained: asked.roles.filter((role) => !roles.includes(role)),
    kept: asked.roles.filter((role) => roles.includes(role)),
  };
}

/**
 * Decides to replace the roles and the dates. `limitedTokenIds` are tokens of the user that do not carry what is gained. If that is
 * more than the roles that are added, as with a later end, they lose all roles by an event of its own.
 */
export function updateMembership(
  membership: Membership,
  asked: MembershipChange,
  { gained, limitedTokenIds }: Pick<Gained, "gained"> & { readonly limitedTokenIds: readonly TokenId[] },
): readonly NewEvent[] {
  const { id, roles, details } = membership;
  const { resourceOwner } = details;
  const isOfAdded = !gained.some((role) => roles.includes(role));
  const changed: NewEvent = {
    type: "membership.changed",
    aggregateId: id,
    resourceOwner,
    payload: {
      roles: [...new Set(asked.roles)],
      ...toPeriodPayload(asked),
      ...toLimitPayload(isOfAdded ? limitedTokenIds : []),
    },
  };
  if (isOfAdded || limitedTokenIds.length === 0) return [changed];
  return [changed, limitMembership({ id, resourceOwner }, limitedTokenIds)];
}

/** Decides that these tokens of the user do not carry the roles of the membership. */
export function limitMembership(
  { id, resourceOwner }: { readonly id: MembershipId; readonly resourceOwner: string },
  limitedTokenIds: readonly TokenId[],
): NewEvent {
  return {
    type: "membership.limited",
    aggregateId: id,
    resourceOwner,
    payload: { limited_token_ids: limitedTokenIds },
  };
}

/** Decides to remove a membership. */
export function removeMembership({ id, details }: Membership): NewEvent {
  return {
    type: "membership.removed",
    aggregateId: id,
    resourceOwner: details.resourceOwner,
    payload: {},
  };
}

/**
 * Raises PERMISSION_DENIED for giving or taking away roles with a permission that the caller lacks on the same scope.
 */
export function requireHeld(held: readonly HeldRoles[], wanted: HeldRoles, resourceOwner: string): void {
  const missing = findMissing(held, [wanted]);
  if (missing !== undefined) throw permissionDenied(missing.permission, resourceOwner);
}

/**
 * Raises PERMISSION_DENIED if the caller has a permission of the roles only until an end before `until`: callers do not prolong what they
 * have themselves. `until` undefined: for good.
 */
export function requireLasting(
  held: readonly HeldRoles[],
  wanted: HeldRoles,
  until: Instant | undefined,
): void {
  const lasting = held.filter(
    ({ endDate }) => endDate === undefined || (until !== undefined && endDate >= until),
  );
  const missing = findMissing(lasting, [wanted]);
  if (missing === undefined) return;
  const { permission, scope } = missing;
  throw permissionDenied(
    permission,
    scope.kind === "instance" ? undefined : scope.organizationId,
    `the caller has the permission ${permission} for a time only, and may not give it to themselves for longer`,
  );
}

/** Finds the names that are not roles on that kind of scope: a violation for each. */
export function findWrongRoles(
  kind: Scope["kind"] | undefined,
  names: readonly string[],
): readonly FieldViolation[] {
  if (kind === undefined) return [];
  const fitting = Object.entries(roleDefinitions).filter(([, definition]) => definition.scope === kind);
  return findOthers(
    names,
    fitting.map(([name]) => name),
  );
}

/** Finds the names that are not roles on any kind of scope: a violation for each. */
export function findUnknownRoles(names: readonly string[]): readonly FieldViolation[] {
  return findOthers(names, Object.keys(roleDefinitions));
}

/** Refuses names that are not roles of that kind of scope: FIELD_INVALID. */
export function requireFitting(kind: Scope["kind"], names: readonly string[]): void {
  const violations = findWrongRoles(kind, names);
  if (violations.length > 0) throw fieldsInvalid(violations);
}

/** The problem of a membership that is absent, or on a scope where the caller may not change memberships. */
export function membershipNotFound(id: string): Problem {
  return notFound("membership", id);
}

/** The problem of a user, or a group, that already has a membership on the scope. */
export function membershipTaken({ userId, groupId }: MembershipHolder): Problem {
  const [noun, id] = userId === undefined ? ["group", groupId] : ["user", userId];
  return alreadyExists(
    "membership",
    id,
    `the ${noun} ${JSON.stringify(id)} already has a membership on this scope`,
  );
}

function toLimitPayload(tokenIds: readonly TokenId[] = []) {
  return tokenIds.length === 0 ? {} : { limited_token_ids: tokenIds };
}

function toScopePayload(scope: Scope) {
  switch (scope.kind) {
    case "instance":
      return { instance: true as const };
    case "organization":
      return { organization_id: scope.organizationId };
    case "project":
      return { project_id: scope.projectId };
    case "project-grant":
      return { project_grant_id: scope.projectGrantId };
  }
}

function findOthers(names: readonly string[], known: readonly string[]): readonly FieldViolation[] {
  return names.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [{ field: `roles[${index}]`, description: `must be one of ${known.join(", ")}` }],
  );
}
