import { type StrongFactorKind, strongFactorKinds } from "../../../identity/policies/login-policy.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";

/**
 * Says whether the user must have two factors: because the policy of either organization says so, for everybody or for logins
 * without an identity provider, or because the application asks for them where the user could register one.
 */
export function isSecondFactorForced(
  state: Pick<LoginState, "interaction" | "policy" | "user" | "factorDomain" | "methods">,
): boolean {
  const { interaction, policy, methods } = state;
  const policies = [policy, requireLoginUser(state).policy];
  if (policies.some(({ forceMfa }) => forceMfa)) return true;
  if (policies.some(({ forceMfaLocalOnly }) => forceMfaLocalOnly) && !methods.includes("IDP")) return true;
  return interaction.request.wantsMfa && listRegistrableKinds(state).length > 0;
}

/**
 * Lists the kinds of second factors, but for codes that are sent, that the user can register on these pages: those that the
 * organization of the user allows.
 */
export function listRegistrableKinds(
  state: Pick<LoginState, "user" | "factorDomain">,
): readonly StrongFactorKind[] {
  const { secondFactors } = requireLoginUser(state).policy;
  return strongFactorKinds.filter(
    (kind) => secondFactors.includes(kind) && (kind !== "U2F" || state.factorDomain !== undefined),
  );
}
