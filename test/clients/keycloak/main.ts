/**
 * Imports a realm that a real Keycloak has made and exported, with 1,000 people, and has people log in with the password and the
 * authenticator app that they had there, and clients authenticate with their old secret. By hand, because it installs Keycloak:
 * `npm run test:keycloak`, or `npm run test:keycloak -- <folder>` with an export of before. It needs Java and Maven.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timeCode, toTimeStep } from "../../../src/identity/factors/totp/time-code.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { runGatehouse, serveGatehouse } from "../../support/process.ts";
import { exportRealm } from "./keycloak.ts";
import { clientSecrets, hasTotp, passwordOf, redirectUri, totpText, usernameOf } from "./realm.ts";

const verifier = "a-verifier-that-is-long-enough-for-everybody-0123456789";
const exported = process.argv[2] ?? (await exportRealm());
const data = join(mkdtempSync(join(tmpdir(), "gatehouse-import-")), "data");
try {
  await (await serveGatehouse(["--data", data, "--dev"], {})).stop();
  const words = ["import", "keycloak", exported, "--data", data, "--organization", "Default"];
  const startedMs = performance.now();
  const importing = runGatehouse([...words, "--apply", "--keep-subjects", "--allow-slow-hashes"]);
  if ((await importing.exited) !== 0) throw new Error(importing.stderr());
  console.log(
    `${importing.stdout().trim().split("\n").at(-1)} in ${Math.round(performance.now() - startedMs)} ms`,
  );
  const clientId = (name: string) =>
    new RegExp(`(?:application|service user) "${name}", whose client id is (\\d+) now`).exec(
      importing.stdout(),
    )?.[1] ?? "";
  await judge(clientId);
} finally {
  rmSync(join(data, ".."), { recursive: true });
}

async function judge(clientId: (name: string) => string): Promise<void> {
  const service = await serveGatehouse(["--data", data, "--dev"], {});
  const origin = `http://localhost:${new URL(service.url).port}`;
  const http = createHttpClient(service.url);
  const oldIds = readOldIds();
  // Each kind of hash, with and without an app.
  for (const index of [0, 1, 598, 600, 601, 800, 802, 998]) {
    const agent = openUserAgent({ origin, send: (request) => http.send(request) });
    const client = { id: clientId("shop"), secret: clientSecrets.shop };
    const url = toAuthorizationUrl(
      origin,
      Object.entries({
        client_id: client.id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      }),
    );
    const code = hasTotp(index) ? timeCode(Buffer.from(totpText(index)), toTimeStep(Date.now())) : "";
    const typed = { username: usernameOf(index), password: passwordOf(index), code };
    const end = await logIn(agent, await agent.open(url), typed);
    const answer = await fetch(`${service.url}/oauth/v2/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: end.searchParams.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    });
    const { id_token: idToken = "" } = (await answer.json()) as { id_token?: string }; // what it answers
    const claims = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()) as {
      sub: string;
    };
    if (claims.sub !== oldIds.get(usernameOf(index)))
      throw new Error(`person ${index} has the sub ${claims.sub}`);
    console.log(`person ${index} logs in${hasTotp(index) ? " with an app" : ""}, and has the old sub`);
  }
  const headers = {
    authorization: `Basic ${Buffer.from(`${clientId("legacy")}:${clientSecrets.legacy}`).toString("base64")}`,
  };
  const body = new URLSearchParams({ token: "x" });
  const answer = await fetch(`${service.url}/oauth/v2/introspect`, { method: "POST", headers, body });
  if (answer.status !== 200) throw new Error(`the client with a short secret gets ${answer.status}`);
  console.log("the client with a short secret authenticates");
  const token = await fetch(`${service.url}/oauth/v2/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId("robot")}:${clientSecrets.robot}`).toString("base64")}`,
    },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "openid" }),
  });
  if (token.status !== 200) throw new Error(`the service account gets ${token.status}`);
  console.log("the service account gets a token with its old secret");
  http.close();
  await service.stop();
}

function readOldIds(): ReadonlyMap<string, string> {
  const files = readdirSync(exported).filter((name) => name.includes("-users-"));
  const users = files.flatMap((name) => {
    const text = readFileSync(join(exported, name), "utf8");
    return (JSON.parse(text) as { users: { id: string; username: string }[] }).users; // as Keycloak writes it
  });
  return new Map(users.map(({ id, username }) => [username, id]));
}
