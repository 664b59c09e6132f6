import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { holdsOnInstance } from "../../../kernel/base/permission.ts";
import { permissionDenied } from "../../../kernel/base/problem.ts";
import { createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { InstanceId, UserId } from "../../../kernel/base/ids.ts";
import type { PageRequest } from "../../../kernel/base/paging.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { change, type CommandTransaction, type Decide, write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import type { ListedPage } from "../../list.ts";
import { findActingProblem } from "../../held-roles/outranking.ts";
import { requireInstanceOwner } from "../../held-roles/instance-owners.ts";
import { resetTriesOfUser } from "../../logins/tries/repository.ts";
import { removeCode } from "../codes/repository.ts";
import { readFound } from "../../search/read-found.ts";
import type { SearchFilter } from "../../search/searched.ts";
import { searchedUsers } from "./search-repository.ts";
import { endResetCode, holderOf } from "../codes/reset-code-repository.ts";
import { toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { addUser, requireFreeUsername } from "./login-name-repository.ts";
import { getUser, isLockedByWrongPasswords, userList } from "./repository.ts";
import type { UserFilter } from "./user-filter.ts";
import {
  addServiceUser,
  changeUserState,
  endsAccess,
  fullNameOf,
  type HumanUpdate,
  isCredentialChange,
  removeUser,
  requireHuman,
  requireService,
  type ServiceProfile,
  updateHumanUser,
  updateServiceUser,
  type User,
  type UserAction,
} from "./user.ts";

/** The use cases of users of both kinds. */
export interface UserCommands {
  /** Raises ALREADY_EXISTS for a username that is taken. */
  addService(call: Call, profile: ServiceProfile): Promise<AddedUser>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<User>;
  /** Raises PAGE_TOKEN_INVALID. */
  list(call: Call, filter: UserFilter & SearchFilter, page: PageRequest): Promise<ListedPage<User>>;
  /**
   * Raises NOT_FOUND, WRONG_KIND, ALREADY_EXISTS; PERMISSION_DENIED for a new username or email of a user who holds
   * more than the caller. Harmless to repeat.
   */
  updateHuman(call: Call, id: string, update: HumanUpdate): Promise<Details>;
  /** Raises what `updateHuman` raises. Harmless to repeat. */
  updateService(call: Call, id: string, update: ServiceProfile): Promise<Details>;
  /** Raises NOT_FOUND, STATE_CONFLICT, LAST_INSTANCE_OWNER. Harmless to repeat. */
  changeState(call: Call, id: string, action: UserAction): Promise<Details>;
  /**
   * Removes the user and destroys the key of the user. Resolves when no personal data of the user is left in the files; if a
   * reader of the files holds that up, it follows later. Raises NOT_FOUND, LAST_INSTANCE_OWNER.
   */
  remove(call: Call, id: string): Promise<Removal>;
}

/** A user who was just added. */
export interface AddedUser {
  readonly id: UserId;
  readonly details: Details;
}

/** Creates the commands of users. Acting on users who hold roles on the instance takes roles there. */
export function createUserCommands(context: UserContext, instanceId: InstanceId): UserCommands {
  const changeUser = (begun: Call, id: string, decide: Decide<User>) =>
    change(context, begun, {
      load: ({ tx, call }) => getUser(tx, call.access.organizationId, id),
      decide,
    });
  return {
    addService: (call, profile) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        const { username } = profile;
        if (profile.trustMail) requireMayTrust(call);
        const decide = (id: UserId) => addServiceUser(id, organizationId, profile);
        const { id, added } = await addUser(tx, call, { username, decide });
        return { id, details: createdDetails(await append([added]), organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getUser(tx, call.access.organizationId, id)),
    list: (call, filter, page) => context.database.read((tx) => list(context, tx, { call, filter, page })),
    updateHuman: (call, id, update) =>
      changeUser(call, id, async (found, command) => {
        const user = requireHuman(found);
        await requireMayRename(command, { user, update, instanceId, context });
        if (user.email === update.email) return updateHumanUser(user, update);
        const { tx } = command;
        const set = { id: user.id, organizationId: user.details.resourceOwner, email: update.email };
        return [
          ...updateHumanUser(user, update),
          ...(await answerForEmail(tx, call, set)),
          ...(await endCodes(tx, user)),
        ];
      }),
    updateService: (call, id, update) =>
      changeUser(call, id, async (found, command) => {
        const user = requireService(found);
        if (update.trustMail && !user.trustMail) requireMayTrust(command.call);
        await requireMayRename(command, { user, update, instanceId, context });
        return updateServiceUser(user, update);
      }),
    changeState: (call, id, action) =>
      changeUser(call, id, (user, { tx }) => changeStateOf(tx, user, action)),
    remove: (begun, id) =>
      remove(context, begun, {
        load: ({ tx, call }) => getUser(tx, call.access.organizationId, id),
        async decide(user, { tx, afterCommit }) {
          if (endsAccess(user, "remove")) await requireInstanceOwner(tx, { userId: user.id });
          afterCommit(context.database.purge);
          return [removeUser(user)];
        },
      }),
  };
}

async function list(
  context: UserContext,
  tx: ReadTransaction,
  asking: { readonly call: Call; readonly filter: UserFilter & SearchFilter; readonly page: PageRequest },
): Promise<ListedPage<User>> {
  const { call, page } = asking;
  const { search, ...filter } = asking.filter;
  const asked = { of: call.access.organizationId, filter };
  return await readFound(context, tx, {
    list: userList,
    call,
    asked,
    among: (ids) => ({ ...asked, open: new Set(ids) }),
    text: search,
    searched: searchedUsers,
    ownerId: asked.of,
    nameOf,
    page,
  });
}

/** What a search is put in order by. */
function nameOf(user: User): string {
  return user.kind === "human" ? fullNameOf(user) : user.name;
}

/** Decides on another state of the user, and on what follows from it, in the write `tx`. Raises STATE_CONFLICT, LAST_INSTANCE_OWNER. */
export async function changeStateOf(
  tx: WriteTransaction,
  user: User,
  action: UserAction,
): Promise<readonly NewEvent[]> {
  const isLockedByTries = await isLockedByWrongPasswords(tx, user.id);
  const events = changeUserState(user, action, { isLockedByTries });
  if (endsAccess(user, action)) await requireInstanceOwner(tx, { userId: user.id });
  // Wrong passwords have locked the user, perhaps: from now on they count from the beginning.
  if (["unlock", "reactivate"].includes(action)) await resetTriesOfUser(tx, "password", user.id);
  const isStop = events.length > 0 && ["deactivate", "lock"].includes(action);
  return isStop ? [...events, ...(await endResetCode(tx, holderOf(user), "stopped"))] : events;
}

/**
 * Returns the other people that could have made the login of the call: the event of a profile does not have it, but the event of an
 * address does.
 */
export async function answerForEmail(
  tx: ReadTransaction,
  call: Call,
  { id, organizationId: resourceOwner, email }: EmailOfProfile,
): Promise<readonly NewEvent[]> {
  const loginOrigin = await findLoginOriginOf(tx, call, id);
  if (loginOrigin === undefined) return [];
  const payload = { email, ...toLoginOriginPayload(loginOrigin) };
  return [{ type: "user.email.set", aggregateId: id, resourceOwner, payload }];
}

interface EmailOfProfile {
  readonly id: UserId;
  readonly organizationId: string;
  readonly email: string;
}

/** Codes that went to the former address, or may reset the password by way of it, are void. */
async function endCodes(tx: WriteTransaction, user: User): Promise<readonly NewEvent[]> {
  await removeCode(tx, "email", user.id);
  return await endResetCode(tx, holderOf(user), "email_changed");
}

/** Refuses a caller who may not say that the addresses of a directory are trusted. Raises PERMISSION_DENIED. */
function requireMayTrust({ caller }: Call): void {
  const permission = "user.credential.write";
  if (holdsOnInstance(caller.held, permission)) return;
  throw permissionDenied(
    permission,
    undefined,
    `trust_mail needs the permission ${permission} instance-wide`,
  );
}

/** Checks a new username and a new email, because they give access to the account as its tokens do. */
async function requireMayRename(
  command: CommandTransaction,
  asked: {
    readonly user: User;
    readonly update: { readonly username: string; readonly email?: string };
    readonly instanceId: InstanceId;
    readonly context: UserContext;
  },
): Promise<void> {
  const { user, update, instanceId, context } = asked;
  const { tx, call } = command;
  if (!isCredentialChange(user, update)) return;
  // An email gives access to an account by the codes that go to it.
  const isOwnEmail = user.kind === "human" && user.id === call.caller.userId && user.email !== update.email;
  if (isOwnEmail) await requireRecentLogin(tx, call, context);
  const problem = await findActingProblem(tx, call.caller.held, { userId: user.id, instanceId });
  if (problem !== undefined) throw problem;
  await requireFreeUsername(tx, call, { username: update.username, user });
  await context.waysIn?.keep(command, { of: "user", userId: user.id });
}
