import type { Call } from "../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { UserGrantId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { holdsOnOrganization } from "../../kernel/base/permission.ts";
import { change, type Decide, type FeatureContext, write } from "../context.ts";
import { recordRemovals, remove, type Removal } from "../removal.ts";
import type { RolesInTime, RolesInTimeChange } from "../rights-in-time/period.ts";
import { type ListedPage, readList } from "../list.ts";
import { getUserInReach } from "../people/user/repository.ts";
import { requireUserInReach } from "../people/user/user.ts";
import { type EffectiveRole, visibilityOf } from "./effective-role.ts";
import { type EffectiveRoleFilter, effectiveRoleList, hasVisibleGrant } from "./effective-role-repository.ts";
import { type UserGrantFilter, userGrantList } from "./list-repository.ts";
import type { SearchFilter } from "../search/searched.ts";
import { searchUserGrants } from "./search.ts";
import { findGrantSource, listAllowedRoles } from "./grant-source.ts";
import { findUserGrants, getUserGrant, readGrantFacts } from "./repository.ts";
import {
  addUserGrant,
  deactivateUserGrant,
  reactivateUserGrant,
  removeUserGrant,
  requireGrantSource,
  requireUserGrants,
  updateUserGrant,
  type UserGrant,
  userGrantTaken,
} from "./user-grant.ts";

/** What a caller asks for. */
export interface NewUserGrant extends RolesInTime {
  readonly userId: string;
  readonly projectId: string;
  /** Empty when the organization owns the project. */
  readonly projectGrantId: string;
}

/** A user grant as the path names it. */
export interface UserGrantName {
  readonly userId: string;
  readonly grantId: string;
}

/** The use cases of user grants. */
export interface UserGrantCommands {
  /**
   * Raises NOT_FOUND (user, project, project grant, role), PROJECT_GRANT_REQUIRED, PROJECT_GRANT_NOT_ALLOWED,
   * ALREADY_EXISTS.
   */
  add(call: Call, grant: NewUserGrant): Promise<{ readonly id: UserGrantId; readonly details: Details }>;
  /** Raises NOT_FOUND, also for a grant of another user. */
  get(call: Call, name: UserGrantName): Promise<UserGrant>;
  /** Lists the grants that the organization has given and that the caller may read. Raises PAGE_TOKEN_INVALID. */
  list(call: Call, filter: UserGrantFilter & SearchFilter, page: PageRequest): Promise<ListedPage<UserGrant>>;
  /**
   * Lists the effective roles of the user that the caller may see. Raises PAGE_TOKEN_INVALID, and NOT_FOUND for a
   * user who is out of the caller's reach and has no grant that the caller may see.
   */
  listEffective(
    call: Call,
    filter: Omit<EffectiveRoleFilter, "visibility">,
    page: PageRequest,
  ): Promise<ListedPage<EffectiveRole>>;
  /** Replaces the roles and changes the dates. Raises NOT_FOUND (grant, role), FIELD_INVALID. Harmless to repeat. */
  update(call: Call, name: UserGrantName, asked: RolesInTimeChange): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, name: UserGrantName): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  reactivate(call: Call, name: UserGrantName): Promise<Details>;
  /** Raises NOT_FOUND. */
  remove(call: Call, name: UserGrantName): Promise<Removal>;
  /**
   * Removes all grants or none. Raises NOT_FOUND for the first one that does not exist. `grantIds` has no duplicates.
   */
  removeAll(call: Call, grantIds: readonly string[]): Promise<Removal>;
}

/** Creates the commands about user grants. */
export function createUserGrantCommands(context: FeatureContext): UserGrantCommands {
  const changeGrant = (begun: Call, name: UserGrantName, decide: Decide<UserGrant>) =>
    change(context, begun, { load: ({ tx, call }) => getUserGrant(tx, call.access, name), decide });
  return {
    add: (call, grant) => add(context, call, grant),
    get: (call, name) => context.database.read((tx) => getUserGrant(tx, call.access, name)),
    list: (call, filter, page) =>
      context.database.read((tx) => {
        const { search: text = "" } = filter;
        if (text !== "") return searchUserGrants(context, tx, { call, filter, text, page });
        const asked = { access: call.access, filter };
        return readList(context, tx, { list: userGrantList, call, asked, page });
      }),
    listEffective: (call, filter, page) => listEffective(context, { call, filter, page }),
    update: (call, name, asked) =>
      changeGrant(call, name, async (grant, { tx }) =>
        updateUserGrant(grant, await listAllowedRoles(tx, grant, asked.roleKeys), asked),
      ),
    deactivate: (call, name) => changeGrant(call, name, deactivateUserGrant),
    reactivate: (call, name) => changeGrant(call, name, reactivateUserGrant),
    remove: (begun, name) =>
      remove(context, begun, {
        load: ({ tx, call }) => getUserGrant(tx, call.access, name),
        decide: removeUserGrant,
      }),
    removeAll: (begun, grantIds) =>
      write(context, begun, async (command) => {
        const { tx, call } = command;
        const { access } = call;
        const found = await findUserGrants(tx, access.organizationId, grantIds);
        const grants = requireUserGrants(access, found, grantIds);
        const { date, removed } = await recordRemovals(context, command, {
          removals: grants.flatMap(removeUserGrant),
        });
        return { details: createdDetails(date, access.organizationId), removed };
      }),
  };
}

function add(
  context: FeatureContext,
  begun: Call,
  grant: NewUserGrant,
): ReturnType<UserGrantCommands["add"]> {
  return write(context, begun, async ({ tx, call, append }) => {
    const { organizationId } = call.access;
    const facts = await readGrantFacts(tx, { ...grant, organizationId });
    const userId = requireUserInReach(call.caller.held, {
      userId: grant.userId,
      organizationId,
      home: facts.home,
    });
    const source = requireGrantSource({
      access: call.access,
      source: await findGrantSource(tx, facts, { organizationId, projectId: grant.projectId }),
      projectId: grant.projectId,
      projectGrantId: grant.projectGrantId,
    });
    const id = tx.nextId<UserGrantId>();
    const isHeldAtHome =
      facts.home !== undefined && holdsOnOrganization(call.caller.held, "user.grant.write", facts.home);
    const added = addUserGrant({
      id,
      organizationId,
      userId,
      source,
      roleKeys: grant.roleKeys,
      period: grant,
      isHeldAtHome,
    });
    if (facts.isTaken) throw userGrantTaken(grant.userId);
    return { id, details: createdDetails(await append([added]), organizationId) };
  });
}

function listEffective(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly filter: Omit<EffectiveRoleFilter, "visibility">;
    readonly page: PageRequest;
  },
): Promise<ListedPage<EffectiveRole>> {
  const { call, filter, page } = input;
  const { access, caller } = call;
  const asked = { ...filter, visibility: visibilityOf(access, caller.held) };
  return context.database.read(async (tx) => {
    if (!(await hasVisibleGrant(tx, asked.userId, asked.visibility)))
      await getUserInReach(tx, caller.held, { userId: asked.userId, organizationId: access.organizationId });
    return await readList(context, tx, { list: effectiveRoleList, call, asked, page });
  });
}
