import type { Call, Editor } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import { findMissing } from "../../../kernel/base/permission.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { holdsOutside } from "../../held-roles/outside.ts";
import { listHeldRoles } from "../../held-roles/repository.ts";
import { readPolicyOfUser } from "../../policies/repository.ts";
import { findOrganization } from "../../organizations/repository.ts";
import { type AskedTry, noteTry, reserveTries } from "../../logins/tries/repository.ts";
import { nameBrowser } from "../../logins/known-browsers/repository.ts";
import { addressKeyOf, addressLimits, passwordLimits, tryKeyOf } from "../../logins/tries/try.ts";
import { codeNotPending, type CodeReceiver, newVerificationCode } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import type { Mailer } from "../emails/mailer.ts";
import { findEmailLineage } from "../emails/repository.ts";
import type { CountedMessage } from "../messages/commands.ts";
import { toAnswerable, withProvider } from "../../logins/login-origins/login-origin.ts";
import { foldLoginName, type LoginName } from "../user/login-name.ts";
import { findNamedUser } from "../user/login-name-repository.ts";
import type { HumanUser } from "../user/user.ts";
import type { PasswordHasher } from "./hasher.ts";
import { requestPasswordReset } from "./password.ts";
import { originOfCall } from "./password-change.ts";
import { linkToPage } from "./password-link.ts";

/** What the code of a password is mailed with. */
export interface ResetPorts {
  readonly context: FeatureContext;
  readonly mailer: Mailer;
}

/**
 * Makes a code that sets a password, in place of any former one, and counts the mail with its link. Hand the mail to `start` of the
 * mailer once the write is durable. Raises CODE_NOT_PENDING for a user without an address, with one that nobody answers for since
 * the user gained roles, or with one that an identity provider vouches for while the user holds roles outside of their
 * organization; MAIL_NOT_CONFIGURED, RATE_LIMITED.
 */
export async function mailPasswordCode(
  { context, mailer }: ResetPorts,
  tx: WriteTransaction,
  {
    user,
    toLink,
    linkedBy,
  }: {
    readonly user: HumanUser;
    readonly toLink: (code: string) => string;
    /** The call that chose the page behind the link, where it is not one of our own. */
    readonly linkedBy?: Call | undefined;
  },
): Promise<CountedMessage> {
  const creator = (await findEmailLineage(tx, user.id))?.creator;
  if (user.email === "" || creator === undefined) throw codeNotPending();
  if (!(await maySetPassword(tx, user, creator))) throw codeNotPending();
  const code = newVerificationCode("reset", context.random);
  const link = new Secret(toLink(code.reveal()));
  const content = { kind: "password", code, link } as const;
  const mail = await mailer.count(tx, { user, email: user.email, content });
  await putNewCode(tx, "reset", {
    ...context,
    userId: user.id,
    address: "",
    code,
    nowMs: context.clock.nowMs(),
    givenTo: await findReceiver(tx, { user, creator, linkedBy }),
    isSent: true,
  });
  return mail;
}

/**
 * Says whether codes may go to an address. The administrators of the identity provider that vouches for it read them, or could have
 * set it: they must not get roles outside of the user's organization.
 */
async function maySetPassword(tx: ReadTransaction, user: HumanUser, creator: Editor): Promise<boolean> {
  if (!toAnswerable(creator).isByProvider) return true;
  return !holdsOutside(await listHeldRoles(tx, user.id), toId(user.details.resourceOwner));
}

/**
 * Finds the other people that may read the code: the users that set the address, and that chose the page that the code goes to. Of
 * two users it is the one with fewer roles; the administrators of the identity provider count besides. Undefined if it is only the
 * user.
 */
async function findReceiver(
  tx: WriteTransaction,
  {
    user,
    creator,
    linkedBy,
  }: { readonly user: HumanUser; readonly creator: Editor; readonly linkedBy: Call | undefined },
): Promise<CodeReceiver | undefined> {
  const page = linkedBy && (await findChooser(tx, linkedBy, user));
  const setBy = creator === user.id || creator === "system" ? undefined : creator;
  const [byAddress, byPage] = [setBy, page?.userId].map((each) => each && toAnswerable(each));
  const isByPage =
    byAddress?.maker === undefined ||
    (linkedBy !== undefined && (await isBelow(tx, { maker: byPage?.maker, linkedBy }, byAddress.maker)));
  const maker = isByPage ? byPage?.maker : byAddress.maker;
  const tokenId = isByPage ? page?.tokenId : undefined;
  if (byAddress?.isByProvider === true || byPage?.isByProvider === true)
    return { userId: withProvider(maker), tokenId };
  return maker && { userId: maker, tokenId };
}

/**
 * Finds the user that chose the page of a link: the caller, or a user who could have made the login of the call. Undefined if only
 * the user could.
 */
async function findChooser(
  tx: ReadTransaction,
  call: Call,
  { id }: HumanUser,
): Promise<CodeReceiver | undefined> {
  const { creator, madeWithTokenId } = await originOfCall(tx, call, id);
  return creator === id ? undefined : { userId: creator, tokenId: madeWithTokenId };
}

/**
 * Says whether the user that chose the page holds nothing that the setter of the address lacks. The caller holds what the token
 * carries.
 */
async function isBelow(
  tx: ReadTransaction,
  { maker, linkedBy }: { readonly maker: Editor | undefined; readonly linkedBy: Call },
  setBy: Editor,
): Promise<boolean> {
  if (maker === undefined) return false;
  const { userId, held } = linkedBy.caller;
  const carried = maker === userId ? held : await listHeldRoles(tx, maker);
  return findMissing(await listHeldRoles(tx, setBy), carried) === undefined;
}

/** A name that was typed by somebody without the password. */
export interface TypedName {
  readonly login: LoginName;
  /** Only users of this organization get a code; undefined = users of all of them. */
  readonly homeId: OrganizationId | undefined;
  readonly issuer: string;
  /** The application that the page behind the link leads back to; undefined: to none. */
  readonly clientId: string | undefined;
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  /** Hash of the cookie of a browser in which users have logged in before: for them it has counters of its own. */
  readonly browserHash?: string | undefined;
}

/** `asked` says nothing about users: a mail was sent, or not. */
export type ResetRequest =
  | { readonly kind: "asked" }
  | { readonly kind: "paused"; readonly retryAfterMs: number };

/**
 * Mails the link to the user that the name means, if they may log in with a password and have verified their address. Each request is
 * counted under the folded name and under the address, as wrong passwords are, in a write before the user is looked for; and a hash
 * is computed in each case, so that the time does not show which users exist. Raises OVERLOADED.
 */
export async function requestResetByName(
  ports: ResetPorts & { readonly hasher: PasswordHasher },
  typed: TypedName,
): Promise<ResetRequest> {
  const { context, mailer, hasher } = ports;
  const { database, clock, log } = context;
  // Before the request is counted, and for every name: a full queue must not reveal which users exist.
  hasher.requireRoom();
  mailer.requireRoom();
  const nowMs = clock.nowMs();
  const counter = await reserve(ports, typed, nowMs);
  if ("retryAfterMs" in counter) return { kind: "paused", ...counter };
  await hasher.verifyNothing(typed.login.name);
  const mail = await database.write(async (tx) => {
    const user = await findNamed(tx, typed);
    const { issuer, clientId, remoteAddress, requestId } = typed;
    const toLink = (code: string) =>
      linkToPage(issuer, { userId: user?.id ?? "", code, ...(clientId === undefined ? {} : { clientId }) });
    const made = user && (await mailPasswordCode(ports, tx, { user, toLink }).catch(toUndefined));
    if (user === undefined || made === undefined) {
      await noteTry(tx, counter); // a write in each case
      return undefined;
    }
    // The address is recorded under the key of the user, so that it goes with them.
    await log.append(tx, { editor: user.id, remoteAddress, requestId }, [requestPasswordReset(user)]);
    return made;
  });
  if (mail !== undefined) mailer.start(typed.requestId, mail);
  return { kind: "asked" };
}

async function reserve(
  { context }: ResetPorts,
  { login, remoteAddress, browserHash }: TypedName,
  nowMs: number,
): Promise<AskedTry | { readonly retryAfterMs: number }> {
  const { database, keyring } = context;
  return await database.write(async (tx) => {
    const userId = (await findNamedUser(tx, login))?.user.id;
    const browser = await nameBrowser(tx, { userId, browserHash, nowMs });
    const counter = {
      kind: "reset-request",
      key: tryKeyOf(keyring, "reset-request", foldLoginName(login.name), ...browser),
      userId,
      nowMs,
      limits: passwordLimits,
    } as const;
    const key = addressKeyOf(keyring, remoteAddress);
    const address = { kind: "address", key, nowMs, limits: addressLimits } as const;
    const reserved = await reserveTries(tx, [counter, address]);
    return reserved.isAllowed ? counter : { retryAfterMs: reserved.retryAfterMs };
  });
}

async function findNamed(tx: WriteTransaction, { login, homeId }: TypedName): Promise<HumanUser | undefined> {
  const found = await findNamedUser(tx, login);
  const user = found?.user;
  if (user?.state !== "ACTIVE" || user.email === "" || !user.isEmailVerified) return undefined;
  const home = toId<OrganizationId>(user.details.resourceOwner);
  if (homeId !== undefined && homeId !== home) return undefined;
  if ((await findOrganization(tx, home))?.state !== "ACTIVE") return undefined;
  const policy = await readPolicyOfUser(tx, { userId: user.id, organizationId: home });
  const isAllowed = policy.allowPassword && found?.kinds.some((kind) => policy.loginNames.includes(kind));
  return isAllowed === true ? user : undefined;
}

/**
 * Too many mails, or an address that no code may go to: nothing is sent, and the page does not show that. Nothing was changed
 * before it was raised.
 */
function toUndefined(error: unknown): undefined {
  if (error instanceof Problem && untold.has(error.reason)) return;
  throw error;
}

const untold: ReadonlySet<string> = new Set(["RATE_LIMITED", "OVERLOADED", "CODE_NOT_PENDING"]);
