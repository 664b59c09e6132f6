import type { ReadTransaction } from "../../../kernel/base/database.ts";
import {
  type CodeLogin,
  isCodeProved,
  listCodeKinds,
  listEnoughKinds,
} from "../../../identity/factors/code-factors/repository.ts";
import type {
  CodeFactorKind,
  SecondFactorKind,
  StrongFactorKind,
} from "../../../identity/policies/login-policy.ts";
import { isMultiFactor } from "../../../identity/logins/sessions/session.ts";
import { addressOf } from "../../../identity/factors/code-factors/code-factor.ts";
import { findRecoveryCodes } from "../../../identity/factors/recovery-codes/repository.ts";
import { listLoginFactorKinds } from "../../../identity/factors/second-factors/repository.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import { hasUsablePasskey } from "../passkey-offer.ts";
import type { LoginPorts } from "../ports.ts";
import { isSecondFactorForced, listRegistrableKinds } from "./forced-factor.ts";
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
    !(await isCodeEnough(tx, state)) &&
    !(await hasUsablePasskey(tx, state)),
};

/** What a user can prove as a second factor. */
export type FactorWay = SecondFactorKind | "RECOVERY_CODE";

/** Lists what the user can prove as a second factor on these pages. Recovery codes stand in for a strong factor, so they need one. */
export async function listFactorWays(tx: ReadTransaction, state: LoginState): Promise<readonly FactorWay[]> {
  const strong = await listStrongKinds(tx, state);
  const kinds = strong.length > 0 ? strong : await listAskedCodes(tx, state);
  if (strong.length === 0) return kinds;
  const codes = await findRecoveryCodes(tx, requireLoginUser(state).user.id);
  return codes === undefined || codes.remaining === 0 ? kinds : [...kinds, "RECOVERY_CODE"];
}

/** Codes that are sent are asked for only where the user has nothing better, and until one of them is proved that is enough. */
async function listKinds(tx: ReadTransaction, state: LoginState): Promise<readonly SecondFactorKind[]> {
  const strong = await listStrongKinds(tx, state);
  return strong.length > 0 ? strong : await listAskedCodes(tx, state);
}

async function listStrongKinds(tx: ReadTransaction, state: LoginState): Promise<readonly StrongFactorKind[]> {
  const { user, policy } = requireLoginUser(state);
  return await listLoginFactorKinds(tx, { userId: user.id, policy, domain: state.factorDomain });
}

async function listAskedCodes(tx: ReadTransaction, state: LoginState): Promise<readonly CodeFactorKind[]> {
  const { user, policy } = requireLoginUser(state);
  const kinds = await listCodeKinds(tx, { userId: user.id, policy });
  const left = kinds.filter((kind) => !state.methods.includes(kind));
  if (left.length === kinds.length) return kinds;
  if (await isCodeProved(tx, toCodeLogin(state), kinds)) return [];
  const enough = await listEnoughKinds(tx, toCodeLogin(state));
  return left.filter((kind) => enough.includes(kind));
}

/** Says whether a code that was proved is enough where two factors are forced, but never where the application asks for them. */
async function isCodeEnough(tx: ReadTransaction, state: LoginState): Promise<boolean> {
  const { user, policy } = requireLoginUser(state);
  if (state.interaction.request.wantsMfa && listRegistrableKinds(state).length > 0) return false;
  const kinds = await listCodeKinds(tx, { userId: user.id, policy });
  const enough = await listEnoughKinds(tx, toCodeLogin(state));
  return kinds.some((kind) => state.methods.includes(kind) && enough.includes(kind));
}

/** Lists the kinds of codes that a user who needs a second factor, and has none, can add in this login. */
export async function listNewCodeKinds(
  tx: ReadTransaction,
  { ports, state }: { readonly ports: Pick<LoginPorts, "codes">; readonly state: LoginState },
): Promise<readonly CodeFactorKind[]> {
  const { user, policy } = requireLoginUser(state);
  if (state.interaction.request.wantsMfa && listRegistrableKinds(state).length > 0) return [];
  const has = await listCodeKinds(tx, { userId: user.id, policy });
  const enough = await listEnoughKinds(tx, toCodeLogin(state));
  return enough.filter(
    (kind) =>
      policy.secondFactors.includes(kind) &&
      !has.includes(kind) &&
      addressOf(user, kind) !== undefined &&
      ports.codes.canSend(kind),
  );
}

function toCodeLogin(state: LoginState): CodeLogin {
  const { user, organization } = requireLoginUser(state);
  return { userId: user.id, organizationId: organization.id, methods: state.methods };
}
