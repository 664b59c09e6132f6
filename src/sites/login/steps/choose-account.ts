import type { LoginStep } from "../step.ts";

/** Asks which account is meant, where an application wants that and the browser has a session (OpenID Connect Core §3.1.2.1). */
export const chooseAccountStep: LoginStep = {
  page: "account",
  refusal: "account_selection_required",
  isNeeded: async (_tx, { interaction, session, user }) =>
    interaction.request.prompts.includes("select_account") &&
    !interaction.isAccountChosen &&
    session !== undefined &&
    user === undefined,
};
