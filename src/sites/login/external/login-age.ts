import type { IdentityLinkId } from "../../../kernel/base/ids.ts";
import { interactionMs } from "../../../identity/logins/interactions/interaction.ts";
import type { Interaction } from "../interaction.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";

/** By so much the clock of a provider may differ. */
const skewSeconds = 30;

/**
 * Says how many seconds before the login began a provider may have let the user in: none where a new login is asked for. Undefined:
 * nobody asks.
 */
export function findMaxAgeSeconds({
  prompts,
  maxAgeSeconds,
}: Pick<Interaction["request"], "prompts" | "maxAgeSeconds">): number | undefined {
  return prompts.includes("login") ? 0 : maxAgeSeconds;
}

/**
 * Raises the refusal if the login at the provider is older than the request allows, or the provider does not say when it was. The
 * browser takes the request for a new login to the provider, so its holder can leave that request out.
 */
export function requireFreshIdentity(
  { request, expirationMs }: Pick<Interaction, "request" | "expirationMs">,
  { authTimeMs }: Pick<ExternalIdentity, "authTimeMs">,
): void {
  const maxAgeSeconds = findMaxAgeSeconds(request);
  if (maxAgeSeconds === undefined) return;
  // Providers say whole seconds.
  const begunSeconds = Math.floor((expirationMs - interactionMs) / 1000);
  const earliestMs = (begunSeconds - maxAgeSeconds - skewSeconds) * 1000;
  if (authTimeMs === undefined || authTimeMs < earliestMs) throw new PageRefusal("provider-login-old");
}

/**
 * Makes the check for a person that has come back from a provider. It is of when the provider let the user in, if that is known.
 */
export function toIdentityCheck(
  { authTimeMs, providerId, issuer }: Pick<ExternalIdentity, "authTimeMs" | "providerId" | "issuer">,
  linkId: IdentityLinkId,
  nowMs: number,
) {
  const known = authTimeMs === undefined ? undefined : Math.min(authTimeMs, nowMs);
  const link = { id: linkId, providerId };
  return { method: "IDP", dateMs: known ?? nowMs, authTimeMs: known, issuer, link } as const;
}
