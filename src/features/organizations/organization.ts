import type { Details } from "../../base/details.ts";
import type { OrganizationId } from "../../base/ids.ts";
import { alreadyExists, notFound, type Problem } from "../../base/problem.ts";
import type { NewEvent } from "../../events/event.ts";

export interface Organization {
  readonly id: OrganizationId;
  readonly details: Details;
  readonly state: "ACTIVE" | "INACTIVE";
  /** Unique in the instance. */
  readonly name: string;
}

/** Decides to add an organization, which owns itself. */
export function addOrganization(id: OrganizationId, name: string): NewEvent {
  return { type: "organization.added", aggregateId: id, resourceOwner: id, payload: { name } };
}

/** Returns the problem of an organization that is absent. */
export function organizationNotFound(id: string): Problem {
  return notFound("organization", id);
}

/** Returns the problem of a name that another organization of the instance has. */
export function organizationNameTaken(name: string): Problem {
  return alreadyExists("organization", name);
}
