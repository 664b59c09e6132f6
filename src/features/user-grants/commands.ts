import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import { type OrganizationId, type ProjectId, toId, type UserGrantId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import type { NewEvent } from "../../events/event.ts";
import { type FeatureContext, processedSequence, target, write } from "../context.ts";
import { findProjectGrant, findProjectGrantTo } from "../projects/project-grant-repository.ts";
import { listRoleKeys } from "../projects/role-repository.ts";
import { getUserInReach } from "../users/user/repository.ts";
import { requireUserInReach } from "../users/user/user.ts";
import { type EffectiveRole, visibilityOf } from "./effective-role.ts";
import { countEffectiveRoles, hasVisibleGrant, listEffectiveRoles } from "./effective-role-repository.ts";
import { countUserGrants, listUserGrants, type UserGrantFilter } from "./list-repository.ts";
import { findUserGrant, findUserGrants, type GrantGround, readGrantGround } from "./repository.ts";
import {
  addUserGrant,
  deactivateUserGrant,
  opensUserGrant,
  type ProjectBasis,
  reactivateUserGrant,
  removeUserGrant,
  requireBasis,
  requireUserGrants,
  updateUserGrant,
  type UserGrant,
  userGrantNotFound,
  userGrantTaken,
} from "./user-grant.ts";

/** What a caller asks for. */
export interface NewUserGrant {
  readonly userId: string;
  readonly projectId: string;
  /** Empty when the organization owns the project. */
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

/** A user grant as the path names it. */
export interface UserGrantName {
  readonly userId: string;
  readonly grantId: string;
}

export interface UserGrantCommands {
  /**
   * Raises NOT_FOUND (user, project, project grant, role), PROJECT_GRANT_REQUIRED, PROJECT_GRANT_NOT_ALLOWED,
   * ALREADY_EXISTS.
   */
  add(call: Call, grant: NewUserGrant): Promise<{ readonly id: UserGrantId; readonly details: Details }>;
  /** Raises NOT_FOUND, also for a grant of another user. */
  get(call: Call, name: UserGrantName): Promise<UserGrant>;
  /** Lists what the organization has given, as far as the caller's roles open it. Raises PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    filter: UserGrantFilter,
    page: PageRequest,
  ): Promise<{ readonly page: Page<UserGrant>; readonly sequence: number }>;
  /**
   * Lists what the user holds in effect and the caller sees. Raises PAGE_TOKEN_INVALID, and NOT_FOUND for a user who is out
   * of his reach and has no grant that he sees.
   */
  listEffective(
    call: Call,
    asked: { readonly userId: string; readonly projectId: string; readonly organizationId: string },
    page: PageRequest,
  ): Promise<{ readonly page: Page<EffectiveRole>; readonly sequence: number }>;
  /** Replaces the roles. Raises NOT_FOUND (grant, role). Harmless to repeat. */
  update(call: Call, name: UserGrantName, roleKeys: readonly string[]): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, name: UserGrantName): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  reactivate(call: Call, name: UserGrantName): Promise<Details>;
  /** Raises NOT_FOUND. */
  remove(call: Call, name: UserGrantName): Promise<Details>;
  /** Removes all grants or none. Raises NOT_FOUND for the first one that is not there. `grantIds` holds each once. */
  removeAll(call: Call, grantIds: readonly string[]): Promise<Details>;
}

export function createUserGrantCommands(context: FeatureContext): UserGrantCommands {
  const change =
    (decide: (grant: UserGrant) => readonly NewEvent[]) =>
    (call: Call, name: UserGrantName): Promise<Details> =>
      changeOne(context, { call, name }, decide);
  return {
    add: (call, grant) => add(context, call, grant),
    get: (call, name) => context.database.read((tx) => getUserGrant(tx, call, name)),
    list: (call, filter, page) => list(context, { call, filter, page }),
    listEffective: (call, asked, page) => listEffective(context, { call, asked, page }),
    update: (call, name, roleKeys) =>
      changeOne(context, { call, name }, async (grant, tx) =>
        updateUserGrant(grant, await listAllowedRoles(tx, grant, roleKeys), roleKeys),
      ),
    deactivate: change(deactivateUserGrant),
    reactivate: change(reactivateUserGrant),
    remove: change(removeUserGrant),
    removeAll: (begun, grantIds) =>
      write(context, begun, async ({ tx, call, append }) => {
        const { access } = call;
        const found = await findUserGrants(tx, access.organizationId, grantIds);
        const grants = requireUserGrants(access, found, grantIds);
        return createdDetails(await append(grants.flatMap(removeUserGrant)), access.organizationId);
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
    const ground = await readGrantGround(tx, { ...grant, organizationId });
    const userId = requireUserInReach(call.caller.held, {
      userId: grant.userId,
      organizationId,
      home: ground.home,
    });
    const basis = requireBasis({
      access: call.access,
      basis: await findBasis(tx, ground, { organizationId, projectId: grant.projectId }),
      projectId: grant.projectId,
      projectGrantId: grant.projectGrantId,
    });
    const id = context.ids.next<UserGrantId>();
    const added = addUserGrant({ id, organizationId, userId, basis, roleKeys: grant.roleKeys });
    if (ground.isTaken) throw userGrantTaken(grant.userId);
    return { id, details: createdDetails(await append([added]), organizationId) };
  });
}

function changeOne(
  context: FeatureContext,
  asked: { readonly call: Call; readonly name: UserGrantName },
  decide: (grant: UserGrant, tx: ReadTransaction) => readonly NewEvent[] | Promise<readonly NewEvent[]>,
): Promise<Details> {
  return write(context, asked.call, async ({ tx, call, append }) => {
    const grant = target(call, await getUserGrant(tx, call, asked.name));
    const events = await decide(grant, tx);
    return events.length === 0 ? grant.details : changedDetails(grant.details, await append(events));
  });
}

async function getUserGrant(tx: ReadTransaction, call: Call, name: UserGrantName): Promise<UserGrant> {
  const grant = await findUserGrant(tx, call.access.organizationId, name);
  if (grant === undefined || !opensUserGrant(call.access, grant)) throw userGrantNotFound(name.grantId);
  return grant;
}

function list(
  context: FeatureContext,
  input: { readonly call: Call; readonly filter: UserGrantFilter; readonly page: PageRequest },
): ReturnType<UserGrantCommands["list"]> {
  const { access } = input.call;
  const { userId, projectId, roleKey } = input.filter;
  const asked = { access, filter: input.filter };
  return context.database.read(async (tx) => ({
    sequence: await processedSequence(tx),
    page: await readPage(context.keyring, input.page, {
      key: ["ListUserGrants", access.organizationId, userId, projectId, roleKey],
      read: (query) => listUserGrants(tx, asked, query),
      count: (limit) => countUserGrants(tx, asked, limit),
    }),
  }));
}

function listEffective(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly asked: Parameters<UserGrantCommands["listEffective"]>[1];
    readonly page: PageRequest;
  },
): ReturnType<UserGrantCommands["listEffective"]> {
  const { call, asked } = input;
  const { access } = call;
  const filter = { ...asked, visibility: visibilityOf(access, call.caller.held) };
  return context.database.read(async (tx) => {
    if (!(await hasVisibleGrant(tx, asked.userId, filter.visibility)))
      await getUserInReach(tx, call.caller.held, {
        userId: asked.userId,
        organizationId: access.organizationId,
      });
    return {
      sequence: await processedSequence(tx),
      page: await readPage(context.keyring, input.page, {
        key: [
          "ListEffectiveRoles",
          access.organizationId,
          asked.userId,
          asked.projectId,
          asked.organizationId,
        ],
        read: (query) => listEffectiveRoles(tx, filter, query),
        count: (limit) => countEffectiveRoles(tx, filter, limit),
      }),
    };
  });
}

/** Returns which of the roles the grant may hold: those of the project grant that it rests on, or of the project. */
async function listAllowedRoles(
  tx: ReadTransaction,
  grant: UserGrant,
  roleKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (grant.projectGrantId === "") return await listRoleKeys(tx, grant.projectId, roleKeys);
  return new Set((await findProjectGrant(tx, grant.projectGrantId))?.roleKeys);
}

/** Says how the organization has the project: as its owner; by a grant; or not at all. */
async function findBasis(
  tx: ReadTransaction,
  { projectOwner, roleKeys }: GrantGround,
  asked: { readonly organizationId: OrganizationId; readonly projectId: string },
): Promise<ProjectBasis | undefined> {
  const { organizationId, projectId } = asked;
  if (projectOwner === organizationId)
    return { kind: "owned", projectId: toId<ProjectId>(projectId), roleKeys };
  const grant = await findProjectGrantTo(tx, projectId, organizationId);
  return grant === undefined ? undefined : { kind: "granted", grant };
}
