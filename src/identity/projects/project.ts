import type { Details } from "../../kernel/base/details.ts";
import type { OrganizationId, ProjectId } from "../../kernel/base/ids.ts";
import { alreadyExists, notFound, type Problem } from "../../kernel/base/problem.ts";
import { requireVisible } from "../../kernel/base/names/visible-name.ts";
import type { ProjectSettingsPayload } from "../../kernel/events/payloads.ts";
import type { NewEvent } from "../../kernel/events/event.ts";

/** What the owner of a project decides about it. A change replaces all of it. */
export interface ProjectSettings {
  readonly name: string;
  /** Whether the user info endpoint includes roles. */
  readonly projectRoleAssertion: boolean;
  /** Whether users need a role of this project to log in. */
  readonly projectRoleCheck: boolean;
  /** Whether users can log in only if their organization has a grant to this project. */
  readonly hasProjectCheck: boolean;
  /** Name of the value of the enum PrivateLabelingSetting. */
  readonly privateLabelingSetting: string;
}

/** Something that users are authorized for, with its roles and applications. An inactive project gives nobody a role. */
export interface Project extends ProjectSettings {
  readonly id: ProjectId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
}

/** Decides to add a project. Raises FIELD_INVALID for a name with invisible characters. */
export function addProject(
  id: ProjectId,
  organizationId: OrganizationId,
  settings: ProjectSettings,
): NewEvent {
  requireVisible({ name: settings.name });
  return {
    type: "project.added",
    aggregateId: id,
    resourceOwner: organizationId,
    payload: toPayload(settings),
  };
}

/** Decides to replace all settings: an event, or none when nothing changes. Raises FIELD_INVALID as `addProject` does. */
export function updateProject(project: Project, settings: ProjectSettings): readonly NewEvent[] {
  requireVisible({ name: settings.name }, { name: project.name });
  const before = toPayload(project);
  const after = toPayload(settings);
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const { resourceOwner } = project.details;
  return [{ type: "project.changed", aggregateId: project.id, resourceOwner, payload: after }];
}

/** Decides to deactivate or reactivate a project: an event, or none when it is in that state. */
export function setProjectState(project: Project, state: Project["state"]): readonly NewEvent[] {
  if (project.state === state) return [];
  const type = state === "ACTIVE" ? "project.reactivated" : "project.deactivated";
  return [{ type, aggregateId: project.id, resourceOwner: project.details.resourceOwner, payload: {} }];
}

/** Decides to remove a project, with everything that depends on it. */
export function removeProject(project: Project): NewEvent {
  const { resourceOwner } = project.details;
  return { type: "project.removed", aggregateId: project.id, resourceOwner, payload: {} };
}

/**
 * Returns the problem of a project that does not exist, belongs to another organization, or is out of the caller's
 * reach.
 */
export function projectNotFound(id: string): Problem {
  return notFound("project", id);
}

/** Returns the problem of a name that another project of the organization has. */
export function projectNameTaken(name: string): Problem {
  return alreadyExists("project", name);
}

function toPayload(settings: ProjectSettings): ProjectSettingsPayload {
  return {
    name: settings.name,
    project_role_assertion: settings.projectRoleAssertion,
    project_role_check: settings.projectRoleCheck,
    has_project_check: settings.hasProjectCheck,
    private_labeling_setting: settings.privateLabelingSetting,
  };
}
