import type { NewEvent } from "../../../src/kernel/events/event.ts";

/** Ids of what a user has. */
interface FactorIds {
  readonly passkey: string;
  readonly formerTotp: string;
  readonly totp: string;
  readonly formerCodes: string;
  readonly codes: string;
}

/** Returns all that happens to an authenticator app and to recovery codes, which the user keeps, and a passkey that goes. */
export function useFactors(
  user: { readonly aggregateId: string; readonly resourceOwner: string },
  ids: FactorIds,
  tokenId: string,
): readonly NewEvent[] {
  const totp = { totp_id: ids.totp };
  const codes = { codes_id: ids.codes };
  return [
    { type: "user.passkey.added", ...user, payload: { passkey_id: ids.passkey, domain: "localhost" } },
    { type: "user.passkey.removed", ...user, payload: { passkey_id: ids.passkey } },
    { type: "user.totp.added", ...user, payload: { totp_id: ids.formerTotp } },
    { type: "user.totp.removed", ...user, payload: { totp_id: ids.formerTotp } },
    { type: "user.totp.added", ...user, payload: { ...totp, made_with_token_id: tokenId } },
    { type: "user.totp.verified", ...user, payload: totp },
    { type: "user.totp.questioned", ...user, payload: totp },
    { type: "user.totp.kept", ...user, payload: totp },
    { type: "user.totp.check.failed", ...user, payload: totp },
    { type: "user.code_factor.added", ...user, payload: { code_factor_id: "9001", type: "SMS_CODE" } },
    { type: "user.code_factor.removed", ...user, payload: { code_factor_id: "9001" } },
    { type: "user.code_factor.added", ...user, payload: { code_factor_id: "9002", type: "EMAIL_CODE" } },
    { type: "user.code_factor.check.failed", ...user, payload: { code_factor_id: "9002" } },
    { type: "user.recovery_codes.added", ...user, payload: { codes_id: ids.formerCodes, count: 10 } },
    { type: "user.recovery_codes.removed", ...user, payload: { codes_id: ids.formerCodes } },
    {
      type: "user.recovery_codes.added",
      ...user,
      payload: { ...codes, count: 10, made_with_token_id: tokenId },
    },
    { type: "user.recovery_codes.used", ...user, payload: codes },
    { type: "user.recovery_codes.questioned", ...user, payload: codes },
    { type: "user.recovery_codes.kept", ...user, payload: codes },
  ];
}
