import { decideMembers, readDirectoryGroups } from "../../../identity/directories/member-changes.ts";
import { decideProfile } from "../../../identity/directories/profile-changes.ts";
import type { HumanUser } from "../../../identity/people/user/user.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";

/** Decides what follows for the groups of a user from a login at the provider: those that it decides about are what it says. */
export async function followGroups(
  tx: WriteTransaction,
  { providerId, groupIds }: ExternalIdentity,
  userId: string,
): Promise<readonly NewEvent[]> {
  if (groupIds === undefined) return [];
  return await decideMembers(tx, await readDirectoryGroups(tx, providerId), [{ userId, groupIds }]);
}

/** Decides what follows for a user who is linked from a login at the provider: of a directory, the profile follows, too. */
export async function followProvider(
  tx: WriteTransaction,
  { config }: Pick<IdentityProvider, "config">,
  { identity, user }: { readonly identity: ExternalIdentity; readonly user: HumanUser },
): Promise<readonly NewEvent[]> {
  switch (config.kind) {
    case "jwt":
    case "oidc":
    case "saml":
    case "template":
      return [];
    case "ldap": {
      const { givenName, familyName, email, name, locale, emailVerified } = identity.claims;
      const names = { givenName, familyName, displayName: name, preferredLanguage: locale };
      const profile = { ...names, email, isEmailTrusted: emailVerified };
      return [...(await decideProfile(tx, user, profile)), ...(await followGroups(tx, identity, user.id))];
    }
  }
}
