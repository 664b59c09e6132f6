import type { Details } from "../../kernel/base/details.ts";
import type {
  GroupGrantId,
  GroupId,
  OrganizationId,
  ProjectGrantId,
  ProjectId,
} from "../../kernel/base/ids.ts";
import { type Access, mayAccessProject, mayAccessProjectGrant } from "../../kernel/base/permission.ts";
import { alreadyExists, notFound, type Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { toRoleSet } from "../projects/role.ts";
import {
  changePeriod,
  isSamePeriod,
  type Period,
  type RolesInTimeChange,
  toPeriodPayload,
} from "../rights-in-time/period.ts";
import { type GrantSource, toGrantPayload } from "../user-grants/user-grant.ts";

/** The roles that the members of a group hold for a project within an organization, and when they are in effect. */
export interface GroupGrant extends Period {
  readonly id: GroupGrantId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly groupId: GroupId;
  readonly projectId: ProjectId;
  /** The project grant through which the organization has the project; empty when it owns the project. */
  readonly projectGrantId: ProjectGrantId | "";
  readonly roleKeys: readonly string[];
}

/** Decides to give a group roles, as `addUserGrant` does. Raises NOT_FOUND for a role that the source does not have. */
export function addGroupGrant(input: {
  readonly id: GroupGrantId;
  readonly organizationId: OrganizationId;
  readonly groupId: GroupId;
  readonly source: GrantSource;
  readonly roleKeys: readonly string[];
  readonly period?: Period;
  /** Whether the caller holds user.grant.write in the organization of the group. */
  readonly isHeldAtHome: boolean;
}): NewEvent {
  return {
    type: "group_grant.added",
    aggregateId: input.id,
    resourceOwner: input.organizationId,
    payload: {
      group_id: input.groupId,
      ...toGrantPayload(input.source, input.roleKeys),
      ...toPeriodPayload(input.period ?? {}),
      held_at_home: input.isHeldAtHome,
    },
  };
}

/**
 * Decides to replace the roles of a grant and to change its dates: an event, or none when nothing changes. `allowed` are the roles of
 * the project or project grant that it rests on. Raises NOT_FOUND for any other role, FIELD_INVALID for dates.
 */
export function updateGroupGrant(
  grant: GroupGrant,
  allowed: ReadonlySet<string>,
  asked: RolesInTimeChange,
): readonly NewEvent[] {
  const roleKeys = toRoleSet(asked.roleKeys, allowed);
  const period = changePeriod(grant, asked);
  if (JSON.stringify(roleKeys) === JSON.stringify(grant.roleKeys) && isSamePeriod(period, grant)) return [];
  const payload = { role_keys: roleKeys, ...toPeriodPayload(period) };
  return [{ type: "group_grant.changed", ...aggregateOf(grant), payload }];
}

/** Decides to deactivate or reactivate a grant: an event, or none when it is in that state. */
export function setGroupGrantState(grant: GroupGrant, state: GroupGrant["state"]): readonly NewEvent[] {
  if (grant.state === state) return [];
  const type = state === "ACTIVE" ? "group_grant.reactivated" : "group_grant.deactivated";
  return [{ type, ...aggregateOf(grant), payload: {} }];
}

/** Decides to remove a grant. */
export function removeGroupGrant(grant: GroupGrant): NewEvent {
  return { type: "group_grant.removed", ...aggregateOf(grant), payload: {} };
}

/** Says whether the caller's roles cover the grant, which must be one of the organization of the call. */
export function mayAccessGroupGrant(
  access: Access,
  grant: Pick<GroupGrant, "projectId" | "projectGrantId">,
): boolean {
  return grant.projectGrantId === ""
    ? mayAccessProject(access, grant.projectId)
    : mayAccessProjectGrant(access, grant.projectGrantId);
}

/** Returns the problem of a group grant that does not exist, belongs to another organization or group, or is out of reach. */
export function groupGrantNotFound(id: string): Problem {
  return notFound("group_grant", id);
}

/** Returns the problem of a group that already has a grant for the project. */
export function groupGrantTaken(groupId: string): Problem {
  return alreadyExists(
    "group_grant",
    groupId,
    `the group ${JSON.stringify(groupId)} already has a grant for this project; update that grant`,
  );
}

function aggregateOf(grant: GroupGrant) {
  return { aggregateId: grant.id, resourceOwner: grant.details.resourceOwner };
}
