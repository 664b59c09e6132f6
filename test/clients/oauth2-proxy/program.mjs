// oauth2-proxy, with the settings that our documentation has for it, before an application that says what the proxy tells it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const [issuer, clientId, clientSecret, port] = process.argv.slice(2);
const url = `http://localhost:${port}`;
const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();

const application = createServer((request, response) => {
  if (request.url === "/bye") return response.end("bye");
  const tell = async () => response.end(JSON.stringify(await report(request.headers)));
  return void (request.url === "/whose-token"
    ? response.end(request.headers["x-forwarded-access-token"])
    : tell());
}).listen(0, "localhost");
await once(application, "listening");

/** What the headers of the proxy say. */
async function report({ cookie, ...headers }) {
  const login = headers["x-forwarded-user"];
  const token = headers["x-forwarded-access-token"];
  const after = {
    id_token_hint: headers.authorization.slice("Bearer ".length),
    post_logout_redirect_uri: `${url}/bye`,
  };
  const endSession = `${metadata.end_session_endpoint}?${new URLSearchParams(after)}`;
  const signOut = `${url}/oauth2/sign_out?rd=${encodeURIComponent(endSession)}`;
  const left = await fetch(signOut, { headers: { cookie }, redirect: "manual" });
  return {
    login,
    userinfo: headers["x-forwarded-email"] === undefined ? "failed: no email" : login, // the ID token has none
    refresh: (await refreshed(cookie, token)) ? login : "failed: the same token after 10 s",
    logout: left.headers.get("location"),
  };
}

/** Whether the proxy gets a new access token, as it should after a second. */
async function refreshed(cookie, token) {
  for (let tries = 0; tries < 20; tries += 1) {
    await pause(500);
    const now = await (await fetch(`${url}/whose-token`, { headers: { cookie } })).text();
    if (now !== token) return now !== "";
  }
  return false;
}

const settings = {
  provider: "oidc",
  "oidc-issuer-url": issuer,
  "client-id": clientId,
  "client-secret": clientSecret,
  "redirect-url": `${url}/oauth2/callback`,
  scope: "openid profile email offline_access",
  "code-challenge-method": "S256",
  "email-domain": "*",
  "insecure-oidc-allow-unverified-email": "true",
  "skip-provider-button": "true",
  "http-address": `localhost:${port}`,
  upstream: `http://localhost:${application.address().port}/`,
  "skip-auth-route": "^/bye$",
  "pass-access-token": "true",
  "pass-authorization-header": "true",
  "cookie-secret": "a secret of 32 bytes for cookies",
  "cookie-secure": "false",
  "cookie-refresh": "1s",
  "whitelist-domain": new URL(issuer).host,
};
const proxy = spawn(
  "bin/oauth2-proxy",
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
);
process.on("SIGTERM", () => proxy.kill());
proxy.on("exit", () => process.exit());
for (const stream of [proxy.stdout, proxy.stderr]) stream.pipe(process.stderr);
while (!(await fetch(`${url}/bye`).catch(() => undefined))?.ok) await pause(50);
process.stdout.write("ready\n");
