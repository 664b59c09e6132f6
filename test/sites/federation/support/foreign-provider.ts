import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Provider, ProviderContext } from "oidc-provider";
import { openUserAgent, type UserAgent } from "../../oidc/support/user-agent.ts";
import { canaries } from "../../../support/canaries.ts";
import { createHttpClient } from "../../../support/http-client.ts";

/** A provider that others have written, on loopback. Whoever comes to it is logged in as Ada at once. */
export interface ForeignProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What it calls Ada. */
  readonly subject: string;
  /** Opens a browser of its site. */
  browser(): UserAgent;
  stop(): Promise<void>;
}

const claims = {
  name: "Ada Lovelace",
  given_name: "Ada",
  family_name: "Lovelace",
  preferred_username: "ada@lampworks",
  email: "ada@lampworks.example",
  email_verified: true,
};

/** Starts oidc-provider on a free port, with Gatehouse at that issuer as its client. */
export async function startForeignProvider(gatehouse: string): Promise<ForeignProvider> {
  // That of Node makes objects that are none of jest's, and oidc-provider takes them for something else.
  globalThis.structuredClone = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  const clientSecret = randomBytes(24).toString("hex");
  canaries.add("client secret", clientSecret);
  const client = { clientId: "gatehouse", clientSecret };
  const subject = "00u-ada";
  const speakAgain = silence();
  const library = await import("oidc-provider");
  const provider = new library.Provider(issuer, configure(client, { gatehouse, subject }));
  const answer = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/interaction/") === true)
      void endInteraction(provider, subject, request, response);
    else answer(request, response);
  });
  const http = createHttpClient(issuer);
  return {
    issuer,
    ...client,
    subject,
    browser: () => openUserAgent({ origin: issuer, send: (request) => http.send(request) }),
    async stop() {
      http.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      speakAgain();
    },
  };
}

function configure(
  { clientId, clientSecret }: Pick<ForeignProvider, "clientId" | "clientSecret">,
  { gatehouse, subject }: { readonly gatehouse: string; readonly subject: string },
): object {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = JSON.parse(JSON.stringify(privateKey.export({ format: "jwk" }))) as object; // of jest's own realm
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${gatehouse}/idps/callback`],
        id_token_signed_response_alg: "ES256",
      },
    ],
    jwks: { keys: [{ ...jwk, use: "sig", alg: "ES256", kid: "of the provider" }] },
    findAccount: async () => ({ accountId: subject, claims: async () => ({ sub: subject, ...claims }) }),
    claims: {
      openid: ["sub"],
      profile: ["name", "given_name", "family_name", "preferred_username"],
      email: ["email", "email_verified"],
    },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    interactions: {
      url: (_context: ProviderContext, { uid }: { readonly uid: string }) => `/interaction/${uid}`,
    },
    async loadExistingGrant({ oidc }: ProviderContext) {
      const grant = new oidc.provider.Grant({ accountId: subject, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    cookies: { keys: ["a key of the provider"] },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      IdToken: 300,
      Grant: 300,
      Session: 300,
      Interaction: 300,
    },
  };
}

/** Logs Ada in without asking. */
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

/** Keeps oidc-provider from saying what it is. Returns what lets it. */
function silence(): () => void {
  const { warn, info } = console;
  const nothing = () => undefined;
  Object.assign(console, { warn: nothing, info: nothing });
  return () => Object.assign(console, { warn, info });
}
