import { decideMembers, readDirectoryGroups } from "../../../identity/directories/member-changes.ts";
import { decideProfile, type DirectoryProfile } from "../../../identity/directories/profile-changes.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import { followHooks, toHookedProfile } from "../../../identity/hooks/calls/follow-hooks.ts";
import type { HumanUser } from "../../../identity/people/user/user.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";

/**
 * Decides what follows for the groups of a user from a login at the provider: those that it decides about are what it says, and those
 * that hooks decide about what these say, with the metadata that they set.
 */
export async function followGroups(
  tx: WriteTransaction,
  hooks: HookSession,
  {
    identity: { providerId, groupIds, hooked },
    user,
  }: { readonly identity: ExternalIdentity; readonly user: Pick<HumanUser, "id" | "details"> },
): Promise<readonly NewEvent[]> {
  const ofHooks = await followHooks(tx, hooks, { hooked, user });
  if (groupIds === undefined) return ofHooks;
  const groups = await readDirectoryGroups(tx, providerId);
  return [...(await decideMembers(tx, groups, [{ userId: user.id, groupIds }])), ...ofHooks];
}

/** Decides what follows for a user who is linked from a login at the provider: for the profile, too. */
export async function followProvider(
  tx: WriteTransaction,
  hooks: HookSession,
  {
    provider,
    identity,
    user,
  }: {
    readonly provider: Pick<IdentityProvider, "config">;
    readonly identity: ExternalIdentity;
    readonly user: HumanUser;
  },
): Promise<readonly NewEvent[]> {
  return [
    ...(await decideProfile(tx, user, toProfile(provider, identity))),
    ...(await followGroups(tx, hooks, { identity, user })),
  ];
}

/** Of a directory the profile follows; of all others what hooks make of it. */
function toProfile(
  { config }: Pick<IdentityProvider, "config">,
  { claims, hooked }: ExternalIdentity,
): DirectoryProfile {
  switch (config.kind) {
    case "jwt":
    case "oidc":
    case "saml":
    case "template":
      return { ...nothingSaid, ...toHookedProfile(hooked) };
    case "ldap": {
      const { givenName, familyName, email, name, locale, emailVerified } = claims;
      const names = { givenName, familyName, displayName: name, preferredLanguage: locale };
      return { ...names, email, isEmailTrusted: emailVerified };
    }
  }
}

const nothingSaid: DirectoryProfile = {
  givenName: undefined,
  familyName: undefined,
  displayName: undefined,
  preferredLanguage: undefined,
  email: undefined,
  isEmailTrusted: false,
};
