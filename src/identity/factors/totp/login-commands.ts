import type { Origin } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { SecondFactorId, UserId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { reserveTry, resetTries } from "../../logins/tries/repository.ts";
import { factorCounterOf, factorLimits } from "../../logins/tries/try.ts";
import { findLoginOrigin } from "../../logins/login-origins/repository.ts";
import type { FactorCheck } from "../second-factors/login.ts";
import type { LoggingIn, ProvedFactor, UnprovedFactor } from "../second-factors/login-commands.ts";
import { findTotp } from "../second-factors/repository.ts";
import { findUserById } from "../../people/user/repository.ts";
import { type HumanUser, requireHuman, userNotFound } from "../../people/user/user.ts";
import { toTotpSetup, type TotpSetup } from "./commands.ts";
import { findTotpSecret, listUsedSteps, putTotpSecret, useTimeStep } from "./repository.ts";
import { findTimeStep, totpSecretBytes } from "./time-code.ts";
import { addTotp, failTotpCheck, totpInvalid, verifyTotp } from "./totp.ts";

/** What a page shows to somebody who sets up an app. Nothing is stored until a code of the app proves that it is set up. */
export interface OfferedTotp extends TotpSetup {
  /** Gives the secret back to the service, which alone can read it, with the form of the page. */
  readonly offer: string;
}

/** A user, and the login or session in which an app is set up. */
export type SettingUp = Omit<LoggingIn, "issuer">;

/** What authenticator apps do for logins. */
export interface TotpLogins {
  /** Checks a code that somebody typed. A code is good for one use. */
  check(userId: UserId, code: Secret, origin: Origin): Promise<ProvedFactor | UnprovedFactor>;
  /** Offers a new app to set up, or the earlier offer again if it belongs to the same login and has not expired. */
  offer(login: SettingUp, offer?: string): Promise<OfferedTotp>;
  /** Checks the first code of a new app, which is also a check of the login. Undefined: the offer does not hold any more. */
  checkOffer(
    login: SettingUp,
    input: { readonly offer: string; readonly code: Secret },
  ): Promise<ProvedFactor | UnprovedFactor | undefined>;
}

/** For so long an offer holds: as long as a login may take. */
const offerMs = 900_000;

/** Creates what authenticator apps do for logins; apps show the service by that name. */
export function createTotpLogins(context: FeatureContext, serviceName: string): TotpLogins {
  return {
    check: (userId, code, origin) => check(context, { userId, code, origin }),
    async offer(login, offer) {
      const user = await context.database.read((tx) => getHuman(tx, login.userId));
      const open = offer === undefined ? undefined : openOffer(context, login, offer);
      const made = open ?? {
        secret: context.random.bytes(totpSecretBytes),
        expirationMs: context.clock.nowMs() + offerMs,
      };
      const { username } = user;
      return {
        ...toTotpSetup({ service: serviceName, username, secret: made.secret }),
        offer: open === undefined || offer === undefined ? sealOffer(context, login, made) : offer,
      };
    },
    checkOffer: (login, input) => checkOffer(context, { login, ...input }),
  };
}

async function check(
  context: FeatureContext,
  { userId, code, origin }: { readonly userId: UserId; readonly code: Secret; readonly origin: Origin },
): Promise<ProvedFactor | UnprovedFactor> {
  const { database, personalData, keyring, clock } = context;
  const counter = factorCounterOf(keyring, userId);
  const nowMs = clock.nowMs();
  const begun = await database.write(async (tx) => {
    const tried = await reserveTry(tx, { ...counter, userId, nowMs, limits: factorLimits });
    if (!tried.isAllowed) return tried;
    const totp = await findReady(tx, userId);
    const secret = totp && (await findTotpSecret(tx, personalData, totp));
    return { isAllowed: true, totp, secret, used: await listUsedSteps(tx, userId) } as const;
  });
  if (!begun.isAllowed) return { kind: "paused", retryAfterMs: begun.retryAfterMs };
  const { totp, secret, used } = begun;
  if (totp === undefined || secret === undefined) return { kind: "wrong", reason: "TOTP_INVALID" };
  const step = findTimeStep(secret, code, { nowMs, isUsed: (each) => used.includes(each) });
  if (step === undefined) {
    await database.write((tx) => context.log.append(tx, origin, [failTotpCheck(totp)]));
    return { kind: "wrong", reason: "TOTP_INVALID" };
  }
  return {
    kind: "right",
    userId,
    async settle(tx) {
      const now = await findReady(tx, userId);
      if (now?.id !== totp.id || !(await useTimeStep(tx, { userId, step, nowMs }))) throw totpInvalid();
      await resetTries(tx, counter);
      return { check: toCheck(totp.id, step), events: [] };
    },
  };
}

async function checkOffer(
  context: FeatureContext,
  asked: { readonly login: SettingUp; readonly offer: string; readonly code: Secret },
): Promise<ProvedFactor | UnprovedFactor | undefined> {
  const { database, personalData, keyring, clock } = context;
  const { login, code } = asked;
  const { userId } = login;
  const open = openOffer(context, login, asked.offer);
  if (open === undefined) return undefined;
  const { secret } = open;
  const counter = factorCounterOf(keyring, userId);
  const nowMs = clock.nowMs();
  const begun = await database.write(async (tx) => {
    const tried = await reserveTry(tx, { ...counter, userId, nowMs, limits: factorLimits });
    return { tried, used: await listUsedSteps(tx, userId) };
  });
  if (!begun.tried.isAllowed) return { kind: "paused", retryAfterMs: begun.tried.retryAfterMs };
  const step = findTimeStep(secret, code, { nowMs, isUsed: (each) => begun.used.includes(each) });
  if (step === undefined) return { kind: "wrong", reason: "TOTP_INVALID" };
  return {
    kind: "right",
    userId,
    async settle(tx) {
      const user = await getHuman(tx, userId);
      const id = tx.nextId<SecondFactorId>();
      const loginOrigin = await findLoginOrigin(tx, login);
      const added = addTotp(user, id, { former: await findTotp(tx, userId), loginOrigin });
      if (!(await useTimeStep(tx, { userId, step, nowMs }))) throw totpInvalid();
      await putTotpSecret(tx, personalData, { userId, id, secret });
      await resetTries(tx, counter);
      const verified = verifyTotp({ id, userId, details: user.details });
      return { check: toCheck(id, step), events: [...added, verified] };
    },
  };
}

interface Offer {
  readonly secret: Uint8Array;
  readonly expirationMs: number;
}

/** Seals the secret for the login, so that it can be handed out and needs no row that somebody has to delete. */
function sealOffer({ keyring }: FeatureContext, login: SettingUp, { secret, expirationMs }: Offer): string {
  const text = JSON.stringify({ secret: Buffer.from(secret).toString("base64"), expirationMs });
  const { keyId, value } = keyring.encrypt("totp-offer", Buffer.from(text), contextOf(login));
  return `${keyId}.${Buffer.from(value).toString("base64url")}`;
}

function openOffer({ keyring, clock }: FeatureContext, login: SettingUp, offer: string): Offer | undefined {
  const [keyId = "", value = ""] = offer.split(".");
  try {
    const sealed = { keyId, value: new Uint8Array(Buffer.from(value, "base64url")) };
    const plaintext = Buffer.from(keyring.decrypt("totp-offer", sealed, contextOf(login))).toString("utf8");
    const open = JSON.parse(plaintext) as { readonly secret: string; readonly expirationMs: number }; // authenticated, so written by sealOffer
    if (open.expirationMs <= clock.nowMs()) return undefined;
    return { ...open, secret: new Uint8Array(Buffer.from(open.secret, "base64")) };
  } catch {
    return undefined; // changed, or of another login
  }
}

function contextOf({ loginId, userId }: SettingUp): string {
  return `${userId}.${loginId}`;
}

async function findReady(tx: ReadTransaction, userId: UserId) {
  const totp = await findTotp(tx, userId);
  return totp?.state === "READY" ? totp : undefined;
}

async function getHuman(tx: ReadTransaction, userId: UserId): Promise<HumanUser> {
  const user = await findUserById(tx, userId);
  if (user === undefined) throw userNotFound(userId);
  return requireHuman(user);
}

function toCheck(id: SecondFactorId, step: number): FactorCheck {
  return { method: "TOTP", factor: { id, counter: step } };
}
