import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { FeatureContext } from "../../context.ts";
import { reserveTry } from "../../logins/tries/repository.ts";
import { addEmailCode } from "../emails/email.ts";
import { mailEmailCode } from "../emails/email-code.ts";
import type { Mailer } from "../emails/mailer.ts";
import type { CountedMessage } from "../messages/commands.ts";
import { putPasswordHash } from "../passwords/repository.ts";
import { isUsernameTaken } from "../user/login-name-repository.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";
import { type Registrant, registerUser, registrationCounter, registrationLimits } from "./registration.ts";

/** Whether somebody may register under a name. */
export type AskedName =
  | { readonly kind: "free" }
  | { readonly kind: "taken" }
  | { readonly kind: "paused"; readonly retryAfterMs: number };

/**
 * Asks for a name for a person that registers. It counts for the address before the name is looked up, in one write; once there are
 * too many, nothing is looked up. The name is not kept free: `register` asks again.
 */
export async function askForName(
  { database, keyring, clock }: Pick<FeatureContext, "database" | "keyring" | "clock">,
  asked: { readonly username: string; readonly remoteAddress: string | undefined },
): Promise<AskedName> {
  const counter = registrationCounter(keyring, asked.remoteAddress);
  return await database.write(async (tx) => {
    const reserved = await reserveTry(tx, { ...counter, nowMs: clock.nowMs(), limits: registrationLimits });
    if (!reserved.isAllowed) return { kind: "paused", retryAfterMs: reserved.retryAfterMs };
    return { kind: (await isUsernameTaken(tx, asked.username)) ? "taken" : "free" };
  });
}

/** A person that registers: what they say, and the hash of the password that they chose. */
export interface Registration {
  /** Of the new user. */
  readonly id: UserId;
  readonly organizationId: OrganizationId;
  readonly registrant: Registrant;
  readonly encoded: string;
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
}

/** Somebody who has registered. */
export interface Registered {
  /** Hand it to the mailer once the write is durable. Undefined: none goes out. */
  readonly mail: CountedMessage | undefined;
}

/**
 * Adds the user, who is the editor of the events, with a code that verifies the email; undefined if the username is taken. Whether the
 * email belongs to another user makes no difference. No code goes out where nothing can be mailed, or too much was mailed to the
 * address already or is being mailed at this moment: the user asks for one later. The caller has checked that the organization lets
 * people register.
 */
export async function register(
  tx: WriteTransaction,
  { context, mailer }: { readonly context: FeatureContext; readonly mailer: Mailer },
  registration: Registration,
): Promise<Registered | undefined> {
  const { id, organizationId, registrant, encoded, remoteAddress, requestId } = registration;
  if (await isUsernameTaken(tx, registrant.username)) return undefined;
  await putPasswordHash(tx, id, encoded);
  const origin = { editor: id, remoteAddress, requestId };
  await context.log.append(tx, origin, registerUser(id, organizationId, registrant));
  const user = requireHuman(await getUser(tx, organizationId, id));
  const mail = await mailCode({ context, mailer }, tx, user);
  if (mail !== undefined) await context.log.append(tx, origin, [addEmailCode(user)]);
  return { mail };
}

async function mailCode(
  ports: { readonly context: FeatureContext; readonly mailer: Mailer },
  tx: WriteTransaction,
  user: HumanUser,
): Promise<CountedMessage | undefined> {
  if (!ports.mailer.isConfigured) return undefined;
  try {
    return await mailEmailCode(ports, tx, { user, email: user.email, isRegistration: true });
  } catch (error) {
    const isTooMuch = error instanceof Problem && ["RATE_LIMITED", "OVERLOADED"].includes(error.reason);
    if (isTooMuch) return undefined;
    throw error;
  }
}
