import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { endLogins, endProviderLogins } from "../logins/authorizations/end-logins.ts";
import { removeInteractionsOfUser } from "../logins/interactions/repository.ts";
import { removeCode } from "../people/codes/repository.ts";
import { unverifyEmail } from "../people/emails/email.ts";
import { findEmailLineage } from "../people/emails/repository.ts";
import { questionIdentityLink } from "../people/identity-links/identity-link.ts";
import { listLinkLineages } from "../people/identity-links/repository.ts";
import { toAnswerable } from "../logins/login-origins/login-origin.ts";
import { questionPasskey } from "../factors/passkeys/passkey.ts";
import { listPasskeyLineages } from "../factors/passkeys/repository.ts";
import { voidPassword } from "../people/passwords/password.ts";
import { findPasswordLineage, removePasswordHash } from "../people/passwords/repository.ts";
import { listWayLineages } from "../factors/reviews/repository.ts";
import { type FormerGains, listTokensByProvider } from "./former-gains-repository.ts";
import { limitMembership } from "./membership.ts";

/**
 * Removes the roles on other organizations that a user gained before this version from everything that was made in logins at
 * identity providers: until then only gains on the instance were checked. It is not recorded when each role was gained, or in which
 * logins the user proved a factor, so everything from these logins counts. Append the events that it returns.
 */
export async function checkFormerGains(
  tx: WriteTransaction,
  { userId, memberships }: FormerGains,
): Promise<readonly NewEvent[]> {
  const tokenIds = await listTokensByProvider(tx, userId);
  await removeInteractionsOfUser(tx, userId);
  const firstFactors = [...(await questionFirstFactors(tx, userId)), ...(await endPassword(tx, userId))];
  return [
    ...(tokenIds.length === 0 ? [] : memberships.map((membership) => limitMembership(membership, tokenIds))),
    ...(await listWayLineages(tx, userId)).filter(isByProvider).map(({ question }) => question),
    ...firstFactors,
    ...(firstFactors.length > 0 ? await endLogins(tx, userId) : await endProviderLogins(tx, userId)),
  ];
}

async function questionFirstFactors(
  tx: WriteTransaction,
  userId: FormerGains["userId"],
): Promise<readonly NewEvent[]> {
  const passkeys = (await listPasskeyLineages(tx, userId)).filter(isByProvider);
  const links = (await listLinkLineages(tx, userId)).filter(isByProvider);
  return [...passkeys.map(questionPasskey), ...links.map(questionIdentityLink)];
}

/** Ends the password, and the address that another one could be set by. */
async function endPassword(
  tx: WriteTransaction,
  userId: FormerGains["userId"],
): Promise<readonly NewEvent[]> {
  const events: NewEvent[] = [];
  const password = await findPasswordLineage(tx, userId);
  if (password !== undefined && isByProvider(password)) {
    await removePasswordHash(tx, userId);
    events.push(voidPassword({ id: userId, organizationId: password.organizationId }));
  }
  const email = await findEmailLineage(tx, userId);
  if (email?.creator !== undefined && isByProvider({ creator: email.creator })) {
    await removeCode(tx, "reset", userId);
    events.push(unverifyEmail({ id: userId, organizationId: email.organizationId }));
  }
  return events;
}

function isByProvider({ creator }: { readonly creator: Parameters<typeof toAnswerable>[0] }): boolean {
  return toAnswerable(creator).isByProvider;
}
