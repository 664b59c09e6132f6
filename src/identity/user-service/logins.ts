import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { FeatureContext, UserContext } from "../context.ts";
import { readPolicyOfUser } from "../policies/repository.ts";
import type { RelyingParties } from "../factors/authenticators/relying-party.ts";
import {
  type CodeLogins,
  type CodeSenders,
  createCodeLogins,
} from "../factors/code-factors/login-commands.ts";
import { isCodeProved, listCodeKinds } from "../factors/code-factors/repository.ts";
import { createPasskeyLogins, type PasskeyLogins } from "../factors/passkeys/login-commands.ts";
import { hasLoginPasskey } from "../factors/passkeys/repository.ts";
import {
  createRecoveryCodeLogins,
  type RecoveryCodeLogins,
} from "../factors/recovery-codes/login-commands.ts";
import { createFactorLogins, type FactorLogins } from "../factors/second-factors/login-commands.ts";
import { listLoginFactorKinds } from "../factors/second-factors/repository.ts";
import { createTotpLogins, type TotpLogins } from "../factors/totp/login-commands.ts";

/** What users prove their identity with, besides a password: the use cases of the login pages. */
export interface UserLogins {
  readonly factors: FactorLogins;
  readonly passkeys: PasskeyLogins;
  readonly totp: TotpLogins;
  readonly recoveryCodes: RecoveryCodeLogins;
  readonly codes: CodeLogins;
}

/** Creates what users prove their identity with, with the relying parties and senders that are configured. */
export function createUserLogins(
  context: FeatureContext,
  parties: RelyingParties,
  senders: CodeSenders,
): UserLogins {
  return {
    factors: createFactorLogins(context, parties),
    passkeys: createPasskeyLogins(context, parties),
    totp: createTotpLogins(context, parties.name),
    recoveryCodes: createRecoveryCodeLogins(context),
    codes: createCodeLogins(context, senders),
  };
}

/**
 * Creates the check whether a user can log in with more than they did, on the login pages of a relying party: with a second factor
 * that they ask for, or with a passkey, which is two. What the policy of the user forbids does not count, nor what was registered for
 * another relying party. Codes that are sent count for a user without any of these, if they were not proved, or are not enough.
 * `domain`: the id of the relying party; undefined: there is none, and the pages ask for no key and no passkey.
 */
export function createTwoFactorCheck(domain: () => string | undefined): UserContext["hasTwoFactors"] {
  return async (tx: ReadTransaction, { userId, organizationId, login }) => {
    const policy = await readPolicyOfUser(tx, { userId, organizationId });
    const party = domain();
    if ((await listLoginFactorKinds(tx, { userId, policy, domain: party })).length > 0) return true;
    if (policy.allowPasskeys && party !== undefined && (await hasLoginPasskey(tx, userId, party)))
      return true;
    const codes = await listCodeKinds(tx, { userId, policy });
    const methods = login?.methods ?? [];
    return codes.length > 0 && !(await isCodeProved(tx, { userId, organizationId, methods }, codes));
  };
}
