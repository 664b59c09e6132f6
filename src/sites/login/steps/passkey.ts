import { isMultiFactor } from "../../../identity/logins/sessions/session.ts";
import { findIdentity } from "../external/identity-note.ts";
import { hasUsablePasskey } from "../passkey-offer.ts";
import type { LoginStep } from "../step.ts";
import { isSecondFactorForced } from "./forced-factor.ts";

/**
 * Asks users who have proved one factor only for their passkey, if they have one: where they need two factors, and where they are
 * about to link an identity, which takes all factors that they have. It comes before the steps that let them register a second
 * factor and link the identity: a person that knows only the password must not get past the passkey by adding another way to log
 * in.
 */
export const passkeyStep: LoginStep = {
  page: "passkey-needed",
  refusal: "login_required",
  async isNeeded(tx, state) {
    if (isMultiFactor(state.methods)) return false;
    const isLinking = findIdentity(state.interaction, "link") !== undefined;
    return (isLinking || isSecondFactorForced(state)) && (await hasUsablePasskey(tx, state));
  },
};
