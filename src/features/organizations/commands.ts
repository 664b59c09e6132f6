import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { createdDetails, type Details } from "../../base/details.ts";
import type { OrganizationId } from "../../base/ids.ts";
import { type FeatureContext, write } from "../context.ts";
import {
  addOrganization,
  type Organization,
  organizationNameTaken,
  organizationNotFound,
} from "./organization.ts";
import { findOrganization, isOrganizationNameTaken } from "./repository.ts";

export interface OrganizationCommands {
  /** Raises ALREADY_EXISTS for a name that the instance has given. */
  add(call: Call, name: string): Promise<{ readonly id: OrganizationId; readonly details: Details }>;
}

export function createOrganizationCommands(context: FeatureContext): OrganizationCommands {
  return {
    add: (call, name) =>
      write(context, call, async ({ tx, append }) => {
        if (await isOrganizationNameTaken(tx, name)) throw organizationNameTaken(name);
        const id = context.ids.next<OrganizationId>();
        return { id, details: createdDetails(await append([addOrganization(id, name)]), id) };
      }),
  };
}

/** Returns the organization, whatever its state. Raises NOT_FOUND. */
export async function getOrganization(tx: ReadTransaction, id: string): Promise<Organization> {
  const organization = await findOrganization(tx, id);
  if (organization === undefined) throw organizationNotFound(id);
  return organization;
}

/** Returns the organization if it is active. Raises NOT_FOUND. */
export async function getActiveOrganization(tx: ReadTransaction, id: string): Promise<Organization> {
  const organization = await getOrganization(tx, id);
  if (organization.state !== "ACTIVE") throw organizationNotFound(id);
  return organization;
}
