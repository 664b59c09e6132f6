import type { Caller } from "../../kernel/base/call.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import type { Database, ReadTransaction, TableWatch } from "../../kernel/base/database.ts";
import { type InstanceId, type OrganizationId, toId } from "../../kernel/base/ids.ts";
import {
  type Access,
  findAccess,
  type HeldRoles,
  holdsAt,
  holdsOnInstance,
  holdsSomewhere,
  type Permission,
} from "../../kernel/base/permission.ts";
import { notFound, Problem, permissionDenied } from "../../kernel/base/problem.ts";
import { findOrganization } from "../organizations/repository.ts";
import { findUserById } from "../people/user/repository.ts";
import { findSession } from "../logins/sessions/repository.ts";
import { sessionNotFound } from "../logins/sessions/session.ts";
import { hasEnded } from "../rights-in-time/period.ts";
import { findActingProblem, findStoppingProblem } from "../held-roles/outranking.ts";
import { membershipNotFound, type ScopeName } from "../memberships/membership.ts";
import { findMembership, findScope } from "../memberships/repository.ts";
import { reauthenticate, requireUnexpired } from "./authentication.ts";

/** The access that a call asks for: the access rule of its rpc, filled with the objects that the request names. */
export interface AccessRequest {
  readonly permission: Permission;
  readonly on:
    | {
        readonly kind: "organization";
        readonly id: string | undefined;
        /** Whether callers without the permission may reach what is theirs, in their own organization. */
        readonly isOwnAllowed?: boolean;
      }
    | { readonly kind: "instance" }
    /**
     * Every scope on which the permission is held; with `id` only that organization. Undefined when the call names
     * none.
     */
    | { readonly kind: "held"; readonly id: string | undefined }
    | ({ readonly kind: "user" } & AboutUser)
    | ({ readonly kind: "session"; readonly sessionId: string } & Touch)
    /** `scope` is undefined when the request names none; the field rules refuse that later. */
    | { readonly kind: "scope"; readonly scope: ScopeName | undefined }
    | { readonly kind: "membership"; readonly membershipId: string };
}

/** A call about a user. */
interface AboutUser extends Touch {
  readonly userId: string;
}

/** What a call about a user has to do with that user. */
export interface Touch {
  /** Whether users may make the call about themselves without the permission. */
  readonly isSelfAllowed: boolean;
  /** Whether a limited token is enough for that. */
  readonly isSelfAllowedLimited: boolean;
  /** The effect on the user: the call acts as them, or stops them. */
  readonly touch: "acts" | "stops" | undefined;
}

/** The access of a call. A problem is raised after the field rules passed: for this caller the object does not exist. */
export interface AccessDecision {
  readonly access: Access;
  readonly problem?: Problem;
  /** Whether the object exists but is out of the caller's reach. The caller does not learn that. */
  readonly isOutOfReach?: boolean | undefined;
}

/**
 * Decides whether the caller may make the call. Raises PERMISSION_DENIED. A caller who holds the permission nowhere is
 * refused without a look-up; a caller who holds it elsewhere learns nothing about objects outside of their reach.
 */
export async function authorize(
  setup: { readonly database: Pick<Database, "read">; readonly instanceId: InstanceId },
  caller: Caller,
  request: AccessRequest,
): Promise<AccessDecision> {
  const { permission, on } = request;
  switch (on.kind) {
    case "organization":
      return await authorizeOnOrganization(setup.database, caller, { permission, ...on });
    case "instance":
      if (!holdsOnInstance(caller.held, permission)) throw permissionDenied(permission, setup.instanceId);
      return { access: ownAccess(caller) };
    case "held":
      if (on.id !== undefined)
        return await authorizeOnOrganization(setup.database, caller, { permission, id: on.id });
      if (!holdsSomewhere(caller.held, permission)) throw permissionDenied(permission, caller.organizationId);
      return { access: { ...ownAccess(caller), spansOrganizations: true } };
    case "user":
      return await setup.database.read((tx) =>
        authorizeOnUser(tx, caller, { permission, ...on, instanceId: setup.instanceId }),
      );
    case "session":
      return await setup.database.read((tx) =>
        authorizeOnSession(tx, caller, { permission, ...on, instanceId: setup.instanceId }),
      );
    case "scope":
      return await authorizeOnScope(setup, caller, { permission, scope: on.scope });
    case "membership":
      return await authorizeOnMembership(setup.database, caller, { permission, id: on.membershipId });
  }
}

async function authorizeOnOrganization(
  database: Pick<Database, "read">,
  caller: Caller,
  asked: {
    readonly permission: Permission;
    readonly id: string | undefined;
    readonly isOwnAllowed?: boolean;
  },
): Promise<AccessDecision> {
  const id = asked.id === undefined ? caller.organizationId : toId<OrganizationId>(asked.id);
  const access = findAccess(caller.held, asked.permission, id);
  if (access === undefined && asked.isOwnAllowed === true && id === caller.organizationId)
    return { access: { ...ownAccess(caller), isOwnOnly: true } };
  if (access === undefined) throw permissionDenied(asked.permission, id);
  // Only a caller with instance-wide permission gets here with an id that may name no object.
  const isKnown =
    id === caller.organizationId || (await database.read((tx) => findOrganization(tx, id))) !== undefined;
  return isKnown ? { access } : { access, problem: notFound("organization", id) };
}

async function authorizeOnUser(
  tx: ReadTransaction,
  caller: Caller,
  asked: AskedAboutUser,
): Promise<AccessDecision> {
  const isSelf = asked.isSelfAllowed && asked.userId === caller.userId;
  if (isSelf && (!caller.isLimited || asked.isSelfAllowedLimited)) return { access: ownAccess(caller) };
  // With a limited token, users may do to themselves what any other caller with these roles may do to them.
  const { denied, ...decision } = await checkAboutUser(tx, caller, asked);
  if (isSelf && (denied ?? decision.problem) !== undefined) throw tokenLimited();
  if (denied !== undefined) throw denied;
  return decision;
}

/** A session that does not exist is refused like the session of a user that the caller cannot reach. */
async function authorizeOnSession(
  tx: ReadTransaction,
  caller: Caller,
  asked: Omit<AskedAboutUser, "userId"> & { readonly sessionId: string },
): Promise<AccessDecision> {
  const session = await findSession(tx, asked.sessionId);
  const decision = await authorizeOnUser(tx, caller, { ...asked, userId: session?.userId ?? "" });
  return decision.problem === undefined
    ? decision
    : { ...decision, problem: sessionNotFound(asked.sessionId) };
}

type AskedAboutUser = AboutUser & { readonly permission: Permission; readonly instanceId: InstanceId };

async function checkAboutUser(
  tx: ReadTransaction,
  caller: Caller,
  asked: AskedAboutUser,
): Promise<AccessDecision & { readonly denied?: Problem | undefined }> {
  const own = ownAccess(caller);
  if (!holdsSomewhere(caller.held, asked.permission))
    return { access: own, denied: permissionDenied(asked.permission, caller.organizationId) };
  const user = await findUserById(tx, asked.userId);
  const organizationId = user === undefined ? undefined : toId<OrganizationId>(user.details.resourceOwner);
  const access = organizationId && findAccess(caller.held, asked.permission, organizationId);
  if (access === undefined || organizationId === undefined)
    return { access: own, problem: notFound("user", asked.userId), isOutOfReach: user !== undefined };
  switch (asked.touch) {
    case "acts":
      return { access, denied: await findActingProblem(tx, caller.held, asked) };
    case "stops":
      return { access, denied: await findStoppingProblem(tx, caller.held, { ...asked, organizationId }) };
    case undefined:
      return { access };
  }
}

async function authorizeOnScope(
  setup: { readonly database: Pick<Database, "read">; readonly instanceId: InstanceId },
  caller: Caller,
  asked: { readonly permission: Permission; readonly scope: ScopeName | undefined },
): Promise<AccessDecision> {
  const { permission, scope: name } = asked;
  const access = ownAccess(caller);
  if (name?.kind === "instance" || name?.kind === "organization") {
    const scope = await setup.database.read((tx) => findScope(tx, name));
    if (scope !== undefined && !holdsAt(caller.held, permission, scope)) {
      throw permissionDenied(permission, name.kind === "instance" ? setup.instanceId : name.id);
    }
    if (name.kind === "instance") return { access };
    return await authorizeOnOrganization(setup.database, caller, { permission, id: name.id });
  }
  if (!holdsSomewhere(caller.held, permission)) throw permissionDenied(permission, caller.organizationId);
  if (name === undefined) return { access };
  const scope = await setup.database.read((tx) => findScope(tx, name));
  if (scope !== undefined && holdsAt(caller.held, permission, scope)) return { access };
  const problem = notFound(name.kind === "project" ? "project" : "project_grant", name.id);
  return { access, problem, isOutOfReach: scope !== undefined };
}

async function authorizeOnMembership(
  database: Pick<Database, "read">,
  caller: Caller,
  { permission, id }: { readonly permission: Permission; readonly id: string },
): Promise<AccessDecision> {
  if (!holdsSomewhere(caller.held, permission)) throw permissionDenied(permission, caller.organizationId);
  const access = ownAccess(caller);
  const membership = await database.read((tx) => findMembership(tx, id));
  const isInReach = membership !== undefined && holdsAt(caller.held, permission, membership.scope);
  if (isInReach) return { access };
  return { access, problem: membershipNotFound(id), isOutOfReach: membership !== undefined };
}

/** Returns the access of a call about the caller: the caller's organization, without any project in it. */
export function ownAccess(caller: Caller): Access {
  return { organizationId: caller.organizationId, projects: new Set(), projectGrants: new Set() };
}

/**
 * Decides again, inside of the write that makes the change, and returns the roles that the caller holds then. Raises
 * TOKEN_INVALID, NOT_FOUND and PERMISSION_DENIED, the last also when the caller has less access than when the call began.
 */
export async function confirm(
  setup: {
    readonly clock: Clock;
    readonly instanceId: InstanceId;
    /** A watch of `accessTables`. */
    readonly watch?: TableWatch | undefined;
  },
  tx: ReadTransaction,
  begun: { readonly caller: Caller; readonly request: AccessRequest | undefined; readonly access: Access },
): Promise<readonly HeldRoles[]> {
  const { accessRevision, heldUntil } = begun.caller;
  const isKnown = accessRevision !== undefined && accessRevision === setup.watch?.written();
  if (isKnown && !hasEnded({ endDate: heldUntil }, () => tx.now())) {
    // No table that decides over access was written, in this transaction either: only time has passed, in which no role began or ended.
    requireUnexpired(begun.caller, setup.clock);
    return begun.caller.held;
  }
  const caller = await reauthenticate(tx, setup.clock, begun.caller);
  if (begun.request === undefined) return caller.held;
  const { access, problem } = await authorize(onTransaction(setup, tx), caller, begun.request);
  // The object existed when the call began: nothing may be added to an organization that was removed since.
  if (problem !== undefined) throw problem;
  const isLess =
    isNarrower(access.projects, begun.access.projects) ||
    isNarrower(access.projectGrants, begun.access.projectGrants);
  if (isLess) throw permissionDenied(begun.request.permission, begun.access.organizationId);
  return caller.held;
}

/**
 * Decides inside of a transaction, for one of several calls in it, with everything that the calls before it have changed. The
 * caller in the result is looked up again if that was necessary. Raises what `authenticate` and `authorize` raise.
 */
export async function authorizeWithin(
  setup: { readonly clock: Clock; readonly instanceId: InstanceId; readonly watch: TableWatch },
  tx: ReadTransaction,
  asked: { readonly caller: Caller; readonly request: AccessRequest | undefined },
): Promise<AccessDecision & { readonly caller: Caller }> {
  const caller = await callerNow(setup, tx, asked.caller);
  if (asked.request === undefined) return { access: ownAccess(caller), caller };
  const decision = await authorize(onTransaction(setup, tx), caller, asked.request);
  return { ...decision, caller };
}

async function callerNow(
  { clock, watch }: { readonly clock: Clock; readonly watch: TableWatch },
  tx: ReadTransaction,
  caller: Caller,
): Promise<Caller> {
  const accessRevision = watch.written();
  // A login, or an exchange, rests on more than the tables that are watched.
  if (caller.login !== undefined || (caller.accessToken?.exchanges.length ?? 0) > 0)
    return await reauthenticate(tx, clock, caller);
  if (caller.accessRevision !== accessRevision || hasEnded({ endDate: caller.heldUntil }, () => tx.now()))
    return { ...(await reauthenticate(tx, clock, caller)), accessRevision };
  requireUnexpired(caller, clock);
  return caller;
}

/** Makes the setup of `authorize` with the transaction in place of the database. */
function onTransaction({ instanceId }: { readonly instanceId: InstanceId }, tx: ReadTransaction) {
  return { instanceId, database: { read: <T>(fn: (on: ReadTransaction) => Promise<T>) => fn(tx) } };
}

function tokenLimited(): Problem {
  return new Problem({
    kind: "denied",
    reason: "TOKEN_LIMITED",
    message:
      "the token does not carry all roles of its user, so it cannot be used to manage their phone, factors and tokens; use another token",
  });
}

function isNarrower(now: Access["projects"], before: Access["projects"]): boolean {
  if (now === "all") return false;
  return before === "all" || [...before].some((id) => !now.has(id));
}
