import type { Caller, Editor } from "../../../base/call.ts";
import type { WriteTransaction } from "../../../base/database.ts";
import { foldName } from "../../../base/folding.ts";
import { type OrganizationId, toId, type UserId } from "../../../base/ids.ts";
import { findMissing } from "../../../base/permission.ts";
import { Problem } from "../../../base/problem.ts";
import { Secret } from "../../../base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { listHeldRoles } from "../../held-roles/repository.ts";
import { readPolicyOfUser } from "../../login-policies/repository.ts";
import { findOrganization } from "../../organizations/repository.ts";
import { type AskedTry, noteTry, reserveTries } from "../../tries/repository.ts";
import { addressKeyOf, addressLimits, passwordLimits, tryKeyOf } from "../../tries/try.ts";
import { codeNotPending, type CodeReceiver, newVerificationCode } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import type { Mailer } from "../emails/mailer.ts";
import { findEmailLineage } from "../emails/repository.ts";
import type { CountedMessage } from "../messages/commands.ts";
import { identityProviderOperator } from "../login-origins/login-origin.ts";
import { findHumanByUsername } from "../user/repository.ts";
import type { HumanUser } from "../user/user.ts";
import type { PasswordHasher } from "./hasher.ts";
import { requestPasswordReset } from "./password.ts";
import { linkToPage } from "./password-link.ts";

/** What the code of a password is mailed with. */
export interface ResetPorts {
  readonly context: FeatureContext;
  readonly mailer: Mailer;
}

/**
 * Makes a code that sets a password, in place of any former one, and counts the mail with its link. Hand the mail to `start` of the
 * mailer once the write is durable. Raises CODE_NOT_PENDING for a user without an address, or with one that nobody answers for since
 * the user gained roles, MAIL_NOT_CONFIGURED, RATE_LIMITED.
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
    /** Who chose the page behind the link, where it is not one of our own. */
    readonly linkedBy?: Caller | undefined;
  },
): Promise<CountedMessage> {
  const creator = (await findEmailLineage(tx, user.id))?.creator;
  if (user.email === "" || creator === undefined) throw codeNotPending();
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
    isMailed: true,
  });
  return mail;
}

/**
 * Finds who else may read the code: whoever set the address, and whoever chose the page that the code goes to. Of two it is the one
 * who holds less. Undefined if it is only the user.
 */
async function findReceiver(
  tx: WriteTransaction,
  {
    user,
    creator,
    linkedBy,
  }: { readonly user: HumanUser; readonly creator: Editor; readonly linkedBy: Caller | undefined },
): Promise<CodeReceiver | undefined> {
  const setBy =
    creator === user.id || creator === "system" ? undefined : { userId: creator, tokenId: undefined };
  if (linkedBy === undefined || linkedBy.userId === user.id) return setBy;
  return setBy === undefined || (await isBelow(tx, linkedBy, setBy.userId))
    ? { userId: linkedBy.userId, tokenId: linkedBy.tokenId }
    : setBy;
}

async function isBelow(tx: WriteTransaction, { held }: Caller, userId: UserId): Promise<boolean> {
  if (userId === identityProviderOperator) return !held.some(({ scope }) => scope.kind === "instance");
  return findMissing(await listHeldRoles(tx, userId), held) === undefined;
}

/** A username that somebody has typed who does not know the password. */
export interface TypedName {
  readonly username: string;
  /** Only users of this organization get a code; undefined = users of all of them. */
  readonly organizationId: OrganizationId | undefined;
  readonly issuer: string;
  /** The application that the page behind the link leads back to; undefined: to none. */
  readonly clientId: string | undefined;
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  /** Names a browser in which the user of that name has logged in before: it has a counter of its own. */
  readonly knownBrowser?: string | undefined;
}

/** `asked` says nothing about users: a mail was sent, or not. */
export type ResetRequest =
  | { readonly kind: "asked" }
  | { readonly kind: "paused"; readonly retryAfterMs: number };

/**
 * Mails the link to whoever has the name, if they may log in with a password and have verified their address. Each request is
 * counted under the folded name and under the address, as wrong passwords are, in a write before the user is looked for; and a hash is
 * computed in each case, so that the time says nothing about who exists. Raises OVERLOADED.
 */
export async function requestResetByName(
  ports: ResetPorts & { readonly hasher: PasswordHasher },
  typed: TypedName,
): Promise<ResetRequest> {
  const { context, mailer, hasher } = ports;
  const { database, clock, log } = context;
  // Before the request is counted, and whoever it is about: what is full must not say who exists.
  hasher.requireRoom();
  mailer.requireRoom();
  const nowMs = clock.nowMs();
  const counter = await reserve(ports, typed, nowMs);
  if ("retryAfterMs" in counter) return { kind: "paused", ...counter };
  await hasher.verifyNothing(typed.username);
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
  { username, remoteAddress, knownBrowser }: TypedName,
  nowMs: number,
): Promise<AskedTry | { readonly retryAfterMs: number }> {
  const { database, keyring } = context;
  const browser = knownBrowser === undefined ? [] : ["known", knownBrowser];
  return await database.write(async (tx) => {
    const named = await findHumanByUsername(tx, username);
    const counter = {
      kind: "reset-request",
      key: tryKeyOf(keyring, "reset-request", foldName(username), ...browser),
      userId: named?.id,
      nowMs,
      limits: passwordLimits,
    } as const;
    const key = addressKeyOf(keyring, remoteAddress);
    const address = { kind: "address", key, nowMs, limits: addressLimits } as const;
    const reserved = await reserveTries(tx, [counter, address]);
    return reserved.isAllowed ? counter : { retryAfterMs: reserved.retryAfterMs };
  });
}

async function findNamed(
  tx: WriteTransaction,
  { username, organizationId }: TypedName,
): Promise<HumanUser | undefined> {
  const user = await findHumanByUsername(tx, username);
  if (user?.state !== "ACTIVE" || user.email === "" || !user.isEmailVerified) return undefined;
  const home = toId<OrganizationId>(user.details.resourceOwner);
  if (organizationId !== undefined && organizationId !== home) return undefined;
  if ((await findOrganization(tx, home))?.state !== "ACTIVE") return undefined;
  const policy = await readPolicyOfUser(tx, { userId: user.id, organizationId: home });
  return policy.allowPassword ? user : undefined;
}

/** Too many mails: nothing is sent, and nobody is told. Nothing was changed before it was raised. */
function toUndefined(error: unknown): undefined {
  if (error instanceof Problem && (error.reason === "RATE_LIMITED" || error.reason === "OVERLOADED")) return;
  throw error;
}
