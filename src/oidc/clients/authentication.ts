import type { FeatureContext } from "../../features/context.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { type Assertion, findFaultInClaims, findSigningKey, toUse } from "./assertion.ts";
import { type Client, isSecretOf, type UsedCredential } from "./client.ts";
import { readClientCredentials } from "./client-credentials.ts";
import { findClient } from "./repository.ts";
import { refuseWrongTry } from "./tries.ts";

/** The ports of the authentication of clients. */
export type ClientPorts = Pick<FeatureContext, "database" | "keyring" | "clock">;

/** A client that has proved who it is. */
export interface AuthenticatedClient {
  readonly client: Client;
  readonly credential: UsedCredential;
  /** The use of its assertion, which the write of the request must record; undefined for a secret. */
  readonly use: { readonly hash: string; readonly expirationMs: number } | undefined;
}

/** Authenticates the client of a request (RFC 6749 §2.3, RFC 7523 §2.2). Raises invalid_client and invalid_request. */
export async function authenticateClient(
  ports: ClientPorts,
  request: OAuthRequest,
): Promise<AuthenticatedClient> {
  const credentials = readClientCredentials(request.authorization, request.form);
  const { clientId } = credentials;
  const client = await ports.database.read((tx) => findClient(tx, clientId, ports.clock.nowMs()));
  const refuse = () => refuseWrongTry(ports, { clientId: client?.id, remoteAddress: request.remoteAddress });
  if (client === undefined) throw await refuse();
  switch (credentials.kind) {
    case "secret": {
      if (client.secret === undefined || !isSecretOf(client, credentials.secret)) throw await refuse();
      return { client, credential: client.secret, use: undefined };
    }
    case "assertion": {
      const { assertion } = credentials;
      const credential = await findSigningKey(assertion, client.keys);
      if (credential === undefined) throw await refuse();
      requireGoodClaims(ports, assertion, request);
      return { client, credential, use: toUse(assertion) };
    }
  }
}

/** Only who holds the key learns what is wrong with the claims. */
function requireGoodClaims(
  { clock }: Pick<ClientPorts, "clock">,
  assertion: Assertion,
  { issuer, endpoint, tokenEndpoint }: OAuthRequest,
): void {
  const audiences = [...new Set([issuer, tokenEndpoint, endpoint])];
  const fault = findFaultInClaims(assertion, { audiences, nowMs: clock.nowMs() });
  if (fault !== undefined) throw new OAuthError("invalid_client", fault);
}
