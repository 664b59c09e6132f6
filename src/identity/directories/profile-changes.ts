import type { WriteTransaction } from "../../kernel/base/database.ts";
import { toId, type OrganizationId } from "../../kernel/base/ids.ts";
import { isEmailAddress } from "../../kernel/base/message-providers.ts";
import { isVisible } from "../../kernel/base/names/visible-name.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { holdsOutside } from "../held-roles/outside.ts";
import { listHeldRoles } from "../held-roles/repository.ts";
import { identityProviderOperator } from "../logins/login-origins/login-origin.ts";
import { removeCode } from "../people/codes/repository.ts";
import { setEmail } from "../people/emails/email.ts";
import { endResetCode, holderOf } from "../people/codes/reset-code-repository.ts";
import { checkLanguage } from "../people/user/language-tag.ts";
import { type HumanUser, updateHumanUser } from "../people/user/user.ts";

/** What a directory says of a profile; undefined: nothing. */
export interface DirectoryProfile {
  readonly givenName: string | undefined;
  readonly familyName: string | undefined;
  readonly displayName: string | undefined;
  readonly preferredLanguage: string | undefined;
  readonly email: string | undefined;
  /** Whether the directory answers for the address. */
  readonly isEmailTrusted: boolean;
}

/**
 * Decides to make a profile what the directory says, and ends the codes of an address that is replaced. What it does not say, or nobody can
 * have, stays, and so does the username. The address follows only a directory that answers for it. The profile of a user with a role
 * outside of their organization stays as it is: others there know them by it.
 */
export async function decideProfile(
  tx: WriteTransaction,
  user: HumanUser,
  said: DirectoryProfile,
): Promise<readonly NewEvent[]> {
  const update = toUpdate(user, said);
  const isNewEmail = isOtherEmail(user, said);
  const events = updateHumanUser(user, update);
  if (events.length === 0 && !isNewEmail) return [];
  const organizationId = toId<OrganizationId>(user.details.resourceOwner);
  if (holdsOutside(await listHeldRoles(tx, user.id), organizationId)) return [];
  if (!isNewEmail) return events;
  const loginOrigin = { creator: identityProviderOperator, madeWithTokenId: undefined };
  const set = setEmail(user, said.email ?? "", { isVerified: true, loginOrigin });
  if (said.email === user.email) return [...events, ...set];
  await removeCode(tx, "email", user.id);
  return [...events, ...set, ...(await endResetCode(tx, holderOf(user), "email_changed"))];
}

/** Says whether a profile is what the directory says, so that nothing has to be decided. */
export function isProfileCurrent(user: HumanUser, said: DirectoryProfile): boolean {
  return updateHumanUser(user, toUpdate(user, said)).length === 0 && !isOtherEmail(user, said);
}

function isOtherEmail(user: HumanUser, { email, isEmailTrusted }: DirectoryProfile): boolean {
  if (!isEmailTrusted || email === undefined || !isEmailAddress(email)) return false;
  return email !== user.email || !user.isEmailVerified;
}

function toUpdate(user: HumanUser, said: DirectoryProfile) {
  const language = said.preferredLanguage?.replaceAll("_", "-") ?? "";
  const isLanguage = isName(language) && checkLanguage("language", language).length === 0;
  return {
    ...user,
    givenName: isName(said.givenName) ? said.givenName : user.givenName,
    familyName: isName(said.familyName) ? said.familyName : user.familyName,
    displayName: isName(said.displayName) ? said.displayName : user.displayName,
    preferredLanguage: isLanguage ? language : user.preferredLanguage,
  };
}

const maxLength = 200;

/** Says whether the text can be a name here. */
function isName(text: string | undefined): text is string {
  if (text === undefined || text.trim() === "" || Array.from(text).length > maxLength) return false;
  return !/\p{Cc}/u.test(text) && isVisible(text);
}
