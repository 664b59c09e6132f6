import type { Call } from "../../base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { InstanceId, OrganizationId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import { scopesWithPermission } from "../../base/permission.ts";
import { processedSequence } from "../../events/processed-sequence.ts";
import { type CommandTransaction, type FeatureContext, requireTarget, write } from "../context.ts";
import { requireInstanceOwner } from "../held-roles/instance-owners.ts";
import { findStoppingProblem } from "../held-roles/outranking.ts";
import {
  addOrganization,
  deactivateOrganization,
  type Organization,
  organizationNameTaken,
  reactivateOrganization,
  removeOrganization,
  updateOrganization,
} from "./organization.ts";
import {
  countOrganizations,
  getOrganization,
  isOrganizationNameTaken,
  listOrganizations,
  type OrganizationFilter,
} from "./repository.ts";

/** All except `add` and `list` act on the organization of the call. */
export interface OrganizationCommands {
  /** Raises ALREADY_EXISTS for a name that another organization of the instance has. */
  add(call: Call, name: string): Promise<{ readonly id: OrganizationId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call): Promise<Organization>;
  /** Lists the organizations that the caller may read. */
  list(
    call: Call,
    filter: Pick<OrganizationFilter, "name">,
    page: PageRequest,
  ): Promise<{ readonly page: Page<Organization>; readonly sequence: number }>;
  /** Raises NOT_FOUND, ALREADY_EXISTS. Harmless to repeat. */
  update(call: Call, name: string): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. Harmless to repeat. */
  deactivate(call: Call): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED. Harmless to repeat. */
  reactivate(call: Call): Promise<Details>;
  /** Removes it with everything in it. Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. */
  remove(call: Call): Promise<Details>;
}

/** How many objects are removed in the same write as their organization, which takes some milliseconds. */
const objectsAtOnce = 100;

/** Creates the commands of organizations. */
export function createOrganizationCommands(
  context: FeatureContext & { readonly isSweepOff?: boolean | undefined },
  instanceId: InstanceId,
): OrganizationCommands {
  return {
    add: (call, name) =>
      write(context, call, async ({ tx, append }) => {
        if (await isOrganizationNameTaken(tx, name)) throw organizationNameTaken(name);
        const id = context.ids.next<OrganizationId>();
        return { id, details: createdDetails(await append([addOrganization(id, name)]), id) };
      }),
    get: (call) => context.database.read((tx) => getOrganization(tx, call.access.organizationId)),
    list: (call, filter, page) => list(context, { call, filter, page }),
    update: (call, name) =>
      write(context, call, async ({ tx, append }) => {
        const organization = requireTarget(call, await getOrganization(tx, call.access.organizationId));
        const events = updateOrganization(organization, name);
        if (events.length === 0) return organization.details;
        if (await isOrganizationNameTaken(tx, name, organization.id)) throw organizationNameTaken(name);
        return changedDetails(organization.details, await append(events));
      }),
    deactivate: (call) =>
      write(context, call, async (command) => {
        const organization = await getGovernedOrganization(command, instanceId);
        const events = deactivateOrganization(organization);
        if (events.length === 0) return organization.details;
        await requireInstanceOwner(command.tx, { organizationId: organization.id });
        return changedDetails(organization.details, await command.append(events));
      }),
    reactivate: (call) =>
      write(context, call, async (command) => {
        const organization = await getGovernedOrganization(command, instanceId);
        const events = reactivateOrganization(organization);
        if (events.length === 0) return organization.details;
        return changedDetails(organization.details, await command.append(events));
      }),
    remove: (call) =>
      write(context, call, async (command) => {
        const organization = await getGovernedOrganization(command, instanceId);
        await requireInstanceOwner(command.tx, { organizationId: organization.id });
        const date = await command.append([removeOrganization(organization)]);
        // All rows of a small organization are gone before the answer. Those of a large one go later, and no query finds them.
        const isLeft = command.call.isDryRun === true || context.isSweepOff === true;
        if (!isLeft) await context.log.sweep(command.tx, objectsAtOnce);
        command.afterCommit(context.database.purge); // its users are gone for good
        return changedDetails(organization.details, date);
      }),
  };
}

/** Returns the organization of the call if the caller may stop all its users. Raises NOT_FOUND, PERMISSION_DENIED. */
async function getGovernedOrganization(
  { tx, call }: CommandTransaction,
  instanceId: InstanceId,
): Promise<Organization> {
  const organization = requireTarget(call, await getOrganization(tx, call.access.organizationId));
  const stopped = { organizationId: organization.id, instanceId };
  const problem = await findStoppingProblem(tx, call.caller.held, stopped);
  if (problem !== undefined) throw problem;
  return organization;
}

function list(
  context: FeatureContext,
  input: { call: Call; filter: Pick<OrganizationFilter, "name">; page: PageRequest },
): ReturnType<OrganizationCommands["list"]> {
  const { caller } = input.call;
  const { isInstance, organizations } = scopesWithPermission(caller.held, "organization.read");
  const filter = { ...input.filter, organizations: isInstance ? ("all" as const) : organizations };
  return context.database.read(async (tx) => ({
    sequence: await processedSequence(tx),
    page: await readPage(context.keyring, input.page, {
      key: ["ListOrganizations", caller.organizationId, input.filter.name],
      read: (query) => listOrganizations(tx, filter, query),
      count: (limit) => countOrganizations(tx, filter, limit),
    }),
  }));
}
