import type { UserId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { reserveTry, resetTries } from "../../logins/tries/repository.ts";
import { factorCounterOf, factorLimits } from "../../logins/tries/try.ts";
import type { ProvedFactor, UnprovedFactor } from "../second-factors/login-commands.ts";
import {
  findRecoveryCode,
  recoveryCodesNotFound,
  useRecoveryCode,
  withoutRecoveryCode,
} from "./recovery-code.ts";
import { findRecoveryCodeHashes, findRecoveryCodes, putRecoveryCodeHashes } from "./repository.ts";

/** What recovery codes do for logins. */
export interface RecoveryCodeLogins {
  /** Checks a code that somebody typed. It is used up in the write that notes it, so that it is good for one login. */
  check(userId: UserId, code: Secret): Promise<ProvedFactor | UnprovedFactor>;
}

/** Creates what recovery codes do for logins. */
export function createRecoveryCodeLogins(context: FeatureContext): RecoveryCodeLogins {
  return { check: (userId, code) => check(context, userId, code) };
}

async function check(
  { database, personalData, keyring, clock }: FeatureContext,
  userId: UserId,
  code: Secret,
): Promise<ProvedFactor | UnprovedFactor> {
  const counter = factorCounterOf(keyring, userId);
  const nowMs = clock.nowMs();
  const begun = await database.write(async (tx) => {
    const tried = await reserveTry(tx, { ...counter, userId, nowMs, limits: factorLimits });
    if (!tried.isAllowed) return tried;
    const codes = await findRecoveryCodes(tx, userId);
    const stored = codes && (await findRecoveryCodeHashes(tx, personalData, codes));
    return { isAllowed: true, codes, stored } as const;
  });
  if (!begun.isAllowed) return { kind: "paused", retryAfterMs: begun.retryAfterMs };
  const { codes, stored } = begun;
  const hash = stored && findRecoveryCode(stored, code);
  if (codes === undefined || hash === undefined) return { kind: "wrong", reason: "CODE_INVALID" };
  return {
    kind: "right",
    userId,
    async settle(tx) {
      const now = await findRecoveryCodeHashes(tx, personalData, codes);
      const left = now && withoutRecoveryCode(now, hash);
      // Used in another login meanwhile, or the user has other codes now.
      if (left === undefined) throw recoveryCodesNotFound(userId);
      await putRecoveryCodeHashes(tx, personalData, { codes, stored: left });
      await resetTries(tx, counter);
      return { check: { method: "RECOVERY_CODE", codesId: codes.id }, events: [useRecoveryCode(codes)] };
    },
  };
}
