import { drawUserId, type HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { type IdentityLinkId, type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { toHookedProfile } from "../../../identity/hooks/calls/follow-hooks.ts";
import { setEmail } from "../../../identity/people/emails/email.ts";
import { linkIdentity } from "../../../identity/people/identity-links/commands.ts";
import { identityProviderOperator } from "../../../identity/logins/login-origins/login-origin.ts";
import { addHumanUser } from "../../../identity/people/user/user.ts";
import { askBeforeRegistration } from "../hooks/before-registration.ts";
import { addCheck } from "../interaction.ts";
import type { ChangeInteraction } from "../login-page.ts";
import type { TypedProfile } from "../forms/profile.ts";
import type { LoginState } from "../login-state.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { followGroups } from "./follow-directory.ts";
import { noteIdentity } from "./identity-note.ts";
import { toIdentityCheck } from "./login-age.ts";
import { nameIdentity, toHumanProfile } from "./identity-profile.ts";

/**
 * Makes an account for an identity in the organization that owns the provider, linked to it and logged in. The email is verified
 * only if the provider says it, and says so; the administrators of the provider answer for it. Raises the page of a hook that refuses.
 */
export async function registerIdentity(
  tx: WriteTransaction,
  hooks: HookSession,
  registered: {
    readonly state: LoginState;
    readonly identity: ExternalIdentity;
    readonly provider: IdentityProvider;
    readonly profile: TypedProfile;
  },
): ReturnType<ChangeInteraction> {
  const { identity, provider, profile, state } = registered;
  const { interaction, nowMs } = state;
  const { claims } = identity;
  const { resourceOwner } = provider.details;
  const isVerified = claims.emailVerified && claims.email === profile.email;
  const { displayName } = toHookedProfile(identity.hooked);
  const claimed = toHumanProfile(profile, claims, provider);
  const told = displayName === undefined ? claimed : { ...claimed, displayName };
  const asked = { organizationId: resourceOwner, providerId: provider.id, profile: told, isVerified };
  const names = await askBeforeRegistration(tx, hooks, { state, ...asked });
  const id = await drawUserId(tx, hooks);
  const linkId = tx.nextId<IdentityLinkId>();
  const user = { id, details: { sequence: 0, creationDate: 0, resourceOwner } };
  const loginOrigin = { creator: identityProviderOperator, madeWithTokenId: undefined };
  const linked = { externalUserId: identity.subject, externalUsername: nameIdentity(identity) };
  const first = [
    addHumanUser(id, toId<OrganizationId>(resourceOwner), { ...told, ...names }),
    ...(profile.email === ""
      ? []
      : setEmail({ ...user, ...noEmail }, profile.email, { isVerified, loginOrigin })),
    ...(await linkIdentity(tx, { user, provider, identity: linked, id: linkId })),
    ...(await followGroups(tx, hooks, { identity, user })),
  ];
  const proved = addCheck(interaction, { id, lockCount: 0 }, toIdentityCheck(identity, linkId, nowMs));
  return { interaction: noteIdentity(proved, { identity, use: "proved" }), first };
}

const noEmail = { email: "", isEmailVerified: false } as const;
