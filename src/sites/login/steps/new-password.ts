import { readPasswordState } from "../../../identity/people/passwords/repository.ts";
import type { Interaction } from "../interaction.ts";
import { requireLoginUser } from "../login-state.ts";
import type { LoginStep } from "../step.ts";

const page = "new-password";

/** Asks users for a new password if somebody else has chosen theirs, before any application learns of the login. */
export const newPasswordStep: LoginStep = {
  page,
  refusal: "interaction_required",
  async isNeeded(tx, state) {
    if (state.interaction.notes[page] !== undefined) return false;
    const { user } = requireLoginUser(state);
    return (await readPasswordState(tx, user.id)).isChangeRequired;
  },
};

/**
 * Notes that the user has chosen a password: what is recorded of it is not applied until the end of the write in which the login
 * goes on. Setting another one later ends the interaction.
 */
export function notePasswordChange(interaction: Interaction): Interaction {
  return { ...interaction, notes: { ...interaction.notes, [page]: true } };
}
