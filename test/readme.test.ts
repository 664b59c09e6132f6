import { describe, expect, test } from "@jest/globals";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { toOptionsTable } from "../src/config/options-table.ts";
import { startForeignProvider } from "./federation/support/foreign-provider.ts";
import {
  endLogin,
  logIn,
  openUserAgent,
  toAuthorizationUrl,
  type UserAgent,
  type Visited,
} from "./oidc/support/user-agent.ts";
import { findFreeOrigin } from "./support/free-origin.ts";
import { createHttpClient } from "./support/http-client.ts";
import { serveGatehouse } from "./support/process.ts";
import { makeTemporaryFolder } from "./support/temporary.ts";

const root = join(import.meta.dirname, "..");
const readme = readFileSync(join(root, "README.md"), "utf8");
const optionsPage = readFileSync(join(root, "src/config/README.md"), "utf8");

/** The calls that the README shows, each with what it says that they print. */
const examples = [...readme.matchAll(/```sh\n(?<code>[^]*?)```\n(?:\n```text\n(?<printed>[^]*?)```)?/g)].map(
  ({ groups }) => ({ code: groups?.["code"] ?? "", printed: groups?.["printed"] }),
);

const between = "---- next example ----";

function splitAnswers(output: string): readonly object[] {
  const texts = output
    .replaceAll("}{", "}\n{")
    .trim()
    .split(/\n(?=\{)/);
  return texts.map((text) => JSON.parse(text) as object);
}

function adminTokenIn(folder: string): string {
  return readFileSync(join(folder, "data/admin.token"), "utf8").trim();
}

/** Makes the project of the examples as the README does, and returns its id: who logs in to its applications depends on its settings. */
function addProject(folder: string, url: string, token: string): string {
  const making = examples.find(({ code }) => code.includes("tee /tmp/project.json"))?.code ?? "";
  const script = `set -e\n${making}\necho; echo $PROJECT`
    .replaceAll("http://127.0.0.1:8080", url)
    .replaceAll("/tmp/project.json", join(folder, "project.json"));
  const env = { ...process.env, TOKEN: token };
  const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", env });
  return stdout.trim().split("\n").at(-1) ?? "";
}

/** Opens a page as soon as somebody serves it. */
async function openWhenServed(agent: UserAgent, url: string): Promise<Visited> {
  for (;;) {
    const visited = await agent.open(url).catch(() => undefined);
    if (visited !== undefined) return visited;
    await pause(50);
  }
}

async function projectNames(url: string, token: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${token}` };
  const { projects } = (await (await fetch(`${url}/v1/projects`, { headers })).json()) as {
    projects: readonly { readonly name: string }[];
  };
  return projects.map(({ name }) => name);
}

/** A pattern of the whole text, in which … is what differs from run to run: some characters of one line. */
function toPattern(text: string): RegExp {
  const plain = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(`^${plain.replaceAll("…", ".+")}$`, "u");
}

test("src/config/README.md lists every option as the program has it", () => {
  const shown = /<!-- options:[^>]*-->\n(?<table>[^]*?)<!-- \/options -->/.exec(optionsPage);
  expect(shown?.groups?.["table"]?.trim()).toBe(toOptionsTable());
});

describe("the README", () => {
  test("shows calls that work as they stand, on all three content types, and what they print", async () => {
    const folder = makeTemporaryFolder();
    mkdirSync(join(folder.path, "data"));
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    try {
      expect(examples.length).toBeGreaterThanOrEqual(9);
      const script = ["set -e", ...examples.map(({ code }) => code)]
        .join(`\necho; echo ${between}\n`)
        .replaceAll("http://127.0.0.1:8080", service.url)
        .replaceAll("data/admin.token", join(folder.path, "data/admin.token"))
        .replaceAll("/tmp/project.json", join(folder.path, "project.json"));
      const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" });
      expect({ status, stderr }).toMatchObject({ status: 0 });
      const outputs = stdout.split(`${between}\n`).slice(1);
      expect(outputs.slice(0, 5).map((output) => splitAnswers(output).map(Object.keys))).toEqual([
        [["user"]],
        [["id", "details"], ["details"]],
        [["details"]],
        [["project"]],
        [["code", "message", "details"]],
      ]);
      expect(outputs[4]).toContain("nmae");
      expect(outputs[5]).toMatch(/^\d+ [\w-]{43}\n/); // the client id and the secret
      expect(outputs[6]).toMatch(/^\{"details":/);
      expect(splitAnswers(outputs[8] ?? "").map(Object.keys)).toEqual([
        [
          "device_code",
          "user_code",
          "verification_uri",
          "verification_uri_complete",
          "expires_in",
          "interval",
        ],
      ]);
      expect(splitAnswers(outputs[9] ?? "")).toMatchObject([{ error: "authorization_pending" }]);
      expect(outputs.filter((output) => output.includes('"name":"Robot"'))).toHaveLength(1); // who signed in calls
      expect(outputs.filter((output) => output.includes('"issued_token_type"'))).toHaveLength(1); // and somebody calls for them
      const shown = examples.flatMap(({ printed }, index) =>
        printed === undefined
          ? []
          : [[outputs[index]?.replaceAll(/ +$/gm, "").trim(), printed.trim()] as const],
      );
      expect(shown).toHaveLength(7);
      for (const [output, text] of shown) expect(output).toMatch(toPattern(text));
      expect(splitAnswers(outputs.at(-1) ?? "").map(Object.keys)).toEqual([["details", "removed"]]);
      // Done once, done by the first, done in the batch, and not done at all.
      expect(await projectNames(service.url, adminTokenIn(folder.path))).toEqual(["Blog", "Shop", "Market"]);
    } finally {
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows a whole application, which greets whoever logs in", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    const issuer = `http://localhost:${new URL(service.url).port}`;
    const origin = await findFreeOrigin();
    const [, program = ""] = /```js\n([^]*?\.listen\(3000\);\n)```/.exec(readme) ?? [];
    const lines = program.split("\n").filter((line) => line !== "");
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(130);
    const [making = ""] = examples.flatMap(({ code }) => (code.includes("/apps/oidc") ? [code] : []));
    const [inviting = ""] = examples.flatMap(({ code }) => (code.includes("/password ") ? [code] : []));
    const token = adminTokenIn(folder.path);
    const projectId = addProject(folder.path, service.url, token);
    const script = ["set -e", inviting, making]
      .join("\n")
      .replaceAll("http://127.0.0.1:8080", service.url)
      .replaceAll("http://localhost:3000", origin);
    const environment = { ...process.env, TOKEN: token, PROJECT: projectId };
    const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", env: environment });
    const [, clientId = "", secret = ""] = /(\d+) (\S+)\n$/.exec(stdout) ?? [];
    const greeter = spawn(process.execPath, ["--input-type=module", "-", issuer, clientId, secret], {
      cwd: root, // where openid-client is
      stdio: ["pipe", "inherit", "inherit"],
    });
    greeter.stdin.end(
      program.replaceAll("http://localhost:3000", origin).replace("3000", new URL(origin).port),
    );
    const http = createHttpClient(service.url);
    const site = createHttpClient(origin);
    try {
      const atSite = openUserAgent({ origin, send: (request) => site.send(request) });
      const atIssuer = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
      const { url: asked } = await openWhenServed(atSite, origin);
      const ada = { username: "ada", password: "an analytical engine" };
      const back = await logIn(atIssuer, await atIssuer.open(asked.href), ada);
      const { page } = await atSite.open(back.href);
      expect(page).toMatchObject({ status: 200, text: "Hello Ada Lovelace\n" });
      expect(page?.headers.get("content-type")).toBe("text/plain; charset=utf-8"); // a name is no HTML
      for (const path of ["/callback", "/callback?error=access_denied"])
        expect((await atSite.open(`${origin}${path}`)).page?.status).toBe(400); // and it goes on
      // Somebody asks for a code without a secret of a browser, and brings it to another browser.
      const bare = toAuthorizationUrl(issuer, [
        ["client_id", clientId],
        ["response_type", "code"],
        ["scope", "openid profile"],
        ["redirect_uri", `${origin}/callback`],
      ]);
      const lure = await logIn(atIssuer, await atIssuer.open(bare), ada);
      expect(lure.searchParams.get("code")).not.toBeNull();
      const elsewhere = openUserAgent({ origin, send: (request) => site.send(request) });
      expect((await elsewhere.open(lure.href)).page?.status).toBe(400);
    } finally {
      http.close();
      site.close();
      greeter.kill();
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows a service provider of SAML, which greets whoever logs in", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data"), "--dev"]);
    const issuer = `http://localhost:${new URL(service.url).port}`;
    const origin = await findFreeOrigin();
    const [, program = ""] = /```js saml\n([^]*?)```/.exec(readme) ?? [];
    const commands = [...readme.matchAll(/```sh saml\n([^]*?)```/g)].map(([, code = ""]) => code);
    const [inviting = ""] = examples.flatMap(({ code }) => (code.includes("/password ") ? [code] : []));
    const token = adminTokenIn(folder.path);
    const environment = {
      ...process.env,
      TOKEN: token,
      PROJECT: addProject(folder.path, service.url, token),
    };
    const portal = spawn(process.execPath, ["--input-type=module", "-", issuer], {
      cwd: root, // where node-saml is
      stdio: ["pipe", "inherit", "inherit"],
    });
    const here = (text: string) =>
      text.replaceAll("http://localhost:3001", origin).replaceAll("http://127.0.0.1:8080", service.url);
    portal.stdin.end(here(program).replace("listen(3001)", `listen(${new URL(origin).port})`));
    const [http, site] = [createHttpClient(service.url), createHttpClient(origin)];
    try {
      const atSite = openUserAgent({ origin, send: (request) => site.send(request) });
      const atIssuer = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
      const { url: asked } = await openWhenServed(atSite, origin);
      const script = ["set -e", inviting, ...commands].map(here).join("\necho\n");
      const { status, stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", env: environment });
      expect([status, stdout]).toEqual([0, expect.stringMatching(/\n\d+\n\n\{"details":.*\}\n\{/)]);
      const ada = { username: "ada", password: "an analytical engine" };
      const answer = await endLogin(atIssuer, await atIssuer.open(asked.href), ada);
      const { page } = await atSite.post(answer.url.href, answer.posted ?? []);
      expect(page).toMatchObject({ status: 200, text: "Hello Ada Lovelace\n" });
      expect((await atSite.post(answer.url.href, answer.posted ?? [])).page?.status).toBe(400); // and it goes on
    } finally {
      http.close();
      site.close();
      portal.kill();
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows how a television logs in, and what it gets once somebody has allowed it", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    const issuer = `http://localhost:${new URL(service.url).port}`;
    const token = adminTokenIn(folder.path);
    const environment = {
      ...process.env,
      TOKEN: token,
      PROJECT: addProject(folder.path, service.url, token),
    };
    const run = (codes: readonly string[], more: Readonly<Record<string, string>> = {}) => {
      const script = ["set -e", ...codes].join("\n").replaceAll("http://127.0.0.1:8080", service.url);
      const env = { ...environment, ...more };
      return spawnSync("bash", ["-c", script], { encoding: "utf8", env }).stdout;
    };
    const including = (text: string) =>
      examples.flatMap(({ code }) => (code.includes(text) ? [code] : [])).slice(0, 1);
    const http = createHttpClient(service.url);
    try {
      run(including("/password "));
      const asked = run([...including("/device_authorization"), "echo $TV"]);
      const [, json = "", client = ""] = /^(\{.*\})\n(\d+)\n$/.exec(asked) ?? [];
      const { verification_uri_complete: link = "" } = JSON.parse(json) as Readonly<Record<string, string>>;
      const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
      const login = await agent.submit(await agent.open(link), {});
      const ada = { username: "ada", password: "an analytical engine" };
      const end = await agent.submit(await agent.submit(login, ada), { choice: "allow" });
      expect(end.url.pathname).toBe("/device/allowed");
      const given = run(including("device_code=$DEVICE"), { ASKED: json, TV: client });
      expect(JSON.parse(given)).toMatchObject({ scope: "openid profile offline_access" });
    } finally {
      http.close();
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows how people log in with their company's provider", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data"), "--dev"]);
    const issuer = `http://localhost:${new URL(service.url).port}`;
    const provider = await startForeignProvider(issuer);
    const token = adminTokenIn(folder.path);
    const environment = {
      ...process.env,
      TOKEN: token,
      PROJECT: addProject(folder.path, service.url, token),
    };
    const http = createHttpClient(service.url);
    try {
      const needed = ["/apps/oidc", "/v1/idps "].flatMap((text) =>
        examples.flatMap(({ code }) => (code.includes(text) ? [code] : [])).slice(0, 1),
      );
      const script = ["set -e", ...needed, "echo $CLIENT $IDP"]
        .join("\n")
        .replaceAll("http://127.0.0.1:8080", service.url)
        .replaceAll("https://login.lampworks.example", provider.issuer)
        .replaceAll("the secret that you got there", provider.clientSecret);
      const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", env: environment });
      const [, clientId = "", idpId = ""] = /(\d+) (\d+)\n$/.exec(stdout) ?? [];
      const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
      const request = new URLSearchParams({
        client_id: clientId,
        redirect_uri: "http://localhost:3000/callback",
        response_type: "code",
        scope: "openid",
      });
      const page = await agent.open(`${issuer}/oauth/v2/authorize?${request.toString()}`);
      expect(page.page?.text).toContain(">Lamp Works</button>");
      const left = await agent.submit(page, { provider: idpId });
      const { url: back } = await provider.browser().open(left.url.href);
      const { url: ended } = await agent.open(back.href);
      expect(ended.href).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
    } finally {
      http.close();
      await provider.stop();
      await service.stop();
      folder.remove();
    }
  }, 60_000);

  test("shows a watch that begins with the first event and goes on", async () => {
    const folder = makeTemporaryFolder();
    const service = await serveGatehouse(["--data", join(folder.path, "data")]);
    const [, code = ""] = /```sh watch\n([^]*?)```/.exec(readme) ?? [];
    const token = adminTokenIn(folder.path);
    const script = code.replaceAll("http://127.0.0.1:8080", service.url);
    const watch = spawn("bash", ["-c", script], {
      cwd: root,
      detached: true, // npx starts processes of its own, which are to end with it
      env: { ...process.env, TOKEN: token },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const project = { name: "Watched" };
      await fetch(`${service.url}/v1/projects`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(project),
      });
      let seen = "";
      for await (const chunk of watch.stdout) {
        seen += String(chunk);
        if (seen.includes('"Watched"')) break;
      }
      expect(seen.indexOf('"organization.added"')).toBeGreaterThan(0);
      expect(seen.indexOf('"project.added"')).toBeGreaterThan(seen.indexOf('"organization.added"'));
    } finally {
      process.kill(-(watch.pid ?? 0), "SIGKILL");
      await service.stop();
      folder.remove();
    }
  }, 60_000);
});
