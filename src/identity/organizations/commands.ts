import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Call } from "../../kernel/base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, OrganizationId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { scopesWithPermission } from "../../kernel/base/permission.ts";
import { requireForApiAccessIn } from "../api-access/api-access.ts";
import {
  change,
  type CommandTransaction,
  type Decide,
  type FeatureContext,
  requireTarget,
  write,
} from "../context.ts";
import { recordRemovals, type Removal } from "../removal.ts";
import type { ListedPage } from "../list.ts";
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
  getOrganization,
  isOrganizationNameTaken,
  type OrganizationFilter,
  organizationList,
} from "./repository.ts";
import { readFound } from "../search/read-found.ts";
import type { SearchFilter } from "../search/searched.ts";
import { searchedOrganizations } from "./search-repository.ts";

/** All except `add` and `list` act on the organization of the call. */
export interface OrganizationCommands {
  /** Raises ALREADY_EXISTS for a name that another organization of the instance has. */
  add(call: Call, name: string): Promise<{ readonly id: OrganizationId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call): Promise<Organization>;
  /** Lists the organizations that the caller may read. */
  list(
    call: Call,
    filter: OrganizationFilter & SearchFilter,
    page: PageRequest,
  ): Promise<ListedPage<Organization>>;
  /** Raises NOT_FOUND, ALREADY_EXISTS. Harmless to repeat. */
  update(call: Call, name: string): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. Harmless to repeat. */
  deactivate(call: Call): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED (also for api_access). Harmless to repeat. */
  reactivate(call: Call): Promise<Details>;
  /** Removes it with everything in it. Raises NOT_FOUND, PERMISSION_DENIED, LAST_INSTANCE_OWNER. */
  remove(call: Call): Promise<Removal>;
}

/** How many objects are removed in the same write as their organization, which takes some milliseconds. */
const objectsAtOnce = 100;

/** What a removal has to do with the sweep of the rows that it leaves. */
interface SweepSetup {
  /** As in `AppParts`. */
  readonly isSweepOff?: boolean | undefined;
  /** Called when a removal has left rows. Default: no notice is sent. */
  readonly onRowsLeft?: () => void;
}

/** Creates the commands of organizations. */
export function createOrganizationCommands(
  context: FeatureContext & SweepSetup,
  instanceId: InstanceId,
): OrganizationCommands {
  const changeGoverned = (call: Call, decide: Decide<Organization>) =>
    change(context, call, {
      load: ({ tx }) => getOrganization(tx, call.access.organizationId),
      async decide(organization, command) {
        await requireMayStop(organization, command, instanceId);
        return await decide(organization, command);
      },
    });
  return {
    add: (call, name) =>
      write(context, call, async ({ tx, append }) => {
        const id = tx.nextId<OrganizationId>();
        const added = addOrganization(id, name);
        if (await isOrganizationNameTaken(tx, name)) throw organizationNameTaken(name);
        return { id, details: createdDetails(await append([added]), id) };
      }),
    get: (call) => context.database.read((tx) => getOrganization(tx, call.access.organizationId)),
    list: (call, filter, page) => context.database.read((tx) => list(context, tx, { call, filter, page })),
    update: (call, name) =>
      change(context, call, {
        load: ({ tx }) => getOrganization(tx, call.access.organizationId),
        async decide(organization, { tx }) {
          const events = updateOrganization(organization, name);
          if (events.length > 0 && (await isOrganizationNameTaken(tx, name, organization)))
            throw organizationNameTaken(name);
          return events;
        },
      }),
    deactivate: (call) =>
      changeGoverned(call, async (organization, { tx }) => {
        const events = deactivateOrganization(organization);
        if (events.length > 0) await requireInstanceOwner(tx, { organizationId: organization.id });
        return events;
      }),
    reactivate: (call) =>
      changeGoverned(call, async (organization, command) => {
        const events = reactivateOrganization(organization);
        if (events.length > 0) await requireForApiAccessIn(command, { organizationId: organization.id });
        return events;
      }),
    remove: (call) => remove(context, call, instanceId),
  };
}

async function list(
  context: FeatureContext,
  tx: ReadTransaction,
  asking: {
    readonly call: Call;
    readonly filter: OrganizationFilter & SearchFilter;
    readonly page: PageRequest;
  },
): Promise<ListedPage<Organization>> {
  const { call, page } = asking;
  const { search, ...filter } = asking.filter;
  const { isInstance, organizations } = scopesWithPermission(call.caller.held, "organization.read");
  const asked = { ...filter, organizations: isInstance ? ("all" as const) : organizations };
  return await readFound(context, tx, {
    list: organizationList,
    call,
    asked,
    among: (ids) => ({ ...asked, organizations: ids as readonly OrganizationId[] }), // the search finds no others
    open: asked.organizations,
    text: search,
    searched: searchedOrganizations,
    ownerId: undefined,
    nameOf: ({ name }) => name,
    page,
  });
}

async function remove(
  context: FeatureContext & SweepSetup,
  call: Call,
  instanceId: InstanceId,
): Promise<Removal> {
  const { isSweepOff = false, onRowsLeft = () => {} } = context;
  return await write(context, call, async (command) => {
    const { tx } = command;
    const organization = requireTarget(call, await getOrganization(tx, call.access.organizationId));
    await requireMayStop(organization, command, instanceId);
    await requireInstanceOwner(tx, { organizationId: organization.id });
    const { date, removed } = await recordRemovals(context, command, {
      removals: [removeOrganization(organization)],
    });
    // All rows of a small organization are gone before the answer. The rows of a large organization are removed later, and no query
    // finds them until then.
    const isSweptLater = command.call.isDryRun === true || isSweepOff;
    if (isSweptLater || (await context.log.sweep(tx, objectsAtOnce))) command.afterCommit(onRowsLeft);
    command.afterCommit(context.database.purge); // its users are gone for good
    return { details: changedDetails(organization.details, date), removed };
  });
}

/** Refuses a caller who may not stop all users of the organization. Raises PERMISSION_DENIED. */
async function requireMayStop(
  { id }: Organization,
  { tx, call }: CommandTransaction,
  instanceId: InstanceId,
): Promise<void> {
  const problem = await findStoppingProblem(tx, call.caller.held, { organizationId: id, instanceId });
  if (problem !== undefined) throw problem;
}
