import type { LoginState } from "./login-state.ts";
import type { LoginPorts } from "./ports.ts";

/**
 * Says whether people may have a link mailed with which they set a password: where the organization that logs in has passwords, and
 * something can be mailed.
 */
export function mayAskForPassword(
  { mailer }: Pick<LoginPorts, "mailer">,
  { policy }: Pick<LoginState, "policy">,
): boolean {
  return mailer.isConfigured && policy.allowPassword;
}
