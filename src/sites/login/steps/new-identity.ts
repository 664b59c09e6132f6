import { findIdentity } from "../external/identity-note.ts";
import type { LoginStep } from "../step.ts";

/** Asks those whose identity at a provider is linked to nobody what they want. */
export const newIdentityStep: LoginStep = {
  page: "new-identity",
  refusal: "login_required",
  isNeeded: async (_tx, { user, interaction }) =>
    user === undefined && findIdentity(interaction, "ask") !== undefined,
};
