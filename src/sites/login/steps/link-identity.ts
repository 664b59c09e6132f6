import { findIdentity } from "../external/identity-note.ts";
import type { LoginStep } from "../step.ts";

/** Lets users who have logged in with all factors that they have say whether to link the identity that they came with. */
export const linkIdentityStep: LoginStep = {
  page: "link-identity",
  refusal: "interaction_required",
  isNeeded: async (_tx, { interaction }) => findIdentity(interaction, "link") !== undefined,
};
