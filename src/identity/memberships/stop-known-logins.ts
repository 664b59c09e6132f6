import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { endLogins, endProviderLogins } from "../logins/authorizations/end-logins.ts";
import { removeInteractionsOfUser } from "../logins/interactions/repository.ts";
import { isOutside } from "../held-roles/outside.ts";
import { endOpenRegistrations } from "../factors/authenticators/repository.ts";
import { questionLinks, questionPasskeys } from "./question-links.ts";
import { endKnownPassword } from "./end-known-password.ts";
import type { Gain } from "./tokens-to-limit.ts";

/**
 * Stops the ways by which others can log in as the user who gains roles: a password, an address that codes go to, passkeys, and
 * links to identities elsewhere. If there are any, all sessions of the user end, since others may be logged in as the user. Those
 * that began at an identity provider alone end at each gain outside of the user's organization: its administrators may have begun
 * them. Registrations of authenticators that were begun end, too, and so do logins that are under way: the person that began them
 * must not answer the questions of the user's next login. Append the events that it returns together with the gain.
 */
export async function stopKnownLogins(tx: WriteTransaction, gain: Gain): Promise<readonly NewEvent[]> {
  if (gain.gained.length > 0) {
    await endOpenRegistrations(tx, gain.userId);
    await removeInteractionsOfUser(tx, gain.userId);
  }
  const stopped = [
    ...(await questionPasskeys(tx, gain)),
    ...(await questionLinks(tx, gain)),
    ...(await endKnownPassword(tx, gain)),
  ];
  if (stopped.length > 0) return [...stopped, ...(await endLogins(tx, gain.userId))];
  return isGainOutside(gain) ? await endProviderLogins(tx, gain.userId) : [];
}

function isGainOutside({ scope, organizationId, gained }: Gain): boolean {
  return gained.length > 0 && isOutside(scope, organizationId);
}
