import type { Details } from "../../kernel/base/details.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import { alreadyExists, notFound, type Problem } from "../../kernel/base/problem.ts";
import { requireVisible } from "../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../kernel/events/event.ts";

/** A tenant: it owns users, projects and everything else. It owns itself. */
export interface Organization {
  readonly id: OrganizationId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  /** Unique in the instance. */
  readonly name: string;
}

/** Decides to add an organization, which owns itself. Raises FIELD_INVALID for a name with invisible characters. */
export function addOrganization(id: OrganizationId, name: string): NewEvent {
  requireVisible({ name });
  return { type: "organization.added", aggregateId: id, resourceOwner: id, payload: { name } };
}

/** Decides to replace the name: an event, or none when it is the same. Raises FIELD_INVALID as `addOrganization` does. */
export function updateOrganization({ id, name }: Organization, newName: string): readonly NewEvent[] {
  if (newName === name) return [];
  requireVisible({ name: newName });
  return [{ type: "organization.changed", aggregateId: id, resourceOwner: id, payload: { name: newName } }];
}

/** Decides to deactivate an organization: an event, or none when it is inactive. */
export function deactivateOrganization({ id, state }: Organization): readonly NewEvent[] {
  if (state === "INACTIVE") return [];
  return [{ type: "organization.deactivated", aggregateId: id, resourceOwner: id, payload: {} }];
}

/** Decides to reactivate an organization: an event, or none when it is active. */
export function reactivateOrganization({ id, state }: Organization): readonly NewEvent[] {
  if (state === "ACTIVE") return [];
  return [{ type: "organization.reactivated", aggregateId: id, resourceOwner: id, payload: {} }];
}

/** Decides to remove an organization with everything in it. */
export function removeOrganization({ id }: Organization): NewEvent {
  return { type: "organization.removed", aggregateId: id, resourceOwner: id, payload: {} };
}

/** Returns the problem of an organization that does not exist. */
export function organizationNotFound(id: string): Problem {
  return notFound("organization", id);
}

/** Returns the problem of a name that another organization of the instance has. */
export function organizationNameTaken(name: string): Problem {
  return alreadyExists("organization", name);
}
