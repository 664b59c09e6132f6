import type { SigningKeyCommands } from "../features/signing-keys/commands.ts";
import type { BodyReader } from "../http/bodies/body.ts";
import type { Exchange } from "../http/exchanges/exchange.ts";
import type { Reply } from "../http/exchanges/reply.ts";
import { toProviderMetadata } from "./endpoints/discovery.ts";
import { toKeySet } from "./endpoints/keys.ts";
import { endpointPaths } from "./endpoints/paths.ts";
import { revokeToken } from "./endpoints/revocation.ts";
import { answerTokenRequest } from "./endpoints/token.ts";
import { maxFormBytes, parseForm, requireFormType } from "./requests/form.ts";
import type { OAuthRequest } from "./requests/oauth-request.ts";
import type { IssuePorts } from "./tokens/issue.ts";

/** What the provider is made of. */
export interface ProviderOptions extends IssuePorts {
  readonly signingKeys: SigningKeyCommands;
  readonly bodies: BodyReader;
}

/** Answers a request to one endpoint. The issuer comes with each: a free port is known only once it is open. */
export type Endpoint = (exchange: Exchange, issuer: string) => Promise<Reply>;

/** The endpoints of the provider. */
export interface Provider {
  readonly metadata: Endpoint;
  readonly keys: Endpoint;
  readonly token: Endpoint;
  readonly revocation: Endpoint;
}

/** Creates the provider. Loaded with the first request, so that a start does not wait for it. */
export function createProvider(options: ProviderOptions): Provider {
  const { signingKeys, bodies } = options;
  const ports: IssuePorts = options;
  return {
    metadata: async (_exchange, issuer) => toPublicReply(toProviderMetadata(issuer)),
    keys: async () => toPublicReply(toKeySet(await signingKeys.listPublished())),
    async token(exchange, issuer) {
      const request = await readRequest(exchange, { issuer, bodies, path: endpointPaths.token });
      return toSecretReply(await answerTokenRequest(ports, request));
    },
    async revocation(exchange, issuer) {
      const request = await readRequest(exchange, { issuer, bodies, path: endpointPaths.revocation });
      await revokeToken(ports, request);
      return { status: 200 };
    },
  };
}

async function readRequest(
  exchange: Exchange,
  { issuer, bodies, path }: { readonly issuer: string; readonly bodies: BodyReader; readonly path: string },
): Promise<OAuthRequest> {
  requireFormType(exchange.header("content-type"));
  const gone = new AbortController();
  exchange.answering.once("close", () => gone.abort());
  return {
    issuer,
    endpoint: `${issuer}${path}`,
    tokenEndpoint: `${issuer}${endpointPaths.token}`,
    form: parseForm(await bodies.read(exchange, maxFormBytes)),
    authorization: exchange.header("authorization"),
    remoteAddress: exchange.remoteAddress,
    requestId: exchange.requestId,
    signal: gone.signal,
  };
}

/** Anybody may read these documents, and keep them for five minutes. */
function toPublicReply(document: object): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "public, max-age=300" },
    body: JSON.stringify(document),
  };
}

/** RFC 6749 §5.1: an answer with a token is not kept, by anybody. */
function toSecretReply(answer: object): Reply {
  return {
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store", pragma: "no-cache" },
    body: JSON.stringify(answer),
  };
}
