import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { type LinkLineage, questionIdentityLink } from "../people/identity-links/identity-link.ts";
import { listLinkLineages } from "../people/identity-links/repository.ts";
import { questionPasskey } from "../factors/passkeys/passkey.ts";
import { listPasskeyLineages } from "../factors/passkeys/repository.ts";
import { type Gain, isCarriedByMaker } from "./tokens-to-limit.ts";

/**
 * Decides which links to identities elsewhere the user who gains roles is asked about at the next login: those that others made,
 * unless they hold the roles themselves at this moment. Until the user has kept such a link, it lets nobody in. Append the events
 * that it returns together with the gain.
 */
export async function questionLinks(tx: WriteTransaction, gain: Gain): Promise<readonly NewEvent[]> {
  if (gain.gained.length === 0) return [];
  const events: NewEvent[] = [];
  for (const link of await listLinkLineages(tx, gain.userId))
    if (!(await isHarmless(tx, link, gain))) events.push(questionIdentityLink(link));
  return events;
}

/** As `questionLinks`, of passkeys. */
export async function questionPasskeys(tx: WriteTransaction, gain: Gain): Promise<readonly NewEvent[]> {
  if (gain.gained.length === 0) return [];
  const events: NewEvent[] = [];
  for (const passkey of await listPasskeyLineages(tx, gain.userId))
    if (!(await isHarmless(tx, passkey, gain))) events.push(questionPasskey(passkey));
  return events;
}

/** Users register both for themselves in a login; the service makes a link for users that it registers in such a login. */
async function isHarmless(
  tx: WriteTransaction,
  link: Pick<LinkLineage, "creator" | "madeWithTokenId" | "parentUserId">,
  gain: Gain,
): Promise<boolean> {
  if (link.creator === gain.userId || link.creator === "system") return true;
  return await isCarriedByMaker(tx, link, gain);
}
