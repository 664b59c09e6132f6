import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { SecondFactorId } from "../../../kernel/base/ids.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { read, requireTarget, write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { reserveTry, resetTries } from "../../logins/tries/repository.ts";
import { factorCounterOf, factorLimits } from "../../logins/tries/try.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { loginPaused } from "../../people/passwords/password.ts";
import { findTotp } from "../second-factors/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { getUser } from "../../people/user/repository.ts";
import { type HumanUser, requireHuman } from "../../people/user/user.ts";
import { findTotpSecret, listUsedSteps, putTotpSecret, useTimeStep } from "./repository.ts";
import { findTimeStep, otpauthUri, toBase32, totpSecretBytes } from "./time-code.ts";
import {
  addTotp,
  removeTotp,
  requireOpenTotp,
  type Totp,
  totpInvalid,
  totpNotFound,
  verifyTotp,
} from "./totp.ts";

/** What an authenticator app is set up with. */
export interface TotpSetup {
  /** For a QR code. */
  readonly uri: Secret;
  /** For people to type: base32. */
  readonly secret: Secret;
}

/** The use cases of authenticator apps (TOTP). */
export interface TotpCommands {
  /**
   * Starts a registration, in place of one that was not completed. Raises NOT_FOUND, WRONG_KIND, ALREADY_EXISTS,
   * REAUTHENTICATION_REQUIRED.
   */
  register(call: Call, userId: string): Promise<TotpSetup & { readonly details: Details }>;
  /**
   * Completes the registration. A wrong code is counted, also when others try at the same time. Raises NOT_FOUND,
   * ALREADY_EXISTS, TOTP_INVALID, LOGIN_PAUSED, REAUTHENTICATION_REQUIRED.
   */
  verify(call: Call, input: { readonly userId: string; readonly code: Secret }): Promise<Details>;
  /** Removes the app, or a registration that was started. Raises NOT_FOUND, REAUTHENTICATION_REQUIRED. */
  remove(call: Call, userId: string): Promise<Removal>;
}

/** Creates the commands of authenticator apps, which show the service by that name. */
export function createTotpCommands(context: UserContext, serviceName: string): TotpCommands {
  return {
    register: (call, userId) => register(context, call, { userId, serviceName }),
    verify: (call, input) => verify(context, call, input),
    remove: (call, userId) =>
      remove(context, call, {
        async load({ tx }) {
          const user = await getUserOf(context, tx, { call, userId });
          const totp = await findTotp(tx, user.id);
          if (totp === undefined) throw totpNotFound(userId);
          return totp;
        },
        async decide(totp, command) {
          await context.waysIn?.keep(command, { of: "user", userId: totp.userId });
          return [removeTotp(totp)];
        },
      }),
  };
}

/** Makes what an app is set up with. */
export function toTotpSetup(about: {
  readonly service: string;
  readonly username: string;
  readonly secret: Uint8Array;
}): TotpSetup {
  return { uri: new Secret(otpauthUri(about)), secret: new Secret(toBase32(about.secret)) };
}

async function register(
  context: UserContext,
  call: Call,
  { userId, serviceName }: { readonly userId: string; readonly serviceName: string },
): ReturnType<TotpCommands["register"]> {
  return await write(context, call, async ({ tx, append }) => {
    const user = requireHuman(await getUserOf(context, tx, { call, userId }));
    const id = tx.nextId<SecondFactorId>();
    const former = await findTotp(tx, user.id);
    const loginOrigin = await findLoginOriginOf(tx, call, user.id);
    const events = addTotp(user, id, { former, madeWithTokenId: call.caller.tokenId, loginOrigin });
    const secret = context.random.bytes(totpSecretBytes);
    await putTotpSecret(tx, context.personalData, { userId: user.id, id, secret });
    const details = createdDetails(await append(events), user.details.resourceOwner);
    return { details, ...toTotpSetup({ service: serviceName, username: user.username, secret }) };
  });
}

async function verify(
  context: UserContext,
  call: Call,
  input: { readonly userId: string; readonly code: Secret },
): Promise<Details> {
  await read(context, call, (tx) => findOpen(context, tx, { call, ...input }));
  const tried = call.isDryRun === true ? undefined : await tryCode(context, call, input);
  return await write(context, call, async ({ tx, append }) => {
    const totp = await findOpen(context, tx, { call, ...input });
    if (tried !== undefined) {
      const nowMs = context.clock.nowMs();
      const isRight =
        tried.totpId === totp.id &&
        tried.step !== undefined &&
        (await useTimeStep(tx, { userId: totp.userId, step: tried.step, nowMs }));
      if (!isRight) return totpInvalid(); // not thrown: a repeat of the call tries nothing
      await resetTries(tx, factorCounterOf(context.keyring, totp.userId));
    }
    return changedDetails(totp.details, await append([verifyTotp(totp)]));
  });
}

/** Compares the code, after the try was counted. Raises LOGIN_PAUSED. */
async function tryCode(
  context: UserContext,
  call: Call,
  input: { readonly userId: string; readonly code: Secret },
): Promise<{ readonly totpId: SecondFactorId; readonly step: number | undefined }> {
  const { database, personalData, keyring, clock } = context;
  const nowMs = clock.nowMs();
  const begun = await database.write(async (tx) => {
    const { id, userId } = await findOpen(context, tx, { call, ...input });
    const counter = factorCounterOf(keyring, userId);
    const tried = await reserveTry(tx, { ...counter, userId, nowMs, limits: factorLimits });
    const secret = await findTotpSecret(tx, personalData, { userId, id });
    return { id, tried, secret, used: await listUsedSteps(tx, userId) };
  });
  const { id, tried, secret, used } = begun;
  if (!tried.isAllowed) throw loginPaused(tried.retryAfterMs);
  const step = secret && findTimeStep(secret, input.code, { nowMs, isUsed: (each) => used.includes(each) });
  return { totpId: id, step };
}

async function findOpen(
  context: UserContext,
  tx: ReadTransaction,
  input: { readonly call: Call; readonly userId: string },
): Promise<Totp> {
  const user = await getUserOf(context, tx, input);
  const totp = await findTotp(tx, user.id);
  if (totp === undefined) throw totpNotFound(user.id);
  return requireOpenTotp(requireTarget(input.call, totp));
}

/** Users change their own app only with the access token of a recent login. */
async function getUserOf(
  context: UserContext,
  tx: ReadTransaction,
  { call, userId }: { readonly call: Call; readonly userId: string },
): Promise<HumanUser> {
  const user = requireHuman(await getUser(tx, call.access.organizationId, userId));
  if (user.id === call.caller.userId) await requireRecentLogin(tx, call, context);
  return user;
}
