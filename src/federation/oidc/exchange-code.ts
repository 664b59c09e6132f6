import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  ResponseBodyError,
  type CustomFetch,
} from "openid-client";
import type { Secret } from "../../base/secret.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { type ProviderFetch, providerLimits } from "../provider/provider-fetch.ts";
import type { ProviderMetadata } from "./discovery.ts";
import type { VisitSecrets } from "./visit.ts";

/** What a provider has given for a code. Nothing of it is verified by a signature yet. */
export interface ExchangedCode {
  readonly idToken: string;
  readonly accessToken: string;
}

/** A browser that has come back, and what its answer is exchanged with. */
export interface CodeExchange {
  readonly fetcher: ProviderFetch;
  readonly metadata: ProviderMetadata;
  readonly clientSecret: Secret;
  readonly secrets: VisitSecrets;
  /** Where the browser has come back to, with what it has brought. */
  readonly returnUrl: URL;
}

/**
 * Checks what a browser brings back (RFC 6749 §4.1.2, RFC 9207 §2.4), and exchanges the code (OpenID Connect Core §3.1.3). Raises a
 * ProviderFailure. The library does not look at the signature of the ID token, because it came by TLS: whoever calls does.
 */
export async function exchangeCode(exchange: CodeExchange): Promise<ExchangedCode> {
  const { secrets, returnUrl } = exchange;
  try {
    const tokens = await authorizationCodeGrant(createClient(exchange), returnUrl, {
      expectedState: secrets.state,
      expectedNonce: secrets.nonce,
      pkceCodeVerifier: secrets.codeVerifier,
      idTokenExpected: true,
    });
    return { idToken: tokens.id_token ?? "", accessToken: tokens.access_token };
  } catch (error) {
    throw toFailure(error);
  }
}

function createClient({ fetcher, metadata, clientSecret, secrets }: CodeExchange): Configuration {
  const { issuer, tokenEndpoint, algorithms, wantsSecretInForm, namesIssuer } = metadata;
  const secret = clientSecret.reveal();
  const client = new Configuration(
    {
      issuer,
      token_endpoint: tokenEndpoint,
      id_token_signing_alg_values_supported: [...algorithms],
      authorization_response_iss_parameter_supported: namesIssuer,
    },
    secrets.clientId,
    {},
    wantsSecretInForm ? ClientSecretPost(secret) : ClientSecretBasic(secret),
  );
  client[customFetch] = createFetch(fetcher);
  allowInsecureRequests(client); // the guarded fetch decides, and allows http to this machine only
  return client;
}

/** The only request of the library is the one that redeems the code. */
function createFetch(fetcher: ProviderFetch): CustomFetch {
  return async (url, { body, headers }) => {
    if (!(body instanceof URLSearchParams)) throw new Error("a code is redeemed by a form");
    const fields = Object.fromEntries(body);
    const answer = await fetcher.post(url, fields, { ...providerLimits, headers });
    if (answer.kind !== "answered") throw new ProviderFailure("unavailable", `token ${answer.kind}`);
    const { status, bytes, contentType = "" } = answer;
    if (bytes === undefined) throw new ProviderFailure("unavailable", "token unreadable");
    if (status === 429 || status >= 500) throw new ProviderFailure("unavailable", `token status ${status}`);
    return new Response(Buffer.from(bytes), { status, headers: { "content-type": contentType } });
  };
}

/** The codes of the library and of the protocol are fixed words; messages may hold what was sent, and are not kept. */
function toFailure(error: unknown): unknown {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof AuthorizationResponseError) return new ProviderFailure("denied", "authorization");
  if (error instanceof ResponseBodyError)
    return new ProviderFailure("refused", `token status ${error.status}`);
  if (!(error instanceof ClientError)) return error;
  return error.cause instanceof ProviderFailure
    ? error.cause
    : new ProviderFailure("refused", error.code ?? "answer");
}
