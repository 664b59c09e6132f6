import type { Interaction } from "../interaction.ts";
import type { LoginStep } from "../step.ts";

const page = "allow-device";

/**
 * Asks the user whether the device may be logged in, always and last: an attacker that sends the user a link with the code of
 * another device must not get in because the browser has a session (RFC 8628 §5.4).
 */
export const allowDeviceStep: LoginStep = {
  page,
  refusal: "interaction_required",
  isNeeded: async (_tx, { interaction: { request, notes } }) =>
    request.userCode !== undefined && notes[page] === undefined,
};

/** Notes that the user has allowed the device. It is forgotten when another user takes over. */
export function noteAllowedDevice(interaction: Interaction): Interaction {
  return { ...interaction, notes: { ...interaction.notes, [page]: true } };
}
