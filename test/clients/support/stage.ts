import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { serveGatehouse } from "../../support/process.ts";
import { openDocumentHost } from "./documents.ts";
import type { Party } from "./parties.ts";

/** A service as `npm start` runs it, with somebody who can log in. */
export interface Stage {
  readonly issuer: string;
  readonly person: { readonly userId: string; readonly username: string; readonly password: string };
  /** JWTs for the first API, and for the second one. */
  readonly ownToken: string;
  readonly otherToken: string;
  /**
   * Makes an application as README does: with the defaults of everything that need not be said, and refresh tokens. One of FAPI 2.0 has
   * keys as its secret, and an API is named by its resource. A client of MCP is named by its document, and its secret are the credentials
   * of the servers.
   */
  createApplication(
    url: string,
    how: Pick<Party, "callback" | "takesJwts" | "table">,
  ): Promise<{ readonly clientId: string; readonly secret: string }>;
  stop(): Promise<void>;
}

/** The resources of two APIs, as the programs know them. */
const resources = ["urn:example:orders", "urn:example:prices"] as const;
const username = "ada";
const password = "an analytical engine";

/** Starts it. */
export async function startStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-clients-"));
  const documents = await openDocumentHost(folder);
  const data = join(folder, "data");
  const service = await serveGatehouse(["--data", data, ...documents.args], documents.environment);
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const call: Call = async (path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const method = /\/(?:secret|external_clients)$/.test(path) ? "PUT" : "POST";
    const answer = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>; // of what is read here
  };
  const { id: projectId = "" } = await call("/v1/projects", { name: "Clients" });
  const names = { givenName: "Ada", familyName: "Lovelace" };
  const user = await call("/v1/users/human", { username, ...names, email: "ada@example.com" });
  const { userId = "" } = user;
  await call(`/v1/users/${userId}/password`, { password });
  const addApi = (api: object) => call(`/v1/projects/${projectId}/apps/api`, api);
  for (const resource of resources) {
    const word = resource.split(":").at(-1);
    const scopes = [{ name: `${word}.read`, isDefault: true }, { name: `${word}.write` }];
    await addApi({ name: `API of ${word}`, resource, scopes });
  }
  const kinds = ["METADATA_DOCUMENT", "REGISTRATION"].map((kind) => `EXTERNAL_CLIENT_KIND_${kind}`);
  await call("/v1/instance/external_clients", { kinds, projectId });
  const issuer = `http://localhost:${new URL(service.url).port}`;
  const machine = await addMachine(call, issuer);
  return {
    issuer,
    person: { userId, username, password },
    ownToken: await machine.getToken(resources[0]),
    otherToken: await machine.getToken(resources[1]),
    async createApplication(url, { callback = "/callback", takesJwts = false, table }) {
      if (table === "apis") return { clientId: resources[0], secret: "-" };
      if (table === "mcp")
        return { clientId: documents.put(url + callback), secret: await addServers(addApi, url) };
      if (table === "registration") return { clientId: "-", secret: "-" };
      const isFapi = table === "fapi";
      const made = await call(`/v1/projects/${projectId}/apps/oidc`, {
        name: `Application at ${url}`,
        redirectUris: [url + callback],
        postLogoutRedirectUris: [`${url}/bye`],
        grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
        // Only a program on a device may have http with the profile.
        ...(isFapi ? fapi : { devMode: true }),
        ...(takesJwts || table === "resources" ? { accessTokenType: "OIDC_TOKEN_TYPE_JWT" } : {}),
      });
      const { clientId = "", clientSecret = "" } = made;
      if (!isFapi) return { clientId, secret: clientSecret };
      const keys = await addKeys((body) => call(`/v1/projects/${projectId}/apps/${clientId}/keys`, body));
      return { clientId, secret: JSON.stringify(keys) };
    },
    async stop() {
      documents.stop();
      await service.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const fapi = {
  securityProfile: "OIDC_SECURITY_PROFILE_FAPI_2",
  appType: "OIDC_APP_TYPE_NATIVE",
};

type Call = (path: string, body: object) => Promise<Readonly<Record<string, string>>>;

/** Adds the APIs that the MCP servers of a program are. Returns the credentials of each, by its resource. */
async function addServers(addApi: (api: object) => ReturnType<Call>, url: string): Promise<string> {
  const credentials: Record<string, string> = {};
  for (const resource of [`${url}/mcp`, `${url}/other`]) {
    const scopes = [{ name: "tools", description: "Use the tools", isDefault: true }, { name: "more" }];
    const server = { name: `MCP server at ${resource}`, resource, scopes, devMode: true };
    const { clientId = "", clientSecret = "" } = await addApi({ ...server, allowExternalClients: true });
    credentials[resource] = `${clientId}:${clientSecret}`;
  }
  return JSON.stringify(credentials);
}

/** Adds a key of each kind, and returns their private halves as JSON Web Keys. */
async function addKeys(add: (body: object) => ReturnType<Call>): Promise<Readonly<Record<string, object>>> {
  const pairs = {
    ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
    RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  };
  const keys: Record<string, object> = {};
  for (const [alg, { publicKey, privateKey }] of Object.entries(pairs)) {
    const pem = publicKey.export({ format: "pem", type: "spki" });
    const { id = "" } = await add({ type: "KEY_TYPE_JSON", publicKey: Buffer.from(pem).toString("base64") });
    keys[alg] = { ...privateKey.export({ format: "jwk" }), kid: id, alg };
  }
  return keys;
}

/** Adds a service user, which gets JWTs for APIs. */
async function addMachine(call: Call, issuer: string) {
  const { userId = "" } = await call("/v1/users/service", {
    username: "robot",
    name: "Robot",
    accessTokenType: "OIDC_TOKEN_TYPE_JWT",
  });
  const { clientSecret = "" } = await call(`/v1/users/${userId}/secret`, {});
  return {
    async getToken(resource: string): Promise<string> {
      const asked = {
        grant_type: "client_credentials",
        client_id: userId,
        client_secret: clientSecret,
        resource,
      };
      const answer = await fetch(`${issuer}/oauth/v2/token`, {
        method: "POST",
        body: new URLSearchParams(asked),
      });
      const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
      if (token === undefined) throw new Error(`no token for ${resource}: ${answer.status}`);
      return token;
    },
  };
}

/** Finds a port that is free. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "localhost");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("the server listens on a port");
  return address.port;
}
