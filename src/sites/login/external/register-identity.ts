import { nextUserId } from "../../../identity/people/user/imported-id-repository.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { type IdentityLinkId, type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { setEmail } from "../../../identity/people/emails/email.ts";
import { linkIdentity } from "../../../identity/people/identity-links/commands.ts";
import { identityProviderOperator } from "../../../identity/logins/login-origins/login-origin.ts";
import { addHumanUser } from "../../../identity/people/user/user.ts";
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
 * only if the provider says it, and says so; the administrators of the provider answer for it.
 */
export async function registerIdentity(
  tx: WriteTransaction,
  { interaction, nowMs }: Pick<LoginState, "interaction" | "nowMs">,
  registered: {
    readonly identity: ExternalIdentity;
    readonly provider: IdentityProvider;
    readonly profile: TypedProfile;
  },
): ReturnType<ChangeInteraction> {
  const { identity, provider, profile } = registered;
  const { claims } = identity;
  const id = await nextUserId(tx);
  const linkId = tx.nextId<IdentityLinkId>();
  const { resourceOwner } = provider.details;
  const user = { id, details: { sequence: 0, creationDate: 0, resourceOwner } };
  const isVerified = claims.emailVerified && claims.email === profile.email;
  const loginOrigin = { creator: identityProviderOperator, madeWithTokenId: undefined };
  const linked = { externalUserId: identity.subject, externalUsername: nameIdentity(identity) };
  const first = [
    addHumanUser(id, toId<OrganizationId>(resourceOwner), toHumanProfile(profile, claims, provider)),
    ...(profile.email === ""
      ? []
      : setEmail({ ...user, ...noEmail }, profile.email, { isVerified, loginOrigin })),
    ...(await linkIdentity(tx, { user, provider, identity: linked, id: linkId })),
    ...(await followGroups(tx, identity, id)),
  ];
  const proved = addCheck(interaction, { id, lockCount: 0 }, toIdentityCheck(identity, linkId, nowMs));
  return { interaction: noteIdentity(proved, { identity, use: "proved" }), first };
}

const noEmail = { email: "", isEmailVerified: false } as const;
