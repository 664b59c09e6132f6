import { hash } from "node:crypto";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
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
import { mayBeSentTo } from "../provider/may-be-sent-to.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";
import { type Dialect, dialectOf } from "./dialect.ts";
import type { CodeProvider, OidcPorts } from "./ports.ts";
import { sealVisit } from "../provider/sealed-visit.ts";
import { newVisitSecrets, type VisitSecrets } from "./visit.ts";

/** Sends the browser to a provider for a code (OpenID Connect Core §3.1.2.1, RFC 6749 §4.1.1), with PKCE (RFC 7636 §4.3). */
export async function beginCodeLogin(
  ports: OidcPorts,
  browser: LeavingBrowser,
  { id, config, details }: CodeProvider,
): Promise<Reply> {
  const { context, discovery, waitingLimit, logger } = ports;
  const { issuer, exchange, state, cookie } = browser;
  const { requestId, remoteAddress } = exchange;
  const { interaction } = state;
  const dialect = dialectOf(config);
  const endpoint = await withFailurePages({ logger, providerId: id, requestId }, async () => {
    const { places } = dialect;
    if ("authorizationEndpoint" in places) return requireSendable(ports, places.authorizationEndpoint);
    const metadata = await discovery.read({ id, ...places }, (work) =>
      waitingLimit.run({ organizationId: details.resourceOwner, remoteAddress }, work),
    );
    return metadata.authorizationEndpoint;
  });
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
  const url = new URL(endpoint);
  const parameters = toParameters(dialect, secrets, { issuer, request: interaction.request });
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return redirectTo(url.href);
}

/** Metadata are checked when they are read. */
function requireSendable(ports: OidcPorts, url: string): string {
  if (mayBeSentTo(ports, url)) return url;
  throw new ProviderFailure("unavailable", "authorization_endpoint forbidden");
}

function toParameters(
  { scope, hints, isAnsweredByForm, identity }: Dialect,
  { state, nonce, codeVerifier, clientId }: VisitSecrets,
  { issuer, request }: { readonly issuer: string; readonly request: LoginRequest },
): Readonly<Record<string, string>> {
  return {
    client_id: clientId,
    response_type: "code",
    ...(isAnsweredByForm ? { response_mode: "form_post" } : {}),
    redirect_uri: `${issuer}${federationPaths.callback}`,
    scope,
    state,
    ...(identity.by === "id-token" ? { nonce } : {}),
    code_challenge: hash("sha256", codeVerifier, "base64url"),
    code_challenge_method: "S256",
    ...toHints(hints, request),
  };
}

/** What the provider is told of the request of the application. */
function toHints(
  { prompts, loginHint: hintName, hasMaxAge }: Dialect["hints"],
  request: LoginRequest,
): Readonly<Record<string, string>> {
  // A new login that the application asks for would be none if the provider let the user in by its own session. One that knows no
  // such prompt at least asks for the account.
  const asked = (["login", "select_account"] as const).filter((each) => request.prompts.includes(each));
  const prompt = prompts
    .filter((each) => asked.includes(each) || (asked.length > 0 && prompts.length === 1))
    .join(" ");
  // With max_age the provider has to say when it let the user in (OpenID Connect Core §2, auth_time).
  const maxAgeSeconds = hasMaxAge ? findMaxAgeSeconds(request) : undefined;
  // The account pages send the username here, which the provider may not know.
  const loginHint = request.protocol === "account" ? undefined : request.loginHint;
  return {
    ...(prompt === "" ? {} : { prompt }),
    ...(loginHint === undefined || hintName === undefined ? {} : { [hintName]: loginHint }), // OpenID Connect Core §3.1.2.1
    ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
  };
}
