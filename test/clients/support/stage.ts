import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { serveGatehouse } from "../../support/process.ts";

/** A service as `npm start` runs it, with somebody who can log in. */
export interface Stage {
  readonly issuer: string;
  readonly person: { readonly userId: string; readonly username: string; readonly password: string };
  /** Makes an application as README does: with the defaults of everything that need not be said, and refresh tokens. */
  createApplication(
    url: string,
    how: { readonly callback?: string; readonly takesJwts?: boolean },
  ): Promise<{ readonly clientId: string; readonly secret: string }>;
  stop(): Promise<void>;
}

const username = "ada";
const password = "an analytical engine";

/** Starts it. */
export async function startStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-clients-"));
  const service = await serveGatehouse(["--data", folder]);
  const token = readFileSync(join(folder, "admin.token"), "utf8").trim();
  const call = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(service.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>; // of what is read here
  };
  const { id: projectId } = await call("/v1/projects", { name: "Clients" });
  const names = { givenName: "Ada", familyName: "Lovelace" };
  const user = await call("/v1/users/human", { username, ...names, email: "ada@example.com" });
  const { userId = "" } = user;
  await call(`/v1/users/${userId}/password`, { password });
  return {
    issuer: `http://localhost:${new URL(service.url).port}`,
    person: { userId, username, password },
    async createApplication(url, { callback = "/callback", takesJwts = false }) {
      const made = await call(`/v1/projects/${projectId}/apps/oidc`, {
        name: `Application at ${url}`,
        redirectUris: [url + callback],
        postLogoutRedirectUris: [`${url}/bye`],
        grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
        devMode: true,
        ...(takesJwts ? { accessTokenType: "OIDC_TOKEN_TYPE_JWT" } : {}),
      });
      return { clientId: made["clientId"] ?? "", secret: made["clientSecret"] ?? "" };
    },
    async stop() {
      await service.stop();
      rmSync(folder, { recursive: true });
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
