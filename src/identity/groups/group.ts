import type { Details } from "../../kernel/base/details.ts";
import type { GroupId, OrganizationId } from "../../kernel/base/ids.ts";
import { requireVisible } from "../../kernel/base/names/visible-name.ts";
import { type HeldRoles, holdsOnOrganization } from "../../kernel/base/permission.ts";
import { alreadyExists, notFound, permissionDenied, Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { GroupSettingsPayload } from "../../kernel/events/rights-payloads.ts";
import { type Period, toPeriodPayload } from "../rights-in-time/period.ts";

/** What alone changes the members of a group. */
export type GroupSource =
  | { readonly kind: "provider"; readonly idpId: string }
  | { readonly kind: "user"; readonly userId: string }
  | { readonly kind: "hook"; readonly hookId: string };

/** What administrators decide about a group. A change replaces all of it. */
export interface GroupSettings {
  readonly name: string;
  readonly description: string;
  /** Empty = none. */
  readonly externalId: string;
  /** Undefined: administrators change the members. */
  readonly source: GroupSource | undefined;
}

/** Users of an organization who have in common what the group is given. */
export interface Group extends GroupSettings {
  readonly id: GroupId;
  readonly details: Details;
  readonly organizationId: OrganizationId;
}

/** Users and groups that are to become members of a group, or to be members no longer. Each once. */
export interface GroupMembers {
  readonly userIds: readonly string[];
  readonly groupIds: readonly string[];
}

/** So many groups may be in a chain in which each is a member of the next. */
export const maxDepth = 5;
/** So many groups may be in a group, at all levels. */
export const maxInnerGroups = 1000;
/** A group may be in so many others, at all levels. */
export const maxOuterGroups = 50;
/** A user may be a direct member of so many groups. */
export const maxGroupsOfUser = 1000;
/** So many users may be in a group that has a membership, or is in one that has, at all levels: each gains or loses roles in one write. */
export const maxAdministrators = 1000;

/** Decides to add a group. Raises FIELD_INVALID for a name with invisible characters. */
export function addGroup(id: GroupId, organizationId: OrganizationId, settings: GroupSettings): NewEvent {
  requireVisible({ name: settings.name });
  return {
    type: "group.added",
    aggregateId: id,
    resourceOwner: organizationId,
    payload: toPayload(settings),
  };
}

/** Decides to replace all settings: an event, or none when nothing changes. Raises FIELD_INVALID as `addGroup` does. */
export function updateGroup(group: Group, settings: GroupSettings): readonly NewEvent[] {
  requireVisible({ name: settings.name }, { name: group.name });
  const after = toPayload(settings);
  if (JSON.stringify(toPayload(group)) === JSON.stringify(after)) return [];
  return [{ type: "group.changed", ...aggregateOf(group), payload: after }];
}

/** Says whether the settings name a source that the group does not have. */
export function isNewSource({ source }: Group, settings: GroupSettings): boolean {
  return settings.source !== undefined && JSON.stringify(settings.source) !== JSON.stringify(source);
}

/** Decides to remove a group, with its grants and memberships. */
export function removeGroup(group: Group): NewEvent {
  return { type: "group.removed", ...aggregateOf(group), payload: {} };
}

/**
 * Decides to add members: an event, or none when there are none. The period is the one of the users; users who are members already get it
 * instead of theirs.
 */
export function addMembers(
  group: AboutGroup,
  members: GroupMembers,
  period: Period = {},
): readonly NewEvent[] {
  if (isNobody(members)) return [];
  const payload = { ...toMembersPayload(members), ...toPeriodPayload(period) };
  return [{ type: "group.member.added", ...aggregateOf(group), payload }];
}

/** Decides to remove members: an event, or none when there are none. They must be members. */
export function removeMembers(group: AboutGroup, members: GroupMembers): readonly NewEvent[] {
  if (isNobody(members)) return [];
  return [{ type: "group.member.removed", ...aggregateOf(group), payload: toMembersPayload(members) }];
}

/** Says whether there are no members among them. */
export function isNobody({ userIds, groupIds }: GroupMembers): boolean {
  return userIds.length + groupIds.length === 0;
}

/** Says whether the caller is the source of the group. */
export function isSource({ source }: Group, caller: { readonly userId: string }): boolean {
  return source?.kind === "user" && source.userId === caller.userId;
}

/** Refuses a caller that is not the source of a group that has one. Raises PERMISSION_DENIED. */
export function requireSource(group: Group, caller: { readonly userId: string }): void {
  if (group.source === undefined || isSource(group, caller)) return;
  throw permissionDenied(
    "group.write",
    group.details.resourceOwner,
    "only the source of the group may change its members",
  );
}

/** Refuses a caller who may not change what the members of the group have. Raises PERMISSION_DENIED. */
export function requireMayGiveTo(
  held: readonly HeldRoles[],
  { organizationId }: Pick<Group, "organizationId">,
): void {
  if (!holdsOnOrganization(held, "group.write", organizationId))
    throw permissionDenied("group.write", organizationId);
}

/** Returns the problem of a group that does not exist, or belongs to another organization. */
export function groupNotFound(id: string): Problem {
  return notFound("group", id);
}

/** Returns the problem of a name that another group of the organization has. */
export function groupNameTaken(name: string): Problem {
  return alreadyExists("group", name);
}

/** Returns the problem of a member that contains the group, or is the group. */
export function groupCircle(groupId: string): Problem {
  return new Problem({
    kind: "precondition",
    reason: "GROUP_CIRCLE",
    message: `the group ${JSON.stringify(groupId)} contains the group that it is to become a member of`,
    metadata: { group_id: groupId },
  });
}

/** Returns the problem of a member by which groups would be nested too deep. */
export function groupTooDeep(groupId: string): Problem {
  return new Problem({
    kind: "precondition",
    reason: "GROUP_TOO_DEEP",
    message: `with the group ${JSON.stringify(groupId)}, more than ${maxDepth} groups would be in a chain`,
    metadata: { group_id: groupId },
  });
}

/** Returns the problem of a group with a source that would be in one with a membership. */
export function groupSourced(groupId: string): Problem {
  return new Problem({
    kind: "precondition",
    reason: "GROUP_SOURCED",
    message: `the group ${JSON.stringify(groupId)} has a source, so neither it nor a group that contains it can have memberships`,
    metadata: { group_id: groupId },
  });
}

/** Reads the source that a payload or a row names. */
export function toSource({
  source_idp_id: idpId,
  source_user_id: userId,
  source_hook_id: hookId,
}: {
  readonly source_idp_id: string | null;
  readonly source_user_id: string | null;
  readonly source_hook_id: string | null;
}): GroupSource | undefined {
  if (idpId !== null) return { kind: "provider", idpId };
  if (hookId !== null) return { kind: "hook", hookId };
  return userId === null ? undefined : { kind: "user", userId };
}

function toPayload({ name, description, externalId, source }: GroupSettings): GroupSettingsPayload {
  return {
    name,
    description,
    external_id: externalId,
    ...(source?.kind === "provider" ? { source_idp_id: source.idpId } : {}),
    ...(source?.kind === "user" ? { source_user_id: source.userId } : {}),
    ...(source?.kind === "hook" ? { source_hook_id: source.hookId } : {}),
  };
}

function toMembersPayload({ userIds, groupIds }: GroupMembers) {
  return { user_ids: userIds, group_ids: groupIds };
}

type AboutGroup = Pick<Group, "id"> & { readonly details: Pick<Details, "resourceOwner"> };

function aggregateOf({ id, details }: AboutGroup) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}
