import type { Details } from "../../kernel/base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "../../kernel/base/ids.ts";
import { type Access, mayAccessProject, mayAccessProjectGrant } from "../../kernel/base/permission.ts";
import { alreadyExists, fieldInvalid, notFound, type Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import {
  changePeriod,
  isInPeriod,
  isSamePeriod,
  type Period,
  type RolesInTimeChange,
  toPeriodPayload,
} from "../rights-in-time/period.ts";
import { type Project, projectNotFound } from "./project.ts";
import { toRoleSet } from "./role.ts";

/** Lends a project, with some of its roles, to another organization, and says when that counts. */
export interface ProjectGrant extends Period {
  readonly id: ProjectGrantId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  readonly projectId: ProjectId;
  readonly grantedOrganizationId: OrganizationId;
  readonly roleKeys: readonly string[];
}

/** A project grant with the current name of the project. */
export interface NamedProjectGrant extends ProjectGrant {
  readonly projectName: string;
}

/** Says whether the grant lends the project at that instant. */
export function isProjectGrantInForce(
  grant: Pick<ProjectGrant, "state" | "startDate" | "endDate">,
  now: Instant,
): boolean {
  return grant.state === "ACTIVE" && isInPeriod(grant, now);
}

/**
 * Decides to grant a project. Roles are a set: duplicates count once, and it may be empty. Raises NOT_FOUND for a
 * role that the project does not have and FIELD_INVALID for a grant to the owner itself.
 */
export function addProjectGrant(input: {
  readonly id: ProjectGrantId;
  readonly project: Project;
  readonly projectRoles: ReadonlySet<string>;
  readonly grantedOrganizationId: OrganizationId;
  readonly roleKeys: readonly string[];
  readonly period?: Period;
}): NewEvent {
  const { project, grantedOrganizationId } = input;
  const roleKeys = toRoleSet(input.roleKeys, input.projectRoles);
  return {
    type: "project_grant.added",
    aggregateId: input.id,
    resourceOwner: project.details.resourceOwner,
    payload: {
      project_id: project.id,
      granted_organization_id: grantedOrganizationId,
      role_keys: roleKeys,
      ...toPeriodPayload(input.period ?? {}),
    },
  };
}

/**
 * Decides to replace the roles of a project grant and to change its dates: an event, or none when they are the same in the same order.
 * Roles are a set, as above. Raises NOT_FOUND for a role that the project does not have, FIELD_INVALID for dates.
 */
export function updateProjectGrant(
  grant: ProjectGrant,
  input: RolesInTimeChange & { readonly projectRoles: ReadonlySet<string> },
): readonly NewEvent[] {
  const roleKeys = toRoleSet(input.roleKeys, input.projectRoles);
  const period = changePeriod(grant, input);
  if (JSON.stringify(roleKeys) === JSON.stringify(grant.roleKeys) && isSamePeriod(period, grant)) return [];
  const { resourceOwner } = grant.details;
  const payload = { role_keys: roleKeys, ...toPeriodPayload(period) };
  return [{ type: "project_grant.changed", aggregateId: grant.id, resourceOwner, payload }];
}

/** Decides to deactivate or reactivate a project grant: an event, or none when it is in that state. */
export function setProjectGrantState(grant: ProjectGrant, state: ProjectGrant["state"]): readonly NewEvent[] {
  if (grant.state === state) return [];
  const type = state === "ACTIVE" ? "project_grant.reactivated" : "project_grant.deactivated";
  return [{ type, aggregateId: grant.id, resourceOwner: grant.details.resourceOwner, payload: {} }];
}

/** Decides to remove a project grant, with everything that rests on it. */
export function removeProjectGrant(grant: ProjectGrant): NewEvent {
  const { resourceOwner } = grant.details;
  return { type: "project_grant.removed", aggregateId: grant.id, resourceOwner, payload: {} };
}

/** How the organization that the call acts on has a project, and the project grant that it may read there. */
export type ProjectGrantView =
  /** It owns the project; `grant` is the one that the caller named, of any project. */
  | { readonly kind: "owned"; readonly grant: NamedProjectGrant | undefined }
  /** `grant` is the grant through which it has the project. */
  | { readonly kind: "granted"; readonly grant: NamedProjectGrant };

/**
 * Decides whether the caller may read a project grant. `undefined` means that the organization does not have the
 * project. Objects outside the caller's roles do not exist for the caller. Raises NOT_FOUND (project, project grant).
 */
export function requireReadable(
  access: Access,
  asked: { readonly projectId: string; readonly grantId: string },
  view: ProjectGrantView | undefined,
): NamedProjectGrant {
  const { projectId, grantId } = asked;
  const isOpen =
    view?.kind === "granted"
      ? mayAccessProjectGrant(access, view.grant.id)
      : mayAccessProject(access, projectId);
  if (view === undefined || !isOpen) throw projectNotFound(projectId);
  return requireGrantOf(projectId, grantId, view.grant);
}

/** Returns the grant if it is the one of that project. Raises NOT_FOUND. */
export function requireGrantOf<T extends ProjectGrant>(
  projectId: string,
  grantId: string,
  grant: T | undefined,
): T {
  if (grant?.projectId !== projectId || grant.id !== grantId) throw projectGrantNotFound(grantId);
  return grant;
}

/** Returns the problem of granting a project to its own owner. */
export function grantedToOwner(): Problem {
  return fieldInvalid(
    "granted_organization_id",
    "must be another organization than the owner of the project",
  );
}

/** Returns the problem of a project that is already granted to the organization. */
export function projectGrantTaken(grantedOrganizationId: string): Problem {
  return alreadyExists(
    "project_grant",
    grantedOrganizationId,
    `the project is already granted to the organization ${JSON.stringify(grantedOrganizationId)}`,
  );
}

/**
 * Returns the problem of a project grant that does not exist, belongs to another project, or is not made to the
 * organization that the call acts on.
 */
export function projectGrantNotFound(id: string): Problem {
  return notFound("project_grant", id);
}
