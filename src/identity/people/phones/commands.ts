import type { Call } from "../../../kernel/base/call.ts";
import { changedDetails, type Details } from "../../../kernel/base/details.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { type FeatureContext, requireTarget, write } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { newVerificationCode, selfVerificationForbidden } from "../codes/code.ts";
import { putNewCode, removeCode, takeCode } from "../codes/repository.ts";
import { addPhoneCode, type PhoneVerification, removePhone, setPhone, verifyPhone } from "./phone.ts";
import { createTexter, type SmsDelivery, type Texter } from "./texter.ts";
import { parsePhone } from "../user/phone-number.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";

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
  remove(call: Call, userId: string): Promise<Removal>;
  /** Sends the codes. */
  readonly texter: Texter;
}

interface Setup {
  readonly context: FeatureContext;
  readonly texter: Texter;
}

/** Creates the commands of phones. Messages are delivered after the commit. */
export function createPhoneCommands(context: FeatureContext, delivery: SmsDelivery): PhoneCommands {
  const texter = createTexter(context, delivery);
  const setup: Setup = { context, texter };
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
      remove(context, call, {
        load: ({ tx }) => getUser(tx, call.access.organizationId, userId),
        async decide(found, command) {
          const { tx } = command;
          const user = requireHuman(found);
          await context.waysIn?.keep(command, { of: "user", userId: user.id });
          // Here and not in the applier: a replay would destroy the code of a phone that was set later.
          await removeCode(tx, "phone", user.id);
          return removePhone(user);
        },
      }),
    texter,
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
  const { context, texter } = setup;
  return await write(context, call, async (command) => {
    const { tx, append, afterCommit } = command;
    const found = await getUser(tx, call.access.organizationId, input.userId);
    const user = requireHuman(requireTarget(call, found));
    await context.waysIn?.keep(command, { of: "user", userId: user.id });
    const { phone, events } = input.decide(user);
    const code =
      input.verification === "is-verified" ? undefined : newVerificationCode("phone", context.random);
    const message =
      code !== undefined && input.verification === "send-code"
        ? await texter.count(tx, { user, phone, code })
        : undefined;
    if (code === undefined) await removeCode(tx, "phone", user.id);
    else
      await putNewCode(tx, "phone", {
        ...context,
        userId: user.id,
        address: phone,
        code,
        nowMs: context.clock.nowMs(),
        isSent: message !== undefined,
      });
    const details = events.length === 0 ? user.details : changedDetails(user.details, await append(events));
    if (message !== undefined) afterCommit(() => texter.start(call.requestId, message));
    return { details, code: input.verification === "return-code" ? code : undefined };
  });
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
    const taken = await takeCode(tx, "phone", {
      userId: user.id,
      address: user.phone,
      code: call.isDryRun === true ? undefined : input.code,
      keyring,
      nowMs: clock.nowMs(),
    });
    if (taken instanceof Problem) return taken; // returned, not thrown: the count stays
    return changedDetails(user.details, await append([verifyPhone(user, taken.isSent)]));
  });
}
