import { type AsOf, requireEventReader } from "../as-of/as-of.ts";
import { selectPast } from "../as-of/gather.ts";
import { pastOf } from "../as-of/past.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { List } from "../../kernel/base/list.ts";
import type { Call } from "../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { UserGrantId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { holdsOnOrganization } from "../../kernel/base/permission.ts";
import { change, type Decide, type FeatureContext, write } from "../context.ts";
import { recordRemovals, remove, type Removal } from "../removal.ts";
import type { RolesInTime, RolesInTimeChange } from "../rights-in-time/period.ts";
import { type ListedPage, readList } from "../list.ts";
import { findHomeOf } from "../people/user/repository.ts";
import { isInReach, requireUserInReach, userNotFound } from "../people/user/user.ts";
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

/** A list of the past. Absent: of the present. */
interface AtMoment {
  readonly asOf?: AsOf | undefined;
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
  /**
   * Lists the grants that the organization has given and that the caller may read; with `asOf` those of a user at that moment. Raises
   * PAGE_TOKEN_INVALID, and what the past raises.
   */
  list(
    call: Call,
    filter: UserGrantFilter & SearchFilter & AtMoment,
    page: PageRequest,
  ): Promise<ListedPage<UserGrant>>;
  /**
   * Lists the effective roles of the user that the caller may see, with `asOf` at that moment. Raises PAGE_TOKEN_INVALID, and NOT_FOUND
   * for a user who is out of the caller's reach and has no grant that the caller may see, and what the past raises.
   */
  listEffective(
    call: Call,
    filter: Omit<EffectiveRoleFilter, "visibility"> & AtMoment,
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
    list: async (call, { asOf, ...filter }, page) => {
      const { search: text = "" } = filter;
      const asked = { list: userGrantList, call, asked: { access: call.access, filter }, page };
      if (asOf !== undefined) return await readPastList(context, asOf, { ...asked, filter, grants: "own" });
      return await context.database.read(async (tx) => {
        if (text !== "") return await searchUserGrants(context, tx, { call, filter, text, page });
        return await readList(context, tx, asked);
      });
    },
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

async function listEffective(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly filter: Omit<EffectiveRoleFilter, "visibility"> & AtMoment;
    readonly page: PageRequest;
  },
): Promise<ListedPage<EffectiveRole>> {
  const {
    call,
    filter: { asOf, ...filter },
    page,
  } = input;
  const { access, caller } = call;
  const asked = { ...filter, visibility: visibilityOf(access, caller.held) };
  const list = { list: effectiveRoleList, call, asked, page };
  const requireInReach = async (tx: ReadTransaction) => {
    const isOpen =
      isInReach(caller.held, {
        organizationId: access.organizationId,
        home: await findHomeOf(tx, asked.userId),
      }) || (await hasVisibleGrant(tx, asked.userId, asked.visibility));
    if (!isOpen) throw userNotFound(asked.userId);
  };
  if (asOf !== undefined) {
    requireEventReader(caller.held, access.organizationId);
    await context.database.read(requireInReach);
    return await readPastList(context, asOf, { ...list, filter, grants: "all" });
  }
  return await context.database.read(async (tx) => {
    await requireInReach(tx);
    return await readList(context, tx, list);
  });
}

/** Reads a page of a list of grants of a user as they were at that moment. */
async function readPastList<Asked, T extends { readonly id: string; readonly details: Details }>(
  context: FeatureContext,
  asOf: AsOf,
  {
    filter: { userId, projectId },
    grants,
    ...list
  }: {
    readonly list: List<Asked, T>;
    readonly call: Call;
    readonly asked: Asked;
    readonly page: PageRequest;
    readonly filter: { readonly userId: string; readonly projectId: string };
    readonly grants: "own" | "all";
  },
): Promise<ListedPage<T>> {
  const { organizationId } = list.call.access;
  requireEventReader(list.call.caller.held, organizationId);
  const selection = selectPast(userId, { grants, projectId, organizationIds: [organizationId] });
  return await pastOf(context).read({ asOf, selection }, (tx, sequence) =>
    readList(context, tx, { ...list, past: { micros: asOf.micros, sequence } }),
  );
}
