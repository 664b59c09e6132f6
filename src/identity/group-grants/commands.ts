import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { GroupGrantId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { type HeldRoles, holdsOnOrganization } from "../../kernel/base/permission.ts";
import { change, type Decide, type FeatureContext, write } from "../context.ts";
import { type Group, groupNotFound, requireMayGiveTo } from "../groups/group.ts";
import { findGroup } from "../groups/repository.ts";
import { type ListedPage, readList } from "../list.ts";
import { findProjectOwner } from "../projects/repository.ts";
import { listRoleKeys } from "../projects/role-repository.ts";
import { remove, type Removal } from "../removal.ts";
import type { RolesInTime, RolesInTimeChange } from "../rights-in-time/period.ts";
import { findGrantSource, listAllowedRoles } from "../user-grants/grant-source.ts";
import { requireGrantSource } from "../user-grants/user-grant.ts";
import {
  addGroupGrant,
  type GroupGrant,
  groupGrantTaken,
  removeGroupGrant,
  setGroupGrantState,
  updateGroupGrant,
} from "./group-grant.ts";
import { type GroupGrantFilter, groupGrantList } from "./list-repository.ts";
import { getGroupGrant, hasGroupGrant } from "./repository.ts";

/** What a caller asks for. */
export interface NewGroupGrant extends RolesInTime {
  readonly groupId: string;
  readonly projectId: string;
  /** Empty when the organization owns the project. */
  readonly projectGrantId: string;
}

/** A group grant as the path names it. */
export interface GroupGrantName {
  readonly groupId: string;
  readonly grantId: string;
}

/** The use cases of group grants. Whatever gives roles to members also needs group.write where the group is. */
export interface GroupGrantCommands {
  /**
   * Raises NOT_FOUND (group, project, project grant, role), PERMISSION_DENIED, PROJECT_GRANT_REQUIRED,
   * PROJECT_GRANT_NOT_ALLOWED, ALREADY_EXISTS.
   */
  add(call: Call, grant: NewGroupGrant): Promise<{ readonly id: GroupGrantId; readonly details: Details }>;
  /** Raises NOT_FOUND, also for a grant of another group. */
  get(call: Call, name: GroupGrantName): Promise<GroupGrant>;
  /** Lists the grants that the organization has given and that the caller may read. Raises PAGE_TOKEN_INVALID. */
  list(call: Call, filter: GroupGrantFilter, page: PageRequest): Promise<ListedPage<GroupGrant>>;
  /** Replaces the roles and changes the dates. Raises NOT_FOUND (grant, role), PERMISSION_DENIED, FIELD_INVALID. Harmless to repeat. */
  update(call: Call, name: GroupGrantName, asked: RolesInTimeChange): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, name: GroupGrantName): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED. Harmless to repeat. */
  reactivate(call: Call, name: GroupGrantName): Promise<Details>;
  /** Raises NOT_FOUND. */
  remove(call: Call, name: GroupGrantName): Promise<Removal>;
}

/** Creates the commands about group grants. */
export function createGroupGrantCommands(context: FeatureContext): GroupGrantCommands {
  const changeGrant = (begun: Call, name: GroupGrantName, decide: Decide<GroupGrant>) =>
    change(context, begun, { load: ({ tx, call }) => getGroupGrant(tx, call.access, name), decide });
  return {
    add: (call, grant) => add(context, call, grant),
    get: (call, name) => context.database.read((tx) => getGroupGrant(tx, call.access, name)),
    list: (call, filter, page) =>
      context.database.read((tx) =>
        readList(context, tx, { list: groupGrantList, call, asked: { access: call.access, filter }, page }),
      ),
    update: (begun, name, asked) =>
      changeGrant(begun, name, async (grant, { tx, call }) => {
        await requireMayGiveBy(tx, call, grant);
        return updateGroupGrant(grant, await listAllowedRoles(tx, grant, asked.roleKeys), asked);
      }),
    deactivate: (call, name) => changeGrant(call, name, (grant) => setGroupGrantState(grant, "INACTIVE")),
    reactivate: (begun, name) =>
      changeGrant(begun, name, async (grant, { tx, call }) => {
        await requireMayGiveBy(tx, call, grant);
        return setGroupGrantState(grant, "ACTIVE");
      }),
    remove: (begun, name) =>
      remove(context, begun, {
        load: ({ tx, call }) => getGroupGrant(tx, call.access, name),
        decide: (grant) => [removeGroupGrant(grant)],
      }),
  };
}

function add(
  context: FeatureContext,
  begun: Call,
  grant: NewGroupGrant,
): ReturnType<GroupGrantCommands["add"]> {
  return write(context, begun, async ({ tx, call, append }) => {
    const { organizationId } = call.access;
    const { held } = call.caller;
    const { projectId, projectGrantId } = grant;
    const group = await requireGroup(tx, held, grant.groupId);
    const facts = {
      projectOwner: await findProjectOwner(tx, projectId),
      roleKeys: await listRoleKeys(tx, projectId, grant.roleKeys),
    };
    const source = requireGrantSource({
      access: call.access,
      source: await findGrantSource(tx, facts, { organizationId, projectId }),
      projectId,
      projectGrantId,
    });
    const id = tx.nextId<GroupGrantId>();
    const isHeldAtHome = holdsOnOrganization(held, "user.grant.write", group.organizationId);
    const given = { source, roleKeys: grant.roleKeys, period: grant, isHeldAtHome };
    const added = addGroupGrant({ id, organizationId, groupId: group.id, ...given });
    if (await hasGroupGrant(tx, { ...grant, organizationId })) throw groupGrantTaken(grant.groupId);
    return { id, details: createdDetails(await append([added]), organizationId) };
  });
}

/**
 * Returns the group, of whatever organization, if the caller may give it roles. Raises NOT_FOUND without group.read there, and
 * PERMISSION_DENIED without group.write.
 */
async function requireGroup(
  tx: ReadTransaction,
  held: readonly HeldRoles[],
  groupId: string,
): Promise<Group> {
  const group = await findGroup(tx, groupId);
  if (group === undefined || !holdsOnOrganization(held, "group.read", group.organizationId))
    throw groupNotFound(groupId);
  requireMayGiveTo(held, group);
  return group;
}

/** Callers that see the grant know of its group, whatever else of it they may see. Raises PERMISSION_DENIED. */
async function requireMayGiveBy(
  tx: ReadTransaction,
  { caller }: Call,
  { groupId }: GroupGrant,
): Promise<void> {
  const group = await findGroup(tx, groupId);
  if (group !== undefined) requireMayGiveTo(caller.held, group);
}
