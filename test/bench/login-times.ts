/**
 * Measures how long the page takes to refuse a wrong password, by how the password is stored and by which name was typed, whether somebody
 * has it or not: medians of the same number of tries, which take turns: `node test/bench/login-times.ts [tries]`. They must not tell
 * one from the other (rules S7 and U2): the last line says how far the medians are apart.
 */
import { createHash, pbkdf2Sync, scryptSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLaneClient, type Lane, lanes, type LaneClient } from "../support/clients.ts";
import { createHttpClient } from "../support/http-client.ts";
import { runGatehouse, serveGatehouse } from "../support/process.ts";
import { answerOf, type CallableService } from "../support/service.ts";
import { createOidcApplication } from "../sites/oidc/support/login-place.ts";
import { openUserAgent, toAuthorizationUrl, type Visited } from "../sites/oidc/support/user-agent.ts";
import { createProject } from "../support/world.ts";

const tries = Number(process.argv[2] ?? 200);
/** Tries in a row after which a user is paused. */
const perUser = 4;
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-that-is-long-enough-for-everybody-0123456789";
const salt = Buffer.from("0123456789abcdef");
const base64 = (bytes: Buffer) => bytes.toString("base64").replace(/=+$/, "");

/** Of the password "right". */
const hashes: Readonly<Record<string, string>> = {
  bcrypt: "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
  pbkdf2: `$pbkdf2-sha256$i=100000$${base64(salt)}$${base64(pbkdf2Sync("right", salt, 100_000, 32, "sha256"))}`,
  scrypt: `$scrypt$ln=14,r=8,p=1$${base64(salt)}$${base64(scryptSync("right", salt, 32, { N: 2 ** 14, r: 8, p: 1 }))}`,
  "SHA-1, wrapped": `{SHA}${createHash("sha1").update("right").digest("base64")}`,
  "no password": "",
};

/** A kind of try: the name that is typed the nth time. */
interface Kind {
  readonly what: string;
  readonly nameOf: (index: number) => string;
}

const users = Math.ceil(tries / perUser);
const nth = (index: number) => Math.floor(index / perUser);
const phoneOf = (index: number) => `+4179${String(1_000_000 + index)}`;
const kinds: readonly Kind[] = [
  ...Object.keys(hashes).map((hash, kind) => ({
    what: `username, ${hash}`,
    nameOf: (index: number) => `user-${kind}-${nth(index)}`,
  })),
  { what: "email", nameOf: (index) => `mail-${nth(index)}@example.com` },
  { what: "phone", nameOf: (index) => phoneOf(nth(index)) },
  { what: "username of nobody", nameOf: (index) => `nobody-${index}` },
  { what: "email of nobody", nameOf: (index) => `nobody-${index}@example.com` },
  { what: "phone of nobody", nameOf: (index) => `+4178${1_000_000 + index}` },
  { what: "email of two users", nameOf: (index) => `two-${nth(index)}@example.com` },
];

function writeUsers(file: string): void {
  const header = "id,username,given_name,family_name,email,email_verified,phone,phone_verified,password_hash";
  let id = 0;
  const row = (username: string, email: string, phone: string, hash: string) =>
    [`old-${++id}`, username, "A", "B", email, "true", phone, "true", hash]
      .map((text) => `"${text}"`)
      .join(",");
  const { bcrypt = "" } = hashes;
  const rows: string[] = [];
  for (let user = 0; user < users; user += 1) {
    for (const [kind, hash] of Object.values(hashes).entries())
      rows.push(row(`user-${kind}-${user}`, "", "", hash));
    rows.push(row(`by-mail-${user}`, `mail-${user}@example.com`, "", bcrypt));
    rows.push(row(`by-phone-${user}`, "", phoneOf(user), bcrypt));
    for (const which of ["first", "second"])
      rows.push(row(`${which}-${user}`, `two-${user}@example.com`, "", bcrypt));
  }
  writeFileSync(file, [header, ...rows].join("\n"));
}

const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-login-"));
try {
  const [data, file] = [join(folder, "data"), join(folder, "users.csv")];
  writeUsers(file);
  await (await serveGatehouse(["--data", data, "--dev"], {})).stop();
  const words = ["import", "generic", file, "--data", data, "--organization", "Default", "--quiet"];
  const importing = runGatehouse([...words, "--apply", "--partial", "--allow-slow-hashes"]);
  if ((await importing.exited) !== 0) throw new Error(importing.stderr() + importing.stdout());
  const serving = await serveGatehouse(["--data", data, "--dev"], {});
  await measure(serving.url, readFileSync(join(data, "admin.token"), "utf8").trimEnd());
  await serving.stop();
} finally {
  rmSync(folder, { recursive: true });
}

async function measure(url: string, token: string): Promise<void> {
  const clients = Object.fromEntries(lanes.map((lane) => [lane, createLaneClient(lane, url)])) as Record<
    Lane,
    LaneClient
  >; // every lane is in it
  const service: CallableService = {
    adminToken: token,
    clients,
    call: async (method, request, as = token) =>
      answerOf(await clients.json.call(method, request, { token: as })),
  };
  const { OrganizationService } = await import("../../gen/gatehouse/v1/organization_service_pb.ts");
  const found = await service.call(OrganizationService.method.listOrganizations, {});
  const [{ id: organizationId = "" } = {}] = found["organizations"] as { readonly id?: string }[]; // the answer has them
  const place = { organizationId, projectId: await createProject(service, organizationId) };
  const { clientId } = await createOidcApplication(service, place, { redirectUris: [redirectUri] });
  const times = new Map(kinds.map(({ what }): [string, number[]] => [what, []]));
  for (let index = 0; index < tries; index += 1)
    for (const { what, nameOf } of kinds) times.get(what)?.push(await timeOf(url, clientId, nameOf(index)));
  for (const client of Object.values(clients)) client.close();
  const medians = [...times].map(
    ([what, all]) => [what, all.toSorted((a, b) => a - b)[tries >> 1] ?? 0] as const,
  );
  for (const [what, median] of medians) console.log(`${what.padEnd(24)} ${median.toFixed(1)} ms`);
  const values = medians.map(([, median]) => median);
  const apart = Math.max(...values) / Math.min(...values) - 1;
  console.log(`medians of ${tries}: ${(apart * 100).toFixed(1)} % apart`);
}

/** Returns how long the page takes that gets the wrong password. */
async function timeOf(url: string, clientId: string, username: string): Promise<number> {
  const origin = `http://localhost:${new URL(url).port}`;
  const http = createHttpClient(url);
  const agent = openUserAgent({ origin, send: (request) => http.send(request) });
  const start = toAuthorizationUrl(origin, [
    ["client_id", clientId],
    ["redirect_uri", redirectUri],
    ["response_type", "code"],
    ["scope", "openid"],
    ["code_challenge", createHash("sha256").update(verifier).digest("base64url")],
    ["code_challenge_method", "S256"],
  ]);
  let visited: Visited = await agent.open(start);
  while (visited.page !== undefined && !visited.page.text.includes('type="password"'))
    visited = await agent.submit(visited, { username, text: username });
  const begun = performance.now();
  const end = await agent.submit(visited, { password: "wrong" });
  const ms = performance.now() - begun;
  if (end.page === undefined || !end.page.text.includes('type="password"'))
    throw new Error(`${username} gets another page: ${end.page?.text}`);
  http.close();
  return ms;
}
