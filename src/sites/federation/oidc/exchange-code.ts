import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  ClientError,
  Configuration,
  customFetch,
  ResponseBodyError,
} from "openid-client";
import { parseObject } from "../provider/json.ts";
import { ProviderFailure } from "../provider/provider-failure.ts";
import { redeemCode, type CodeRedemption, type RedeemedAnswer } from "./redeem.ts";
import type { VisitSecrets } from "./visit.ts";

/** The tokens that a provider has given for a code. Nothing of it is verified yet. */
export interface ExchangedCode {
  /** Undefined: none came, from a provider of OAuth 2.0 alone. */
  readonly idToken: string | undefined;
  readonly accessToken: string;
}

/** A browser that has come back, and what its answer is exchanged with. */
export interface CodeExchange extends CodeRedemption {
  readonly secrets: VisitSecrets;
  /** Where the browser has come back to, with what it has brought. */
  readonly returnUrl: URL;
}

/**
 * Checks what a browser brings back (RFC 6749 §4.1.2, RFC 9207 §2.4), and exchanges the code (OpenID Connect Core §3.1.3). Raises a
 * ProviderFailure. The ID token is not looked at: the caller does that. The library would refuse what is only unusual, such as a
 * claim that is null, and would not verify the signature.
 */
export async function exchangeCode(exchange: CodeExchange): Promise<ExchangedCode> {
  const { secrets, returnUrl } = exchange;
  const taken: { idToken?: unknown } = {};
  try {
    const client = createClient(exchange, (answer) => toResponse(answer, taken));
    const { access_token: accessToken } = await authorizationCodeGrant(client, returnUrl, {
      expectedState: secrets.state,
      pkceCodeVerifier: secrets.codeVerifier,
    });
    const { idToken } = taken;
    return { idToken: typeof idToken === "string" ? idToken : undefined, accessToken };
  } catch (error) {
    throw toFailure(error);
  }
}

/** Creates the client of the library. Its only request is the one that redeems the code. */
function createClient(exchange: CodeExchange, respond: (answer: RedeemedAnswer) => Response): Configuration {
  const { issuer, tokenEndpoint, namesIssuer } = exchange.metadata;
  const client = new Configuration(
    {
      issuer,
      token_endpoint: tokenEndpoint,
      authorization_response_iss_parameter_supported: namesIssuer,
    },
    exchange.secrets.clientId,
    {},
    () => undefined, // the secret comes with each try
  );
  client[customFetch] = async (_url, { body, headers }) => {
    if (!(body instanceof URLSearchParams)) throw new Error("a code is redeemed by a form");
    return respond(await redeemCode(exchange, { fields: Object.fromEntries(body), headers }));
  };
  allowInsecureRequests(client); // the guarded fetch decides, and allows http to this machine only
  return client;
}

/**
 * Makes the answer that the library sees. Of a good one it sees only what is used, so that no other member can spoil the login; the
 * ID token goes past it.
 */
function toResponse({ status, bytes, contentType }: RedeemedAnswer, taken: { idToken?: unknown }): Response {
  const answered = status === 200 ? parseObject(bytes) : undefined;
  const headers = { "content-type": contentType };
  if (answered === undefined) return new Response(Buffer.from(bytes), { status, headers });
  const { access_token, token_type, id_token: idToken } = answered;
  taken.idToken = idToken;
  return new Response(JSON.stringify({ access_token, token_type }), { status, headers });
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
