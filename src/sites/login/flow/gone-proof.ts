import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { isPasskeyInForce } from "../../../identity/factors/passkeys/repository.ts";
import { findRecoveryCodes } from "../../../identity/factors/recovery-codes/repository.ts";
import { isFactorInForce } from "../../../identity/factors/second-factors/repository.ts";
import type { Interaction, LoginCheck } from "../interaction.ts";

/**
 * Says whether something that was used in the interaction is the user's no more: a factor, or recovery codes, that were removed
 * since; or a passkey that its user has to decide about: the person that registered it could otherwise decide in their place.
 */
export async function isProofGone(
  tx: ReadTransaction,
  { checks, user }: Interaction,
  /** The relying party id of the pages. */
  domain: string | undefined,
): Promise<boolean> {
  if (user === undefined) return false;
  for (const check of checks) if (!(await isInForce(tx, { check, userId: user.id, domain }))) return true;
  return false;
}

async function isInForce(
  tx: ReadTransaction,
  asked: { readonly check: LoginCheck; readonly userId: UserId; readonly domain: string | undefined },
): Promise<boolean> {
  const { check, userId, domain } = asked;
  const { method, factor, codesId } = check;
  switch (method) {
    case "PASSKEY":
      return factor !== undefined && domain !== undefined && (await isPasskeyInForce(tx, factor.id, domain));
    case "TOTP":
    case "U2F":
    case "EMAIL_CODE":
    case "SMS_CODE":
      return factor !== undefined && (await isFactorInForce(tx, userId, factor.id));
    case "RECOVERY_CODE":
      return codesId !== undefined && (await findRecoveryCodes(tx, userId))?.id === codesId;
    case "PASSWORD":
    case "IDP":
      return true; // the count of locks, and `requireIdentityHolds`, tell
  }
}
