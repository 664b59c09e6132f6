import type { Details } from "../../kernel/base/details.ts";
import { alreadyExists, type FieldViolation, notFound, type Problem } from "../../kernel/base/problem.ts";
import { checkVisible, requireVisible } from "../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { Project } from "./project.ts";

/** A role of a project. Its key is unique in the project, exactly as written. */
export interface RoleSettings {
  readonly key: string;
  readonly displayName: string;
  readonly group: string;
}

/** A role of a project, with details of its own. */
export interface ProjectRole extends RoleSettings {
  /** The key, which is the position of a role in lists. */
  readonly id: string;
  readonly details: Details;
}

/** Decides to add roles to a project; each has an event of its own. */
export function addRoles(project: Project, roles: readonly RoleSettings[]): readonly NewEvent[] {
  return roles.map((role) => ({
    type: "project.role.added",
    aggregateId: project.id,
    resourceOwner: project.details.resourceOwner,
    payload: { role_key: role.key, display_name: role.displayName, group: role.group },
  }));
}

/**
 * Decides to replace the display name and group of a role: an event, or none when nothing changes. Raises FIELD_INVALID for new ones
 * with invisible characters.
 */
export function updateRole(
  project: Project,
  role: ProjectRole,
  shown: Omit<RoleSettings, "key">,
): readonly NewEvent[] {
  if (role.displayName === shown.displayName && role.group === shown.group) return [];
  requireVisible(
    { display_name: shown.displayName, group: shown.group },
    { display_name: role.displayName, group: role.group },
  );
  return [
    {
      type: "project.role.changed",
      aggregateId: project.id,
      resourceOwner: project.details.resourceOwner,
      payload: { role_key: role.key, display_name: shown.displayName, group: shown.group },
    },
  ];
}

/** Decides to remove a role, which takes it out of every project grant and user grant. */
export function removeRole(project: Project, role: RoleSettings): NewEvent {
  return {
    type: "project.role.removed",
    aggregateId: project.id,
    resourceOwner: project.details.resourceOwner,
    payload: { role_key: role.key },
  };
}

/**
 * Returns the keys as a set: each once, in the order of first occurrence. Raises NOT_FOUND for the first one that is
 * not allowed.
 */
export function toRoleSet(keys: readonly string[], allowed: ReadonlySet<string>): readonly string[] {
  const unique = [...new Set(keys)];
  const unknown = unique.find((key) => !allowed.has(key));
  if (unknown !== undefined) throw roleNotFound(unknown);
  return unique;
}

/** Returns a violation for each text of the new role with invisible characters. `path` is that of the role in the request. */
export function checkNewRole(
  role: { readonly roleKey: string; readonly displayName: string; readonly group: string },
  path = "",
): readonly FieldViolation[] {
  return checkVisible({
    [`${path}role_key`]: role.roleKey,
    [`${path}display_name`]: role.displayName,
    [`${path}group`]: role.group,
  });
}

/** Returns a violation for each role whose key is already in the list. */
export function findRepeatedKeys(roles: readonly { readonly roleKey: string }[]): readonly FieldViolation[] {
  const seen = new Set<string>();
  const violations: FieldViolation[] = [];
  for (const [index, { roleKey }] of roles.entries()) {
    if (seen.has(roleKey))
      violations.push({ field: `roles[${index}].role_key`, description: "is already in the list" });
    seen.add(roleKey);
  }
  return violations;
}

/** Returns the problem of a role key that the project does not have. */
export function roleNotFound(key: string): Problem {
  return notFound("role", key);
}

/** Returns the problem of a role key that is taken in the project. */
export function roleTaken(key: string): Problem {
  return alreadyExists("role", key);
}
