import type { Details } from "../../kernel/base/details.ts";
import type {
  OrganizationId,
  ProjectGrantId,
  ProjectId,
  UserGrantId,
  UserId,
} from "../../kernel/base/ids.ts";
import { type Access, mayAccessProject, mayAccessProjectGrant } from "../../kernel/base/permission.ts";
import { alreadyExists, type FieldViolation, notFound, Problem } from "../../kernel/base/problem.ts";
import {
  changePeriod,
  isSamePeriod,
  type Period,
  type RolesInTimeChange,
  toPeriodPayload,
} from "../rights-in-time/period.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { type ProjectGrant, projectGrantNotFound } from "../projects/project-grant.ts";
import { projectNotFound } from "../projects/project.ts";
import { toRoleSet } from "../projects/role.ts";

/** The roles that a user holds for a project within an organization, and when they count. */
export interface UserGrant extends Period {
  readonly id: UserGrantId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly userId: UserId;
  readonly projectId: ProjectId;
  /** The project grant through which the organization has the project; empty when it owns the project. */
  readonly projectGrantId: ProjectGrantId | "";
  readonly roleKeys: readonly string[];
}

/** How the organization acted on has a project, and the roles that it may give there. */
export type GrantSource =
  | { readonly kind: "owned"; readonly projectId: ProjectId; readonly roleKeys: ReadonlySet<string> }
  | { readonly kind: "granted"; readonly grant: ProjectGrant };

/**
 * Decides what a user grant rests on. `source` says how the organization has the project; undefined when it does not. Projects
 * and project grants out of the caller's reach count as absent. Raises NOT_FOUND (project, project grant),
 * PROJECT_GRANT_REQUIRED, PROJECT_GRANT_NOT_ALLOWED.
 */
export function requireGrantSource(input: {
  readonly access: Access;
  readonly source: GrantSource | undefined;
  /** As the caller named them. */
  readonly projectId: string;
  readonly projectGrantId: string;
}): GrantSource {
  const { access, source, projectId, projectGrantId } = input;
  if (source?.kind === "owned" && mayAccessProject(access, source.projectId)) {
    if (projectGrantId !== "") throw projectGrantNotAllowed(projectId);
    return source;
  }
  if (source?.kind === "granted" && mayAccessProjectGrant(access, source.grant.id)) {
    if (projectGrantId === "") throw projectGrantRequired(projectId);
    if (projectGrantId !== source.grant.id) throw projectGrantNotFound(projectGrantId);
    return source;
  }
  throw projectNotFound(projectId);
}

/**
 * Decides to give a user roles. Roles are a set: duplicates collapse in the order in which each comes first, none is
 * allowed. Raises NOT_FOUND for a role that the source does not have.
 */
export function addUserGrant(input: {
  readonly id: UserGrantId;
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly source: GrantSource;
  readonly roleKeys: readonly string[];
  readonly period?: Period;
  /** Whether the caller holds user.grant.write in the organization of the user. */
  readonly isHeldAtHome: boolean;
}): Extract<NewEvent, { readonly type: "user_grant.added" }> {
  return {
    type: "user_grant.added",
    aggregateId: input.id,
    resourceOwner: input.organizationId,
    payload: {
      user_id: input.userId,
      ...toGrantPayload(input.source, input.roleKeys),
      ...toPeriodPayload(input.period ?? {}),
      ...(input.isHeldAtHome ? { held_at_home: true } : {}),
    },
  };
}

/**
/**
 * Makes the part of a new grant that is about the project, for grants to users and to groups. Raises NOT_FOUND for a role that the source does not
 * have.
 */
export function toGrantPayload(source: GrantSource, roleKeys: readonly string[]) {
  const allowed = source.kind === "owned" ? source.roleKeys : new Set(source.grant.roleKeys);
  return {
    project_id: source.kind === "owned" ? source.projectId : source.grant.projectId,
    project_grant_id: source.kind === "owned" ? "" : source.grant.id,
    role_keys: toRoleSet(roleKeys, allowed),
  };
}

/**
 * Decides to replace the roles of a grant and to change its dates: an event, or none when nothing changes. `allowed` are the roles of
 * the project or project grant that it rests on. Raises NOT_FOUND for any other role, FIELD_INVALID for dates.
 */
export function updateUserGrant(
  grant: UserGrant,
  allowed: ReadonlySet<string>,
  asked: RolesInTimeChange,
): readonly NewEvent[] {
  const roleKeys = toRoleSet(asked.roleKeys, allowed);
  const period = changePeriod(grant, asked);
  if (JSON.stringify(roleKeys) === JSON.stringify(grant.roleKeys) && isSamePeriod(period, grant)) return [];
  const payload = { role_keys: roleKeys, ...toPeriodPayload(period) };
  return [{ type: "user_grant.changed", ...aggregateOf(grant), payload }];
}

/** Decides to deactivate a grant: an event, or none when it is inactive. */
export function deactivateUserGrant(grant: UserGrant): readonly NewEvent[] {
  if (grant.state === "INACTIVE") return [];
  return [{ type: "user_grant.deactivated", ...aggregateOf(grant), payload: {} }];
}

/** Decides to reactivate a grant: an event, or none when it is active. */
export function reactivateUserGrant(grant: UserGrant): readonly NewEvent[] {
  if (grant.state === "ACTIVE") return [];
  return [{ type: "user_grant.reactivated", ...aggregateOf(grant), payload: {} }];
}

/** Decides to remove a grant. */
export function removeUserGrant(grant: UserGrant): readonly NewEvent[] {
  return [{ type: "user_grant.removed", ...aggregateOf(grant), payload: {} }];
}

/**
 * Returns the grants in the order of the ids. Raises NOT_FOUND for the first one that was not found or is out of the
 * caller's reach.
 */
export function requireUserGrants(
  access: Access,
  found: readonly UserGrant[],
  ids: readonly string[],
): readonly UserGrant[] {
  const byId = new Map<string, UserGrant>(found.map((grant) => [grant.id, grant]));
  return ids.map((id) => {
    const grant = byId.get(id);
    if (grant === undefined || !mayAccessUserGrant(access, grant)) throw userGrantNotFound(id);
    return grant;
  });
}

/** Returns a violation for each id that is already in the list. */
export function findRepeatedIds(ids: readonly string[]): readonly FieldViolation[] {
  const seen = new Set<string>();
  const violations: FieldViolation[] = [];
  for (const [index, id] of ids.entries()) {
    if (seen.has(id))
      violations.push({ field: `grant_ids[${index}]`, description: "is already in the list" });
    seen.add(id);
  }
  return violations;
}

/** Says whether the caller's roles cover the grant, which must be one of the organization of the call. */
export function mayAccessUserGrant(access: Access, grant: UserGrant): boolean {
  return grant.projectGrantId === ""
    ? mayAccessProject(access, grant.projectId)
    : mayAccessProjectGrant(access, grant.projectGrantId);
}

/**
 * Returns the problem of a user grant that does not exist, belongs to another organization or user, or is out of the
 * caller's reach.
 */
export function userGrantNotFound(id: string): Problem {
  return notFound("user_grant", id);
}

/** Returns the problem of a user who already has a grant for the project. */
export function userGrantTaken(userId: string): Problem {
  return alreadyExists(
    "user_grant",
    userId,
    `the user ${JSON.stringify(userId)} already has a grant for this project; update that grant`,
  );
}

function aggregateOf(grant: UserGrant) {
  return { aggregateId: grant.id, resourceOwner: grant.details.resourceOwner };
}

function projectGrantRequired(projectId: string): Problem {
  return projectGrantProblem(
    "PROJECT_GRANT_REQUIRED",
    projectId,
    "the organization has the project through a project grant: project_grant_id must name that grant",
  );
}

function projectGrantNotAllowed(projectId: string): Problem {
  return projectGrantProblem(
    "PROJECT_GRANT_NOT_ALLOWED",
    projectId,
    "the organization owns the project: project_grant_id must be empty",
  );
}

function projectGrantProblem(
  reason: "PROJECT_GRANT_REQUIRED" | "PROJECT_GRANT_NOT_ALLOWED",
  projectId: string,
  message: string,
): Problem {
  const description = reason === "PROJECT_GRANT_REQUIRED" ? "must name the project grant" : "must be empty";
  return new Problem({
    kind: "invalid",
    reason,
    message,
    metadata: { project_id: projectId },
    violations: [{ field: "project_grant_id", description }],
  });
}
