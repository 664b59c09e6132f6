import type { Call } from "../../../kernel/base/call.ts";
import { changedDetails, type Details } from "../../../kernel/base/details.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { requireTarget, write, type UserContext } from "../../context.ts";
import { newVerificationCode, selfVerificationForbidden } from "../codes/code.ts";
import { putNewCode, removeCode, takeCode } from "../codes/repository.ts";
import { endResetCode, holderOf } from "../codes/reset-code-repository.ts";
import { byDirectory, type LoginOrigin } from "../../logins/login-origins/login-origin.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { getUser } from "../user/repository.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";
import { addEmailCode, type EmailVerification, setEmail, verifyEmail } from "./email.ts";
import { mailEmailCode } from "./email-code.ts";
import type { Mailer } from "./mailer.ts";

/** The answer of SetEmail and ResendEmailCode. */
export interface MadeEmailCode {
  readonly details: Details;
  /** Only for `return-code`. */
  readonly code: Secret | undefined;
}

/** The use cases of email addresses. */
export interface EmailCommands {
  /**
   * Sets the address. Another one than before ends the codes that set a password. Raises SELF_VERIFICATION_FORBIDDEN,
   * NOT_FOUND, WRONG_KIND, REAUTHENTICATION_REQUIRED, MAIL_NOT_CONFIGURED, RATE_LIMITED. Does not wait for the mail to be
   * delivered.
   */
  set(
    call: Call,
    input: {
      readonly userId: string;
      readonly email: string;
      readonly verification: EmailVerification;
    },
  ): Promise<MadeEmailCode>;
  /** Raises what `set` raises but REAUTHENTICATION_REQUIRED, and CODE_NOT_PENDING. */
  resendCode(
    call: Call,
    input: {
      readonly userId: string;
      readonly verification: Exclude<EmailVerification, "is-verified">;
    },
  ): Promise<MadeEmailCode>;
  /**
   * Raises NOT_FOUND, WRONG_KIND, CODE_NOT_PENDING, RATE_LIMITED, CODE_EXHAUSTED, CODE_EXPIRED, CODE_INVALID. A wrong code
   * is counted, also when others try at the same time.
   */
  verify(call: Call, input: { readonly userId: string; readonly code: Secret }): Promise<Details>;
}

interface Setup {
  readonly context: UserContext;
  readonly mailer: Mailer;
}

/** Creates the commands of email addresses. Codes are mailed after the commit. */
export function createEmailCommands(context: UserContext, mailer: Mailer): EmailCommands {
  const setup: Setup = { context, mailer };
  return {
    set: (call, input) =>
      makeCode(setup, call, {
        ...input,
        isNew: true,
        decide: (user, loginOrigin) => ({
          email: input.email,
          events: setEmail(user, input.email, {
            isVerified: input.verification === "is-verified",
            loginOrigin,
          }),
        }),
      }),
    resendCode: (call, input) =>
      makeCode(setup, call, {
        ...input,
        isNew: false,
        decide: (user) => ({ email: user.email, events: [addEmailCode(user)] }),
      }),
    verify: (call, input) =>
      write(context, call, async ({ tx, append }) => {
        const found = await getUser(tx, call.access.organizationId, input.userId);
        const user = requireHuman(requireTarget(call, found));
        const taken = await takeCode(tx, "email", {
          userId: user.id,
          address: user.email,
          code: call.isDryRun === true ? undefined : input.code,
          keyring: context.keyring,
          nowMs: context.clock.nowMs(),
        });
        if (taken instanceof Problem) return taken; // returned, not thrown: the count stays
        return changedDetails(user.details, await append([verifyEmail(user, taken.isSent)]));
      }),
  };
}

interface NewCode {
  readonly userId: string;
  readonly verification: EmailVerification;
  /** Whether the address is set, and not only verified. */
  readonly isNew: boolean;
  readonly decide: (
    user: HumanUser,
    loginOrigin: LoginOrigin | undefined,
  ) => {
    readonly email: string;
    readonly events: readonly NewEvent[];
  };
}

async function makeCode(setup: Setup, call: Call, input: NewCode): Promise<MadeEmailCode> {
  const { context, mailer } = setup;
  const isSelf = input.userId === call.caller.userId;
  if (isSelf && input.verification !== "send-code") throw selfVerificationForbidden();
  return await write(context, call, async (command) => {
    const { tx, append, afterCommit } = command;
    const found = await getUser(tx, call.access.organizationId, input.userId);
    const user = requireHuman(requireTarget(call, found));
    await context.waysIn?.keep(command, { of: "user", userId: user.id });
    const nowMs = context.clock.nowMs();
    // An email gives access to an account by the codes that go to it.
    if (isSelf && input.isNew) await requireRecentLogin(tx, call, context);
    const isVouched = call.isByDirectory === true && input.verification === "is-verified";
    const origin = isVouched ? byDirectory(call.caller.userId) : await findLoginOriginOf(tx, call, user.id);
    const { email, events } = input.decide(user, origin);
    const ended = email === user.email ? [] : await endResetCode(tx, holderOf(user), "email_changed");
    let code: Secret | undefined;
    switch (input.verification) {
      case "is-verified":
        await removeCode(tx, "email", user.id);
        break;
      case "return-code":
        code = newVerificationCode("email", context.random);
        await putNewCode(tx, "email", { ...context, userId: user.id, address: email, code, nowMs });
        break;
      case "send-code": {
        const mail = await mailEmailCode(setup, tx, { user, email });
        afterCommit(() => mailer.start(call.requestId, mail));
        break;
      }
    }
    const all = [...events, ...ended];
    return {
      details: all.length === 0 ? user.details : changedDetails(user.details, await append(all)),
      code,
    };
  });
}
