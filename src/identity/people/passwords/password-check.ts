import type { Origin } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import type { FeatureContext } from "../../context.ts";
import { listInstanceRoles } from "../../held-roles/repository.ts";
import { readPolicyOfUser } from "../../policies/repository.ts";
import { findOrganization } from "../../organizations/repository.ts";
import {
  type AskedTry,
  countTries,
  noteTry,
  releaseTry,
  type ReservedTry,
  reserveTries,
  reserveTry,
  resetTries,
} from "../../logins/tries/repository.ts";
import { nameBrowser } from "../../logins/known-browsers/repository.ts";
import { addressKeyOf, addressLimits, passwordLimits, tryKeyOf } from "../../logins/tries/try.ts";
import { foldLoginName, type LoginName } from "../user/login-name.ts";
import { findNamedUser, type NamedUser } from "../user/login-name-repository.ts";
import type { HumanUser } from "../user/user.ts";
import type { PasswordHasher } from "./hasher.ts";
import { type FailedCheck, failPasswordCheck } from "./password.ts";
import { findPasswordHash, listDearestHeaders, putPasswordHash } from "./repository.ts";

/** What passwords are checked with. */
export interface PasswordPorts extends Pick<FeatureContext, "database" | "log" | "clock" | "keyring"> {
  readonly hasher: PasswordHasher;
}

/** A name and a password that somebody has typed. */
export interface TypedPassword {
  readonly login: LoginName;
  readonly password: string;
  /** Only users of this organization are let in; undefined = users of all of them. */
  readonly homeId?: OrganizationId | undefined;
  /**
   * A login needs a policy that allows passwords, the one that holds for the user; a change of the password by the one
   * before does not. Default: login.
   */
  readonly purpose?: "login" | "change" | undefined;
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  /** Hash of the cookie of a browser in which users have logged in before: for them it has counters of its own. */
  readonly browserHash?: string | undefined;
}

/** How it went. `wrong` says no more, so that unknown and locked users, and those without a password, look the same. */
export type PasswordTry = RightPassword | { readonly kind: "wrong" } | PausedTry;

/** How it went, when nothing is recorded yet. */
export type ComparedPassword = RightPassword | WrongPassword | PausedTry;

/** A right password; it is good for nothing before it is settled. */
export interface RightPassword {
  readonly kind: "right";
  readonly userId: UserId;
  readonly settle: SettlePassword;
}

/** A wrong password. `settle` records it, locks the user once the policy says so, and returns false. */
export interface WrongPassword {
  readonly kind: "wrong";
  readonly settle: SettlePassword;
}

/** A try that was not made; it is not counted either. */
export interface PausedTry {
  readonly kind: "paused";
  readonly retryAfterMs: number;
}

/**
 * Ends the try of a right password in the write of what follows from it: the try is taken off, and a hash that is weaker than ours
 * is replaced. False: it is right no longer, because the user was locked or got another password meanwhile; that is recorded as a
 * wrong one. A try that is never settled counts as wrong.
 */
export type SettlePassword = (tx: WriteTransaction) => Promise<boolean>;

/**
 * Tries a password. The try is counted, under the folded name and under the address, in a write before anything is compared; a
 * right one counts until it is settled. A hash is computed in each case but a pause. Wrong passwords of a user who exists are
 * recorded, and lock the user once the policy says so. They also count under the user, over all names: after too many the password
 * is wrong for as long as a name would have to wait, so that a pause does not tell which names mean the same user. Raises OVERLOADED.
 */
export async function tryPassword(ports: PasswordPorts, typed: TypedPassword): Promise<PasswordTry> {
  const compared = await comparePassword(ports, typed);
  if (compared.kind !== "wrong") return compared;
  await ports.database.write(compared.settle);
  return { kind: "wrong" };
}

/** Tries a password as `tryPassword` does, but leaves a wrong one to be settled in the write that the caller makes anyway. */
export async function comparePassword(ports: PasswordPorts, typed: TypedPassword): Promise<ComparedPassword> {
  const { database, hasher } = ports;
  hasher.requireRoom(); // before the try is counted
  const reservedMs = ports.clock.nowMs();
  const begun = await database.write((tx) => begin(ports, tx, { typed, nowMs: reservedMs }));
  if (begun.kind === "paused") return begun;
  const { encoded, userId, dearest } = begun;
  if (encoded === undefined) await hasher.verifyNothing(typed.password, dearest);
  const verdict = encoded === undefined ? wrong : await hasher.verify(encoded, typed.password, dearest);
  const compared = { ...begun, typed, reservedMs };
  if (!verdict.isRight || userId === undefined)
    return { kind: "wrong", settle: (tx) => fail(ports, tx, compared) };
  const better = verdict.isWeak ? await hasher.hash(typed.password) : undefined;
  return { kind: "right", userId, settle: (tx) => settle(ports, tx, { ...compared, better }) };
}

const wrong = { isRight: false, isWeak: false } as const;

interface Begun {
  readonly kind: "begun";
  readonly counters: {
    readonly name: AskedTry;
    readonly address: AskedTry;
    /** Undefined: the name means nobody. */
    readonly user: AskedTry | undefined;
  };
  /** Undefined when no user of that name may log in here. */
  readonly userId: UserId | undefined;
  /** The hash to compare with; undefined when the password cannot be right. */
  readonly encoded: string | undefined;
  /** The headers of the hashes that a wrong password takes as long as. */
  readonly dearest: readonly string[];
  /** What a wrong password is recorded as. */
  readonly reason: FailedCheck;
}

async function begin(
  { keyring }: PasswordPorts,
  tx: WriteTransaction,
  { typed, nowMs }: { readonly typed: TypedPassword; readonly nowMs: number },
): Promise<Begun | PausedTry> {
  const named = await findNamedUser(tx, typed.login);
  const userId = named?.user.id;
  const browser = await nameBrowser(tx, { userId, browserHash: typed.browserHash, nowMs });
  const counter = (...of: readonly string[]) =>
    ({
      kind: "password",
      key: tryKeyOf(keyring, "password", ...of, ...browser),
      userId,
      nowMs,
      limits: passwordLimits,
    }) as const;
  const counters = {
    name: counter(foldLoginName(typed.login.name)),
    address: {
      kind: "address",
      key: addressKeyOf(keyring, typed.remoteAddress),
      nowMs,
      limits: addressLimits,
    },
    user: userId && counter("user", userId),
  } as const;
  const reserved = await reserveTries(tx, [counters.name, counters.address]);
  if (!reserved.isAllowed) return { kind: "paused", retryAfterMs: reserved.retryAfterMs };
  const found = isOf(named, typed.homeId) ? named : undefined;
  const ofUser = counters.user && (await reserveTry(tx, counters.user));
  const refusal = found && ofUser && (await findRefusal(tx, found, { typed, tried: ofUser }));
  const encoded = found && refusal === undefined ? await findPasswordHash(tx, found.user.id) : undefined;
  return {
    kind: "begun",
    counters,
    userId: found?.user.id,
    encoded,
    dearest: await listDearestHeaders(tx),
    reason: refusal ?? (encoded === undefined ? "not_set" : "wrong"),
  };
}

function isOf(named: NamedUser | undefined, homeId: OrganizationId | undefined): boolean {
  return homeId === undefined || named?.user.details.resourceOwner === homeId;
}

/** Finds the reason why no password of the user can be right at this moment. */
async function findRefusal(
  tx: ReadTransaction,
  { user, kinds }: NamedUser,
  { typed, tried }: { readonly typed: TypedPassword; readonly tried?: ReservedTry },
): Promise<FailedCheck | undefined> {
  if (tried?.isAllowed === false) return "too_many";
  const organizationId = toId<OrganizationId>(user.details.resourceOwner);
  const organization = await findOrganization(tx, organizationId);
  if (user.state !== "ACTIVE" || organization?.state !== "ACTIVE") return "not_active";
  const policy = await readPolicyOfUser(tx, { userId: user.id, organizationId });
  const isAllowed = policy.allowPassword && kinds.some((kind) => policy.loginNames.includes(kind));
  if (typed.purpose !== "change" && !isAllowed) return "not_allowed";
  // Tries at once that all together are more than the user has before the lock.
  const max = policy.maxPasswordAttempts;
  const isBeyond = max > 0 && (tried?.count ?? 0) > max && !(await isNeverLocked(tx, user.id));
  return isBeyond ? "too_many" : undefined;
}

interface Compared extends Begun {
  readonly typed: TypedPassword;
  readonly reservedMs: number;
}

interface Right extends Compared {
  /** A hash to store in place of the one that was compared. */
  readonly better: string | undefined;
}

async function settle(ports: PasswordPorts, tx: WriteTransaction, compared: Right): Promise<boolean> {
  const { counters, reservedMs, better } = compared;
  const found = await findSameUser(tx, compared);
  if (found === undefined || !(await isAsBefore(tx, found, compared))) {
    return await fail(ports, tx, { ...compared, reason: "wrong" });
  }
  await resetTries(tx, counters.name);
  if (counters.user !== undefined) await resetTries(tx, counters.user);
  await releaseTry(tx, counters.address, { reservedMs, nowMs: ports.clock.nowMs() });
  if (better !== undefined) await putPasswordHash(tx, found.user.id, better);
  return true;
}

async function fail(ports: PasswordPorts, tx: WriteTransaction, compared: Compared): Promise<false> {
  const { typed, counters, reason } = compared;
  const user = (await findSameUser(tx, compared))?.user;
  if (user === undefined || counters.user === undefined) {
    await noteTry(tx, counters.name); // as much work as recording it
    return false;
  }
  const isLast = await isLastTry(ports, tx, { user, counter: counters.user });
  await ports.log.append(tx, originOf(user, typed), failPasswordCheck(user, { reason, isLast }));
  return false;
}

/** The name may be that of another user meanwhile, or nobody's. */
async function findSameUser(
  tx: ReadTransaction,
  { typed, userId }: Compared,
): Promise<NamedUser | undefined> {
  const found = userId === undefined ? undefined : await findNamedUser(tx, typed.login);
  return found?.user.id === userId ? found : undefined;
}

async function isAsBefore(
  tx: ReadTransaction,
  found: NamedUser,
  { typed, encoded }: Compared,
): Promise<boolean> {
  const refusal = await findRefusal(tx, found, { typed });
  return refusal === undefined && (await findPasswordHash(tx, found.user.id)) === encoded;
}

/** Says whether the wrong tries so far lock the user. */
async function isLastTry(
  { clock }: PasswordPorts,
  tx: ReadTransaction,
  { user, counter }: { readonly user: HumanUser; readonly counter: AskedTry },
): Promise<boolean> {
  const of = { userId: user.id, organizationId: user.details.resourceOwner };
  const { maxPasswordAttempts: max } = await readPolicyOfUser(tx, of);
  if (max === 0 || user.state !== "ACTIVE") return false;
  if ((await countTries(tx, counter, clock.nowMs())) < max) return false;
  return !(await isNeverLocked(tx, user.id));
}

/** Anybody can type wrong passwords: an INSTANCE_OWNER has to wait after them, but is not locked. */
async function isNeverLocked(tx: ReadTransaction, userId: UserId): Promise<boolean> {
  return (await listInstanceRoles(tx, userId)).includes("INSTANCE_OWNER");
}

/** The address is recorded under the key of the user, so that it goes with them. */
function originOf(user: HumanUser, { remoteAddress, requestId }: TypedPassword): Origin {
  return { editor: user.id, remoteAddress, requestId };
}
