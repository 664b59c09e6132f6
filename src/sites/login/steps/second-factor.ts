import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { SecondFactorKind } from "../../../identity/policies/login-policy.ts";
import { isMultiFactor } from "../../../identity/logins/sessions/session.ts";
import { findRecoveryCodes } from "../../../identity/factors/recovery-codes/repository.ts";
import { listLoginFactorKinds } from "../../../identity/factors/second-factors/repository.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import { hasUsablePasskey } from "../passkey-offer.ts";
import { isSecondFactorForced } from "./forced-factor.ts";
import type { LoginStep } from "../step.ts";

/** Asks users who have a second factor for it. */
export const secondFactorStep: LoginStep = {
  page: "second-factor",
  refusal: "login_required",
  isNeeded: async (tx, state) => !isMultiFactor(state.methods) && (await listKinds(tx, state)).length > 0,
};

/** Lets users without a second factor register one where they need two, unless they have a passkey, which they are asked for. */
export const newFactorStep: LoginStep = {
  page: "new-factor",
  refusal: "interaction_required",
  isNeeded: async (tx, state) =>
    !isMultiFactor(state.methods) &&
    isSecondFactorForced(state) &&
    (await listKinds(tx, state)).length === 0 &&
    !(await hasUsablePasskey(tx, state)),
};

/** What a user can prove as a second factor. */
export type FactorWay = SecondFactorKind | "RECOVERY_CODE";

/** Lists what the user can prove as a second factor on these pages. Recovery codes stand in for a factor, so they need one. */
export async function listFactorWays(tx: ReadTransaction, state: LoginState): Promise<readonly FactorWay[]> {
  const kinds = await listKinds(tx, state);
  if (kinds.length === 0) return [];
  const codes = await findRecoveryCodes(tx, requireLoginUser(state).user.id);
  return codes === undefined || codes.remaining === 0 ? kinds : [...kinds, "RECOVERY_CODE"];
}

async function listKinds(tx: ReadTransaction, state: LoginState): Promise<readonly SecondFactorKind[]> {
  const { user, policy } = requireLoginUser(state);
  return await listLoginFactorKinds(tx, { userId: user.id, policy, domain: state.factorDomain });
}
