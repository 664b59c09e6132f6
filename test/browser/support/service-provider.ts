import { type Profile, SAML } from "@node-saml/node-saml";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { makePartyKeys } from "../../sites/saml/node-saml/party-keys.ts";
import type { TestService } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";

/** A service provider with node-saml, on an origin of another site than the issuer. */
export interface WebParty {
  /** `http://127.0.0.1:<port>`. `/redirect` and `/post` ask for a login, `/logout` for a logout, `/frame` frames the login. */
  readonly origin: string;
  /** Where it sends browsers that have logged in: another origin, of a third site. */
  readonly landing: string;
  /** Whom its answers were about, in their order. */
  readonly profiles: readonly Profile[];
  /** What was said at its place for logout: `request`, or the status of a response. */
  readonly goodbyes: readonly string[];
  stop(): Promise<void>;
}

const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const keys = makePartyKeys();

/** Starts it, and makes the application of its metadata in the project. */
export async function startWebParty(
  service: TestService,
  place: { readonly organizationId: string; readonly projectId: string },
): Promise<WebParty> {
  const issuer = `http://localhost:${service.port}`;
  const found = await (await fetch(`${issuer}/saml/v2/metadata`)).text();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const origin = `http://127.0.0.1:${port}`;
  const landing = `http://landing.test:${port}/welcome`;
  const saml = new SAML({
    issuer: `${origin}/metadata`,
    callbackUrl: `${origin}/acs`,
    logoutCallbackUrl: `${origin}/slo`,
    entryPoint: `${issuer}/saml/v2/SSO`,
    logoutUrl: `${issuer}/saml/v2/SLO`,
    idpCert: Array.from(found.matchAll(/X509Certificate>([^<]+)</g), ([, certificate = ""]) => certificate),
    identifierFormat: persistent,
    signatureAlgorithm: "sha256",
    digestAlgorithm: "sha256",
    privateKey: keys.privatePem,
    publicCert: keys.certificatePem,
  });
  const profiles: Profile[] = [];
  const goodbyes: string[] = [];
  const send = (response: ServerResponse, location: string) => response.writeHead(303, { location }).end();
  const show = (response: ServerResponse, html: string) =>
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);

  const pages: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => unknown>> = {
    "/redirect": async (_request, response) =>
      send(response, await saml.getAuthorizeUrlAsync("here", undefined, {})),
    "/post": async (_request, response) =>
      show(response, await saml.getAuthorizeFormAsync("here", undefined, {})),
    "/frame": async (_request, response) =>
      show(
        response,
        `<iframe src="${(await saml.getAuthorizeUrlAsync("", undefined, {})).replaceAll("&", "&amp;")}"></iframe>`,
      ),
    "/acs": async (request, response) => {
      const { SAMLResponse = "" } = await readForm(request);
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse });
      if (profile !== null) profiles.push(profile);
      send(response, landing);
    },
    "/welcome": (_request, response) =>
      show(response, '<!doctype html><html lang="en"><title>Portal</title><h1>Portal</h1>'),
    "/logout": async (_request, response) => {
      const profile = profiles.at(-1);
      if (profile !== undefined) send(response, await saml.getLogoutUrlAsync(profile, "bye", {}));
    },
    "/slo": async (request, response) => {
      const { SAMLRequest, SAMLResponse = "", RelayState = "" } = await readForm(request);
      if (SAMLRequest === undefined) {
        await saml.validatePostResponseAsync({ SAMLResponse });
        const xml = Buffer.from(SAMLResponse, "base64").toString();
        goodbyes.push(
          [...xml.matchAll(/StatusCode Value="[^"]*:(\w+)"/g)].map(([, status]) => status).join("/"),
        );
        return send(response, landing);
      }
      const { profile } = await saml.validatePostRequestAsync({ SAMLRequest });
      goodbyes.push("request");
      return send(response, await saml.getLogoutResponseUrlAsync(profile, RelayState, {}, true));
    },
  };
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const page = pages[new URL(request.url ?? "/", origin).pathname];
    try {
      if (page === undefined)
        response.writeHead(204).end(); // browsers ask for an icon
      else await page(request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  const added = await createCaller(service, place.organizationId)(
    ApplicationService.method.createSamlApplication,
    {
      projectId: place.projectId,
      name: uniqueName("Portal"),
      metadataXml: Buffer.from(saml.generateServiceProviderMetadata(null, keys.certificatePem)),
    },
  );
  idOf(added, "appId");
  return {
    origin,
    landing,
    profiles,
    goodbyes,
    async stop() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function readForm(request: IncomingMessage): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(new URLSearchParams(await text(request)));
}
