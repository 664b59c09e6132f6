import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { interactionPolicy, Provider, ProviderContext } from "oidc-provider";
import { createHttpClient } from "../../../../support/http-client.ts";
import type { TestClock } from "../../../../support/clock.ts";
import { deviceGrant } from "../../support/device.ts";
import { keyPairs } from "../../support/machine.ts";
import { openUserAgent, toAuthorizationUrl } from "../../support/user-agent.ts";
import { endpointPaths, methodOf, type OracleClient, type Party, redirectUris } from "./party.ts";

/** What the reference must have as Gatehouse has it. */
export interface ReferenceSetup {
  readonly clients: Party["clients"];
  readonly userId: string;
  readonly clock: TestClock;
}

/** Starts oidc-provider on a free port of loopback, with the same clients and the same rules where it can be told. */
export async function startReference({ clients, userId, clock }: ReferenceSetup): Promise<Party> {
  // That of Node makes objects that are none of jest's, and oidc-provider takes them for something else.
  globalThis.structuredClone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const issuer = `http://localhost:${port}`;
  const speakAgain = silence();
  const library = await import("oidc-provider");
  const provider = new library.Provider(issuer, configure(clients, userId, library.interactionPolicy));
  const answer = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/login/") === true) void endInteraction(provider, userId, request, response);
    else answer(request, response);
  });
  const http = createHttpClient(`http://127.0.0.1:${port}`);
  const send: Party["send"] = ({ headers, ...request }) =>
    http.send({ ...request, headers: { ...headers, host: `localhost:${port}` } });
  const agent = openUserAgent({ origin: issuer, send });
  return {
    name: "reference",
    issuer,
    clients,
    clock,
    agent,
    send,
    // Whoever comes is logged in at once (`endInteraction`).
    async logIn() {
      const url = toAuthorizationUrl(
        issuer,
        Object.entries({
          client_id: clients.basic.id,
          response_type: "code",
          redirect_uri: redirectUris[0],
          scope: "openid",
        }),
      );
      await agent.open(url);
    },
    async allowDevice(userCode, { id: clientId }) {
      const device = await provider.DeviceCode.findByUserCode(userCode.replace("-", ""));
      if (device === undefined) throw new Error("oidc-provider does not know the user code");
      const scope = "openid profile offline_access";
      const grant = new provider.Grant({ accountId: userId, clientId });
      grant.addOIDCScope(scope);
      const grantId = await grant.save();
      const authTime = Math.floor(clock.nowMs() / 1000);
      Object.assign(device, { accountId: userId, grantId, scope, authTime, claims: {} });
      await device.save();
    },
    async stop() {
      http.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      speakAgain();
    },
  };
}

/** Keeps oidc-provider from saying what it is: new on this Node, without a database, and set up for a test. Returns what lets it. */
function silence(): () => void {
  const { warn, info } = console;
  const nothing = () => undefined;
  Object.assign(console, { warn: nothing, info: nothing });
  return () => Object.assign(console, { warn, info });
}

function configure(clients: Party["clients"], userId: string, policies: typeof interactionPolicy): object {
  const policy = policies.base();
  // Applications of this computer are logged in by the session as all others are.
  policy.get("consent")?.checks.remove("native_client_prompt");
  policy.add(new policies.Prompt({ name: "select_account", requestable: true }), 0);
  const days = 24 * 3600;
  return {
    clients: Object.values(clients).map(toMetadata),
    findAccount: async () => ({ accountId: userId, claims: async () => ({ sub: userId }) }),
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      clientCredentials: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: {
        enabled: true,
        allowedPolicy: async (
          _context: ProviderContext,
          { clientId }: ReferenceClient,
          token: ReferenceClient,
        ) => clientId === token.clientId,
      },
    },
    routes: {
      authorization: endpointPaths.authorize,
      pushed_authorization_request: endpointPaths.push,
      token: endpointPaths.token,
      introspection: endpointPaths.introspect,
      revocation: endpointPaths.revoke,
      userinfo: endpointPaths.userinfo,
      device_authorization: endpointPaths.deviceAuthorization,
    },
    scopes: ["openid", "offline_access"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
    pkce: {
      required: (_context: ProviderContext, { clientId, tokenEndpointAuthMethod }: ReferenceClient) =>
        tokenEndpointAuthMethod === "none" || clientId === clients.strict.id,
    },
    issueRefreshToken: async (
      _context: ProviderContext,
      client: ReferenceClient,
      { scopes }: { readonly scopes: ReadonlySet<string> },
    ) => client.grantTypeAllowed("refresh_token") && scopes.has("openid"),
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    loadExistingGrant: async ({ oidc }: ProviderContext) => {
      const grant = new oidc.provider.Grant({ accountId: userId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid profile email offline_access");
      await grant.save();
      return grant;
    },
    interactions: {
      policy,
      url: (_context: ProviderContext, { uid }: { readonly uid: string }) => `/login/${uid}`,
    },
    enableHttpPostMethods: true,
    cookies: { keys: ["a key of the oracle"], long: { sameSite: "none" } },
    jwks: {
      keys: [
        {
          ...toJwk(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
          use: "sig",
        },
      ],
    },
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
    ttl: {
      AuthorizationCode: 60,
      DeviceCode: 600,
      AccessToken: 3600,
      ClientCredentials: 3600,
      IdToken: 3600,
      RefreshToken: 14 * days,
      Session: 10 * days,
      Grant: 90 * days,
      Interaction: 900,
    },
  };
}

/** A client as oidc-provider hands it over. */
interface ReferenceClient {
  readonly clientId: string;
  readonly tokenEndpointAuthMethod: string;
  grantTypeAllowed(type: string): boolean;
}

function toMetadata({ name, id, secret, keyId }: OracleClient): object {
  const isMachine = name === "machine";
  return {
    client_id: id,
    ...(secret === undefined ? {} : { client_secret: secret }),
    token_endpoint_auth_method: methodOf[name],
    redirect_uris: isMachine ? [] : redirectUris,
    grant_types: isMachine ? ["client_credentials"] : ["authorization_code", "refresh_token", deviceGrant],
    response_types: isMachine ? [] : ["code"],
    id_token_signed_response_alg: "ES256",
    ...(keyId === undefined
      ? {}
      : {
          jwks: { keys: [{ ...toJwk(keyPairs.ES256.publicKey), kid: keyId, use: "sig" }] },
        }),
  };
}

/** As an object of jest's own realm, which oidc-provider asks for. */
function toJwk(key: KeyObject): object {
  return JSON.parse(JSON.stringify(key.export({ format: "jwk" }))) as object;
}

/** Logs the user in, or agrees for them, without asking. */
async function endInteraction(
  provider: Provider,
  accountId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt } = await provider.interactionDetails(request, response);
  const result = prompt.name === "login" ? { login: { accountId } } : { [prompt.name]: {} };
  await provider.interactionFinished(request, response, result);
}
