import type { AssertionUse } from "../../../identity/protocol-state/assertion-uses/assertion-use.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { algorithmsOf, mustNameIssuer } from "../../../identity/applications/oidc/security-profile.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { type Assertion, findFaultInClaims, findSigningKey, toUse } from "./assertion.ts";
import {
  type ApplicationClient,
  type Client,
  hasStretchedSecret,
  isSecretOf,
  type ServiceUserClient,
  type UsedCredential,
} from "./client.ts";
import { type ClientCredentials, readClientCredentials } from "./client-credentials.ts";
import type { ImportKey } from "./key-imports.ts";
import type { FindClient } from "./known-clients.ts";
import { refuseWrongTry, requireTriesLeft } from "./tries.ts";

/** The ports of the authentication of clients. */
export interface ClientPorts {
  readonly context: Pick<FeatureContext, "database" | "keyring" | "clock">;
  readonly findClient: FindClient;
  /** Imports the keys that assertions are verified with. */
  readonly importKey: ImportKey;
}

/** A client that has proved its identity, or that only has to name itself. */
export interface AuthenticatedClient<C extends Client = Client> {
  readonly client: C;
  /** Undefined for an application that has none. */
  readonly credential: UsedCredential | undefined;
  /** The use of its assertion, which the write of the request must record; undefined without an assertion. */
  readonly use: AssertionUse | undefined;
}

/** A service user that has proved its identity. */
export interface AuthenticatedServiceUser extends AuthenticatedClient<ServiceUserClient> {
  readonly credential: UsedCredential;
}

/**
 * Authenticates the client of a request (RFC 6749 §2.3, RFC 7523 §2.2). Applications authenticate by what they have, a secret, a
 * key or neither, and by nothing else. A secret may come in the header or in the form: libraries choose without asking us, and it
 * proves the same. Applications are refused while they, their project or its organization are not active. Raises invalid_client and
 * invalid_request.
 */
export async function authenticateClient(
  ports: ClientPorts,
  request: OAuthRequest,
): Promise<AuthenticatedClient> {
  const credentials = readClientCredentials(request.authorization, request.form);
  const { clientId } = credentials;
  const { context } = ports;
  const lookup = {
    nowMs: context.clock.nowMs(),
    issuer: request.issuer,
    remoteAddress: request.remoteAddress,
  };
  const client = await ports.findClient(clientId, lookup);
  if (client !== undefined && credentials.kind === "secret" && hasStretchedSecret(client))
    await requireTriesLeft(context, { clientId: client.id, remoteAddress: request.remoteAddress });
  const proved = client && (await prove(ports, client, credentials));
  if (client === undefined || proved === undefined)
    throw await refuseWrongTry(context, {
      clientId: client?.id,
      remoteAddress: request.remoteAddress,
      isByAssertion: credentials.kind === "assertion",
    });
  if (credentials.kind === "assertion")
    requireGoodAssertion(context, credentials.assertion, { client, request });
  if (client.kind !== "service-user") requireActive(client);
  const use = credentials.kind === "assertion" ? toUse(credentials.assertion) : undefined;
  if (use !== undefined) request.assertion.note(use);
  return { client, credential: proved.credential, use };
}

/** Returns the credential that was used, if any; undefined when the credentials are wrong. */
async function prove(
  { importKey }: ClientPorts,
  client: Client,
  credentials: ClientCredentials,
): Promise<Pick<AuthenticatedClient, "credential"> | undefined> {
  switch (credentials.kind) {
    case "secret":
      return (await isSecretOf(client, credentials.spellings)) ? { credential: client.secret } : undefined;
    case "assertion": {
      const credential = await findSigningKey(credentials.assertion, { keys: client.keys, importKey });
      return credential && { credential };
    }
    case "none":
      return client.kind !== "service-user" && client.method === "NONE"
        ? { credential: undefined }
        : undefined;
  }
}

/** Only a client that has proved to be the application learns what else is wrong. */
function requireActive(client: ApplicationClient): void {
  if (!client.isActive)
    throw new OAuthError("invalid_client", "the application, its project or its organization is not active");
}

/** Returns the service user that has authenticated. Raises unauthorized_client for an application: it does not act for itself. */
export function requireServiceUser({
  client,
  credential,
  use,
}: AuthenticatedClient): AuthenticatedServiceUser {
  if (client.kind !== "service-user" || credential === undefined)
    throw new OAuthError("unauthorized_client", "only service users may use this grant");
  return { client, credential, use };
}

/** Only the holder of the key learns what is wrong with the claims, or with the algorithm for this application. */
function requireGoodAssertion(
  { clock }: Pick<FeatureContext, "clock">,
  assertion: Assertion,
  { client, request }: { readonly client: Client; readonly request: OAuthRequest },
): void {
  const { issuer, endpoint, tokenEndpoint } = request;
  const isForIssuer = client.kind === "oidc" && mustNameIssuer(client.settings);
  const audiences = isForIssuer ? [issuer] : [...new Set([issuer, tokenEndpoint, endpoint])];
  const fault =
    findFaultInAlgorithm(assertion, client) ??
    (isForIssuer && assertion.hasAudienceList
      ? `the assertion must have aud ${issuer} as a text, not as a list`
      : findFaultInClaims(assertion, { audiences, nowMs: clock.nowMs() }));
  if (fault !== undefined) throw new OAuthError("invalid_client", fault);
}

function findFaultInAlgorithm({ algorithm }: Assertion, client: Client): string | undefined {
  if (client.kind !== "oidc") return undefined;
  const algorithms = algorithmsOf(client.settings);
  return algorithms.includes(algorithm) ? undefined : `the assertion must have alg ${algorithms.join(", ")}`;
}
