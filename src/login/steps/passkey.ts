import { isMultiFactor } from "../../features/sessions/session.ts";
import { hasUsablePasskey } from "../passkey-offer.ts";
import type { LoginStep } from "../step.ts";
import { isSecondFactorForced } from "./forced-factor.ts";

/**
 * Asks users who need two factors and have no second one for their passkey, if they have one. It comes before the step that lets
 * them register a second factor: whoever knows no more than the password must not get past the passkey by adding a factor.
 */
export const passkeyStep: LoginStep = {
  page: "passkey-needed",
  refusal: "login_required",
  async isNeeded(tx, state) {
    if (isMultiFactor(state.methods) || !isSecondFactorForced(state)) return false;
    return await hasUsablePasskey(tx, state);
  },
};
