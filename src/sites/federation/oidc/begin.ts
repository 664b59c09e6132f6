import { hash } from "node:crypto";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { OidcConfig } from "../../../identity/providers/oidc.ts";
import { putProviderVisit } from "../../../identity/protocol-state/provider-visits/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { findMaxAgeSeconds } from "../../login/external/login-age.ts";
import { writeFor } from "../../login/flow/write-for.ts";
import { redirectTo } from "../../login/layout.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import type { LeavingBrowser } from "../../login/provider-logins.ts";
import { findInteraction } from "../../../identity/logins/interactions/repository.ts";
import { hashCookie } from "../../login/cookies/cookies.ts";
import { federationPaths } from "../provider/paths.ts";
import { withFailurePages } from "../provider/provider-failure.ts";
import type { OidcPorts, OidcProvider } from "./ports.ts";
import { sealVisit } from "../provider/sealed-visit.ts";
import { newVisitSecrets, type VisitSecrets } from "./visit.ts";

/** Sends the browser to a provider of OpenID Connect (OpenID Connect Core §3.1.2.1), with PKCE (RFC 7636 §4.3). */
export async function beginOidcLogin(
  ports: OidcPorts,
  browser: LeavingBrowser,
  { id, config, details }: OidcProvider,
): Promise<Reply> {
  const { context, discovery, waitingLimit, logger } = ports;
  const { issuer, exchange, state, cookie } = browser;
  const { requestId, remoteAddress } = exchange;
  const { interaction } = state;
  const metadata = await withFailurePages({ logger, providerId: id, requestId }, () =>
    discovery.read({ id, issuer: config.issuer }, (work) =>
      waitingLimit.run({ organizationId: details.resourceOwner, remoteAddress }, work),
    ),
  );
  const secrets = newVisitSecrets(context.random, config);
  const about = {
    interactionId: interaction.id,
    providerId: id,
    organizationId: toId<OrganizationId>(details.resourceOwner),
    expirationMs: interaction.expirationMs,
  };
  await writeFor({ ports, exchange }, async (tx) => {
    const asked = { id: interaction.id, cookieHash: hashCookie(cookie), nowMs: context.clock.nowMs() };
    if ((await findInteraction(tx, asked)) === undefined) throw new PageRefusal("begin-again");
    await putProviderVisit(tx, sealVisit(context.keyring, about, secrets));
  });
  const url = new URL(metadata.authorizationEndpoint);
  const parameters = toParameters(config, secrets, { issuer, request: interaction.request });
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return redirectTo(url.href);
}

function toParameters(
  { clientId, scopes }: OidcConfig,
  { state, nonce, codeVerifier }: VisitSecrets,
  { issuer, request }: { readonly issuer: string; readonly request: LoginRequest },
): Readonly<Record<string, string>> {
  // A new login that the application asks for would be none if the provider let the user in by its own session.
  const prompt = request.prompts.filter((each) => each === "login" || each === "select_account").join(" ");
  // With max_age the provider has to say when it let the user in (OpenID Connect Core §2, auth_time).
  const maxAgeSeconds = findMaxAgeSeconds(request);
  // The account pages send the username here, which the provider may not know.
  const loginHint = request.protocol === "account" ? undefined : request.loginHint;
  return {
    client_id: clientId,
    response_type: "code",
    redirect_uri: `${issuer}${federationPaths.callback}`,
    scope: toScope(scopes),
    state,
    nonce,
    code_challenge: hash("sha256", codeVerifier, "base64url"),
    code_challenge_method: "S256",
    ...(prompt === "" ? {} : { prompt }),
    ...(loginHint === undefined ? {} : { login_hint: loginHint }), // OpenID Connect Core §3.1.2.1
    ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
  };
}

/** In the stored order; `openid` is put in front where it is missing, and an empty list means the usual three. */
function toScope(scopes: readonly string[]): string {
  if (scopes.length === 0) return "openid profile email";
  return (scopes.includes("openid") ? scopes : ["openid", ...scopes]).join(" ");
}
