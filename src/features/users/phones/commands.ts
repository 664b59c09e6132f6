import type { Call } from "../../../base/call.ts";
import type { WriteTransaction } from "../../../base/database.ts";
import { changedDetails, type Details } from "../../../base/details.ts";
import { type OrganizationId, toId } from "../../../base/ids.ts";
import { Secret } from "../../../base/secret.ts";
import type { SmsProvider } from "../../../base/sms-provider.ts";
import { type FeatureContext, requireTarget, write } from "../../context.ts";
import {
  addPhoneCode,
  codeDigits,
  codeInvalid,
  codeLifetimeMs,
  codeText,
  countOrganizationSms,
  countSms,
  countWrongTry,
  type PhoneVerification,
  removePhone,
  requireTry,
  selfVerificationForbidden,
  setPhone,
  smsNotConfigured,
  smsPauseMs,
  smsText,
  verifyPhone,
} from "./phone.ts";
import * as secrets from "./repository.ts";
import { parsePhone } from "../user/phone-number.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";

/** The delivery of messages. */
export interface SmsDelivery {
  /** Undefined: codes cannot be sent. */
  readonly provider: SmsProvider | undefined;
  /** Maximum number of messages to users of one organization in 24 hours. Default 1,000. */
  readonly maxPerOrganization?: number;
  /** Called for every message that was not delivered; `detail` contains neither code nor number. */
  readonly onFailure: (failure: {
    readonly userId: string;
    readonly requestId: string;
    readonly detail: string;
  }) => void;
}

/** The answer of SetPhone and ResendPhoneCode. */
export interface MadeCode {
  readonly details: Details;
  /** Only for `return-code`. */
  readonly code: Secret | undefined;
}

/** The use cases of phones. */
export interface PhoneCommands {
  /**
   * Raises SELF_VERIFICATION_FORBIDDEN, FIELD_INVALID, NOT_FOUND, WRONG_KIND, SMS_NOT_CONFIGURED, RATE_LIMITED. Does not
   * wait for the message to be delivered.
   */
  set(
    call: Call,
    input: {
      readonly userId: string;
      readonly phone: string;
      readonly verification: PhoneVerification;
    },
  ): Promise<MadeCode>;
  /** Raises what `set` raises, and CODE_NOT_PENDING. */
  resendCode(
    call: Call,
    input: {
      readonly userId: string;
      readonly verification: Exclude<PhoneVerification, "is-verified">;
    },
  ): Promise<MadeCode>;
  /**
   * Raises NOT_FOUND, WRONG_KIND, CODE_NOT_PENDING, RATE_LIMITED, CODE_EXHAUSTED, CODE_EXPIRED, CODE_INVALID. A wrong code
   * is counted, also when others try at the same time.
   */
  verify(call: Call, input: { readonly userId: string; readonly code: Secret }): Promise<Details>;
  /** Removes the phone and makes its code void. Raises NOT_FOUND, WRONG_KIND. Harmless to repeat. */
  remove(call: Call, userId: string): Promise<Details>;
  /** Resolves when no message is being delivered. */
  idle(): Promise<void>;
}

const defaultMaxPerOrganization = 1000;

interface Setup {
  readonly context: FeatureContext;
  readonly delivery: SmsDelivery;
  /** The messages that are being delivered. */
  readonly pending: Set<Promise<void>>;
}

/** A message that waits for the commit of the command that made it. */
interface Message {
  readonly user: HumanUser;
  readonly phone: string;
  readonly code: Secret;
  readonly provider: SmsProvider;
  /** The instant at which the message was counted. */
  readonly countedMs: number;
}

/** Creates the commands of phones. Messages are delivered after the commit. */
export function createPhoneCommands(context: FeatureContext, delivery: SmsDelivery): PhoneCommands {
  const setup: Setup = { context, delivery, pending: new Set() };
  return {
    async set(call, input) {
      requireOther(call, input);
      const phone = parsePhone(input.phone);
      return await makeCode(setup, call, {
        ...input,
        decide: (user) => ({ phone, events: setPhone(user, phone, input.verification === "is-verified") }),
      });
    },
    async resendCode(call, input) {
      requireOther(call, input);
      return await makeCode(setup, call, {
        ...input,
        decide: (user) => ({ phone: user.phone, events: [addPhoneCode(user)] }),
      });
    },
    verify: (call, input) => verify(context, call, input),
    remove: (call, userId) =>
      write(context, call, async ({ tx, append }) => {
        const user = requireHuman(requireTarget(call, await getUser(tx, call.access.organizationId, userId)));
        // Here and not in the applier: a replay would destroy the code of a phone that was set later.
        await secrets.removePhoneCode(tx, user.id);
        const events = removePhone(user);
        return events.length === 0 ? user.details : changedDetails(user.details, await append(events));
      }),
    async idle() {
      while (setup.pending.size > 0) await Promise.all(setup.pending);
    },
  };
}

function requireOther(
  call: Call,
  input: { readonly userId: string; readonly verification: PhoneVerification },
): void {
  if (input.verification !== "send-code" && input.userId === call.caller.userId) {
    throw selfVerificationForbidden();
  }
}

async function makeCode(
  setup: Setup,
  call: Call,
  input: {
    readonly userId: string;
    readonly verification: PhoneVerification;
    readonly decide: (user: HumanUser) => { phone: string; events: ReturnType<typeof setPhone> };
  },
): Promise<MadeCode> {
  const { context } = setup;
  return await write(context, call, async ({ tx, append, afterCommit }) => {
    const found = await getUser(tx, call.access.organizationId, input.userId);
    const user = requireHuman(requireTarget(call, found));
    const { phone, events } = input.decide(user);
    const code = input.verification === "is-verified" ? undefined : newCode(context);
    const message =
      code !== undefined && input.verification === "send-code"
        ? await countMessage(setup, tx, { user, phone, code })
        : undefined;
    if (code === undefined) await secrets.removePhoneCode(tx, user.id);
    else await secrets.putPhoneCode(tx, user.id, sealCode(context, user, { phone, code }));
    const details = events.length === 0 ? user.details : changedDetails(user.details, await append(events));
    if (message !== undefined) afterCommit(() => startDelivery(setup, call, message));
    return { details, code: input.verification === "return-code" ? code : undefined };
  });
}

async function countMessage(
  { context, delivery }: Setup,
  tx: WriteTransaction,
  message: Pick<Message, "user" | "phone" | "code">,
): Promise<Message> {
  const { provider } = delivery;
  if (provider === undefined) throw smsNotConfigured();
  const countedMs = context.clock.nowMs();
  const counters = secrets.smsCountersOf(context.keyring, message.user.id, message.phone);
  const history = await secrets.findSmsHistory(tx, counters);
  await secrets.putSmsHistory(tx, counters, countSms(history, countedMs));
  const organizationId = toId<OrganizationId>(message.user.details.resourceOwner);
  const counts = await secrets.findOrganizationSms(tx, organizationId);
  const limit = delivery.maxPerOrganization ?? defaultMaxPerOrganization;
  await secrets.putOrganizationSms(tx, organizationId, countOrganizationSms(counts, limit, countedMs));
  await secrets.removePastCounters(tx, counters, countedMs);
  return { ...message, provider, countedMs };
}

function newCode({ random }: FeatureContext): Secret {
  return new Secret(String(random.below(10 ** codeDigits)).padStart(codeDigits, "0"));
}

function sealCode(
  { keyring, clock }: FeatureContext,
  user: HumanUser,
  made: { readonly phone: string; readonly code: Secret },
) {
  const mac = keyring.mac("phone-code", codeText(user.id, made.phone, made.code.reveal()));
  return { mac, expirationMs: clock.nowMs() + codeLifetimeMs, tries: 0 };
}

/** Starts the delivery without waiting for it: a slow provider must not hold up the caller. */
function startDelivery(setup: Setup, call: Call, message: Message): void {
  const running = deliver(setup, call.requestId, message).finally(() => setup.pending.delete(running));
  setup.pending.add(running);
}

async function deliver(setup: Setup, requestId: string, message: Message): Promise<void> {
  const code = message.code.reveal();
  const failed = (error: unknown) => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const detail = text.replaceAll(code, "[code]").replaceAll(message.phone.slice(1), "[number]");
    setup.delivery.onFailure({ userId: message.user.id, requestId, detail });
  };
  try {
    await message.provider.send({ to: message.phone, text: smsText(code) });
  } catch (error) {
    failed(error);
    await liftPause(setup.context, message).catch(failed);
  }
}

/**
 * Lifts the pause after a message that did not arrive. The message still counts for the day: the provider was asked,
 * and after a timeout it may have arrived nevertheless.
 */
async function liftPause({ database, keyring }: FeatureContext, message: Message): Promise<void> {
  const counters = secrets.smsCountersOf(keyring, message.user.id, message.phone);
  await database.write(async (tx) => {
    const { toUser, toNumber } = await secrets.findSmsHistory(tx, counters);
    await secrets.putSmsHistory(tx, counters, {
      toUser: withoutPause(toUser, message.countedMs),
      toNumber: withoutPause(toNumber, message.countedMs),
    });
  });
}

function withoutPause(instants: readonly number[], instant: number): readonly number[] {
  const index = instants.lastIndexOf(instant);
  return index < 0
    ? instants
    : instants.with(index, instant - smsPauseMs).toSorted((left, right) => left - right);
}

function verify(
  context: FeatureContext,
  call: Call,
  input: { readonly userId: string; readonly code: Secret },
): Promise<Details> {
  const { keyring, clock } = context;
  return write(context, call, async ({ tx, append }) => {
    const found = await getUser(tx, call.access.organizationId, input.userId);
    const user = requireHuman(requireTarget(call, found));
    const wrongTries = await secrets.findWrongTries(tx, user.id);
    const nowMs = clock.nowMs();
    const pending = requireTry({ pending: await secrets.findPhoneCode(tx, user.id), wrongTries, nowMs });
    if (
      call.isDryRun !== true &&
      !keyring.isMacOf("phone-code", pending.mac, codeText(user.id, user.phone, input.code.reveal()))
    ) {
      const counted = countWrongTry(pending, wrongTries, nowMs);
      await secrets.putPhoneCode(tx, user.id, counted.pending);
      await secrets.putWrongTries(tx, user.id, counted.wrongTries);
      return codeInvalid(); // returned, not thrown: the count stays
    }
    await secrets.removePhoneCode(tx, user.id);
    return changedDetails(user.details, await append([verifyPhone(user)]));
  });
}
