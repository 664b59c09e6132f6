import { isOfOtherKind, readClientJwt } from "../../../kernel/base/jws.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { toIdentity, toTimeMs } from "../provider/identity.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { readSignedClaims, type TokenClaims } from "../provider/signed-token.ts";
import { isSubject } from "../provider/subject.ts";
import { readAppleName, signAppleSecret } from "./apple.ts";
import { type Dialect, dialectOf, type IdTokenDialect } from "./dialect.ts";
import type { CodePlaces } from "./discovery.ts";
import { askGithub } from "./github.ts";
import { findIdTokenFault } from "./id-token.ts";
import type { CodeConfig, CodeProvider, OidcPorts } from "./ports.ts";
import { askUserinfo } from "./userinfo.ts";
import type { VisitSecrets } from "./visit.ts";

/** A visit that has ended, and what its browser has brought. */
export interface Returned {
  readonly provider: CodeProvider;
  /** As it is stored. */
  readonly secret: Secret;
  readonly secrets: VisitSecrets;
  /** Whether no browser has brought the code before. */
  readonly isNewCode: boolean;
  /** Where the browser has come back to, with what it has brought, in the query or in a form. */
  readonly returnUrl: URL;
}

/** Asks the provider for the user of the login, and checks its answer. Raises a ProviderFailure. */
export async function identify(ports: OidcPorts, returned: Returned): Promise<ExternalIdentity> {
  if (!returned.isNewCode) throw new ProviderFailure("refused", "code brought before");
  const { provider } = returned;
  const { identity, places } = dialectOf(provider.config);
  switch (identity.by) {
    case "id-token":
      return await identifyByToken(ports, returned, { identity, places });
    case "github-api": {
      if (!("tokenEndpoint" in places)) throw new Error("GitHub has no metadata");
      const { accessToken } = await exchange(ports, returned, places);
      const { apiUrl } = identity;
      const claims = await askGithub(ports, { providerId: provider.id, apiUrl, accessToken });
      const { issuer } = provider.config;
      return toIdentity({ providerId: provider.id, issuer, subject: claims.sub }, claims);
    }
  }
}

async function identifyByToken(
  ports: OidcPorts,
  returned: Returned,
  { identity, places }: { readonly identity: IdTokenDialect; readonly places: Dialect["places"] },
): Promise<ExternalIdentity> {
  const { fetcher, keys, discovery, logger } = ports;
  const { provider, secrets, returnUrl } = returned;
  const { id: providerId, config } = provider;
  const metadata = await discovery.read({ id: providerId, ...places });
  const { idToken, accessToken } = await exchange(ports, returned, metadata);
  if (idToken === undefined) throw new ProviderFailure("refused", "token without ID token");
  const { algorithms, keysUrl, userinfoEndpoint: url } = metadata;
  const { isKeyOfIssuer } = identity;
  const claims = await readSignedClaims(keys, { providerId, url: keysUrl }, idToken, {
    algorithms,
    isKeyOfIssuer,
  });
  if (claims === undefined) throw new ProviderFailure("refused", "ID token signature");
  const issuer = identity.issuerOf(claims);
  if (issuer === undefined) throw new ProviderFailure("refused", "ID token tenant");
  const { clientId, nonce } = secrets;
  const fault = isOfOtherKind(readClientJwt(idToken)?.header ?? {})
    ? "typ"
    : findIdTokenFault(claims, { issuer, clientId, nonce, nowMs: ports.context.clock.nowMs() });
  if (fault !== undefined) throw new ProviderFailure("refused", `ID token ${fault}`);
  const subject = identity.subjectOf(claims);
  if (!isSubject(subject)) throw new ProviderFailure("refused", "ID token sub");
  const asked =
    url === undefined ? undefined : { providerId, url, accessToken, subject: String(claims["sub"]) };
  const userinfo = asked && (await askUserinfo({ fetcher, logger }, asked));
  const authTimeMs = toTimeMs(claims["auth_time"]);
  return toIdentity(
    { providerId, issuer: config.issuer, subject, authTimeMs },
    identity.correct(claims),
    userinfo === undefined ? readFormClaims(config, returnUrl) : identity.correct(userinfo),
  );
}

/** What a provider without userinfo says in its form. */
function readFormClaims(config: CodeConfig, { searchParams }: URL): TokenClaims {
  return config.kind === "template" && config.template === "apple" ? readAppleName(searchParams) : {};
}

async function exchange(
  { context, fetcher, knownStyles }: OidcPorts,
  { provider, secret, secrets, returnUrl }: Returned,
  metadata: CodePlaces,
) {
  const { clock } = context;
  const { exchangeCode } = await import("./exchange-code.ts"); // with the library, which a start does not wait for
  return await exchangeCode({
    fetcher,
    clock,
    knownStyles,
    providerKey: `${provider.id} ${provider.details.sequence}`,
    metadata,
    client: {
      clientId: secrets.clientId,
      clientSecret: await toClientSecret(provider.config, secret, clock.nowMs()),
    },
    secrets,
    returnUrl,
  });
}

async function toClientSecret(config: CodeConfig, secret: Secret, nowMs: number): Promise<Secret> {
  return config.kind === "template" && config.template === "apple"
    ? await signAppleSecret(config, secret, nowMs)
    : secret;
}
