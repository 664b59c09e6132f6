import type { FeatureContext } from "../context.ts";
import type { RelyingParties } from "./authenticators/relying-party.ts";
import { createPasskeyLogins, type PasskeyLogins } from "./passkeys/login-commands.ts";
import { createRecoveryCodeLogins, type RecoveryCodeLogins } from "./recovery-codes/login-commands.ts";
import { createFactorLogins, type FactorLogins } from "./second-factors/login-commands.ts";
import { createTotpLogins, type TotpLogins } from "./totp/login-commands.ts";

/** What users prove who they are with, besides a password: the use cases of the login pages. */
export interface UserLogins {
  readonly factors: FactorLogins;
  readonly passkeys: PasskeyLogins;
  readonly totp: TotpLogins;
  readonly recoveryCodes: RecoveryCodeLogins;
}

/** Creates what users prove who they are with, with the relying parties that are configured. */
export function createUserLogins(context: FeatureContext, parties: RelyingParties): UserLogins {
  return {
    factors: createFactorLogins(context, parties),
    passkeys: createPasskeyLogins(context, parties),
    totp: createTotpLogins(context, parties.name),
    recoveryCodes: createRecoveryCodeLogins(context),
  };
}
