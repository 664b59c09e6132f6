// oidc-agent, which keeps tokens for programs of the command line: `oidc-gen` begins a login, and is given the URL at which it ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const [issuer = "", clientId = "", clientSecret = "", port = ""] = process.argv.slice(2);
const url = `http://localhost:${port}`;
const scope = "openid profile email offline_access";
const home = mkdtempSync(join(tmpdir(), "oidc-agent-"));
const env = {
  ...process.env,
  HOME: home,
  OIDC_CONFIG_DIR: home,
  OIDC_SOCK: join(home, "agent.sock"),
  OIDC_ENCRYPTION_PW: "a password of the test",
};
const metadata = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<
  string,
  string
>;

/** Runs a program of oidc-agent. Returns what it wrote, and throws it when it fails. */
async function run(program: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk));
  const [code] = (await once(child, "close")) as [number | null]; // the arguments of "close"
  if (code !== 0) throw new Error(text);
  return text;
}

async function begin(): Promise<string> {
  const client = [
    `--client-id=${clientId}`,
    `--client-secret=${clientSecret}`,
    `--redirect-uri=${url}/callback`,
  ];
  const how = [
    "--flow=code",
    "--no-webserver",
    "--no-url-call",
    "--prompt=none",
    "--pw-env",
    "--confirm-default",
  ];
  const text = await run(
    "oidc-gen",
    "gatehouse",
    `--issuer=${issuer}`,
    `--scope=${scope}`,
    ...client,
    ...how,
  );
  const [location] = /^http\S+$/m.exec(text) ?? [];
  if (location === undefined) throw new Error(text);
  return location;
}

async function whose(token: string): Promise<string> {
  const answer = await fetch(metadata["userinfo_endpoint"] ?? "", {
    headers: { authorization: `Bearer ${token.trim()}` },
  });
  return ((await answer.json()) as { readonly sub: string }).sub;
}

async function attempt(step: () => Promise<string>): Promise<string> {
  return await step().catch(
    (error: unknown) => `failed: ${error instanceof Error ? error.message : String(error)}`,
  );
}

/** The agent keeps the ID token to itself, so that a program cannot log out. */
async function report(path: string): Promise<Record<string, string>> {
  const exchange = async () => {
    await run("oidc-gen", `--codeExchange=${url}${path}`, "--pw-env", "--prompt=none");
    return await whose(await run("oidc-token", "gatehouse"));
  };
  const login = await attempt(exchange);
  const again = async () => await whose(await run("oidc-token", "--force-new", "gatehouse"));
  return login.startsWith("failed") ? { login } : { login, refresh: await attempt(again) };
}

const agent = spawn("oidc-agent", ["--console", `--socket-path=${env.OIDC_SOCK}`], { env, stdio: "inherit" });
process.on("SIGTERM", () => agent.kill());
agent.on("exit", () => {
  rmSync(home, { recursive: true });
  process.exit();
});
while (!existsSync(env.OIDC_SOCK)) await pause(50);
createServer((request, response) => {
  const login = async () => response.writeHead(302, { location: await begin() }).end();
  const end = async (path: string) => response.end(JSON.stringify(await report(path)));
  const answer = request.url === "/login" ? login() : end(request.url ?? "");
  answer.catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(Number(port), "localhost", () => process.stdout.write("ready\n"));
