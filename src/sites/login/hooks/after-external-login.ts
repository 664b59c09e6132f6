import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { askHooks, type HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import { toHookedProfile } from "../../../identity/hooks/calls/follow-hooks.ts";
import type {
  ExternalIdentity,
  IdentityClaims,
  ProfileChanges,
} from "../../../identity/people/identity-links/external-identity.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { LoginState } from "../login-state.ts";
import { toPageOfHook } from "./hook-refusal.ts";

/** An identity with which somebody has come back from a provider. */
interface BroughtIdentity {
  readonly state: Pick<LoginState, "application">;
  readonly provider: IdentityProvider;
  readonly identity: ExternalIdentity;
  /** The user that has the identity, or is to get it; undefined: nobody yet. */
  readonly userId: string | undefined;
}

/**
 * Asks the hooks of the organization that owns the provider, once for a login there. Returns the identity with what they make of it, which
 * its claims tell from then on. Raises the page of a refusal. Nobody is asked where no application logs in, as for the console.
 */
export async function askAfterExternalLogin(
  tx: ReadTransaction,
  hooks: HookSession,
  { state: { application: login }, provider, identity: brought, userId }: BroughtIdentity,
): Promise<ExternalIdentity> {
  const { said = { claims: {}, isCut: false }, ...identity } = brought;
  if (login === undefined || identity.hooked !== undefined) return identity;
  const organizationId = provider.details.resourceOwner;
  const { refusal, additions } = await askHooks(tx, hooks, {
    kind: "AFTER_EXTERNAL_LOGIN",
    organizationId,
    userId,
    applicationId: login.application.id,
    data: {
      organization_id: organizationId,
      project_id: login.project.id,
      application_id: login.application.id,
      identity_provider_id: provider.id,
      issuer: identity.issuer,
      subject: identity.subject,
      ...(userId === undefined ? {} : { user_id: userId }),
      claims: said.claims,
      ...(said.isCut ? { claims_cut: true } : {}),
    },
  });
  if (refusal !== undefined) throw toPageOfHook(refusal);
  const hooked = additions.map(({ claims: _none, ...changes }) => changes);
  return { ...identity, claims: withProfile(identity.claims, toHookedProfile(hooked)), hooked };
}

function withProfile(claims: IdentityClaims, profile: ProfileChanges): IdentityClaims {
  return {
    ...claims,
    givenName: profile.givenName ?? claims.givenName,
    familyName: profile.familyName ?? claims.familyName,
    name: profile.displayName ?? claims.name,
    locale: profile.preferredLanguage ?? claims.locale,
  };
}
