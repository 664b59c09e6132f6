// kubelogin, which gets ID tokens for kubectl: it begins a login at a server of its own, where the browser comes back to.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

const [issuer, clientId, clientSecret, port] = process.argv.slice(2);
const own = `http://localhost:${Number(port) + 1}`;
const home = mkdtempSync(join(tmpdir(), "kubelogin-"));
let login;

/** Starts it. Its tokens are in `idToken`, which fails with what it wrote. */
function getToken(...more) {
  const child = spawn("bin/kubelogin", [
    "get-token",
    `--oidc-issuer-url=${issuer}`,
    `--oidc-client-id=${clientId}`,
    `--oidc-client-secret=${clientSecret}`,
    `--oidc-redirect-url=http://localhost:${port}/callback`,
    "--oidc-extra-scope=profile,groups,offline_access",
    `--listen-address=${new URL(own).host}`,
    `--token-cache-dir=${home}`,
    "--skip-open-browser",
    ...more,
  ]);
  const written = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  const idToken = written.then(([out, log, [code]]) => {
    if (code !== 0) throw new Error(log);
    return JSON.parse(out).status.token;
  });
  idToken.catch(() => undefined); // whoever waits for it is told
  return { child, idToken };
}

async function begin() {
  login?.child.kill();
  login = getToken();
  for (let tries = 0; tries < 200 && login.child.exitCode === null; tries += 1) {
    const answer = await fetch(own, { redirect: "manual" }).catch(() => undefined);
    if (answer?.status === 302) return answer.headers.get("location");
    await pause(50);
  }
  throw new Error(await login.idToken);
}

const subjectOf = (token) => JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()).sub;
const attempt = async (step) => step().catch((error) => `failed: ${error.message}`);

async function report(query) {
  await fetch(`${own}/${query}`);
  let first = "";
  const said = await attempt(async () => {
    first = await login.idToken;
    return subjectOf(first);
  });
  if (first === "") return { login: said };
  const again = async () => {
    const next = await getToken("--force-refresh").idToken;
    return next === first ? "failed: the same token" : subjectOf(next);
  };
  return { login: said, refresh: await attempt(again) };
}

process.on("SIGTERM", () => {
  login?.child.kill();
  rmSync(home, { recursive: true });
  process.exit();
});
createServer((request, response) => {
  const { pathname, search } = new URL(request.url, own);
  const start = async () => response.writeHead(302, { location: await begin() }).end();
  const end = async () => response.end(JSON.stringify(await report(search)));
  const answer = pathname === "/login" ? start() : end();
  answer.catch((error) => response.writeHead(500).end(String(error)));
}).listen(Number(port), "localhost", () => process.stdout.write("ready\n"));
