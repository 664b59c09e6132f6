import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { FeatureContext } from "../../context.ts";
import { newVerificationCode } from "../codes/code.ts";
import { putNewCode } from "../codes/repository.ts";
import type { CountedMessage } from "../messages/commands.ts";
import type { HumanUser } from "../user/user.ts";
import type { Mailer } from "./mailer.ts";

/**
 * Makes a code for the email address that the user has after this write, in place of any former one, and counts its mail. Hand the
 * mail to `start` of the mailer once the write is durable. Raises MAIL_NOT_CONFIGURED, RATE_LIMITED.
 */
export async function mailEmailCode(
  { context, mailer }: { readonly context: FeatureContext; readonly mailer: Mailer },
  tx: WriteTransaction,
  {
    user,
    email,
    isRegistration,
  }: { readonly user: HumanUser; readonly email: string; readonly isRegistration?: boolean },
): Promise<CountedMessage> {
  const code = newVerificationCode("email", context.random);
  const mail = await mailer.count(tx, {
    user,
    email,
    content: { kind: "verification", code },
    isRegistration,
  });
  await putNewCode(tx, "email", {
    ...context,
    userId: user.id,
    address: email,
    code,
    nowMs: context.clock.nowMs(),
    isSent: true,
  });
  return mail;
}
