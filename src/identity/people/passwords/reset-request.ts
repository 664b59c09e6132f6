import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import { readPolicyOfUser } from "../../policies/repository.ts";
import { findOrganization } from "../../organizations/repository.ts";
import { type AskedTry, noteTry, reserveTries } from "../../logins/tries/repository.ts";
import { nameBrowser } from "../../logins/known-browsers/repository.ts";
import { addressKeyOf, addressLimits, passwordLimits, tryKeyOf } from "../../logins/tries/try.ts";
import { endInvitation, holderOf } from "../codes/reset-code-repository.ts";
import { foldLoginName, type LoginName } from "../user/login-name.ts";
import { findNamedUser } from "../user/login-name-repository.ts";
import type { HumanUser } from "../user/user.ts";
import type { PasswordHasher } from "./hasher.ts";
import { mailPasswordCode, type ResetPorts } from "./mailed-code.ts";
import { requestPasswordReset } from "./password.ts";
import { linkToPage } from "./password-link.ts";

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
    await log.append(tx, { editor: user.id, remoteAddress, requestId }, [
      requestPasswordReset(user),
      ...(await endInvitation(tx, holderOf(user), "replaced")),
    ]);
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
