import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { environmentNameOf, type OptionDefinition } from "../../src/config/option.ts";
import { optionDefinitions } from "../../src/config/options.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { parseLog, runGatehouse, untilReady } from "../support/process.ts";
import { nextPhone } from "../support/world.ts";
import { run, usePlaces } from "./support/place.ts";
import { callSecurely, fixture } from "./support/secure.ts";

const createPlace = usePlaces();
const definitions: readonly OptionDefinition[] = optionDefinitions;
const root = join(import.meta.dirname, "../..");
/** Options that need a server: those of `postgres/`. */
const ofDatabases = ["database", "master-key-file", "require-synchronous"];

describe("--help", () => {
  test("names every option with its environment variable and default", async () => {
    const { code, stdout, stderr } = await run(["serve", "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const help = stdout.replaceAll(/\s+/g, " ");
    for (const { name, value, description, ...definition } of definitions) {
      const flag = definition.kind === "flag" ? `--${name}` : `--${name} <${value}>`;
      const fallback = definition.default === "" ? "" : ` Default: ${definition.default}.`;
      const variable = environmentNameOf(name);
      expect(help).toContain(
        definition.isSecret === true
          ? `${variable} ${description}`
          : `${flag} ${description}${fallback} [${variable}]`,
      );
    }
    expect(help).toContain("from a file whose name is in the variable with _FILE appended");
  });

  test("names every command", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    for (const command of ["serve", "token", "rebuild", "version"])
      expect(stdout).toContain(`\n  ${command} `);
  });
});

describe("the version", () => {
  test("is that of the package, by flag and by command", async () => {
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    const printed = { code: 0, stdout: `${version}\n`, stderr: "" };
    expect(await run(["--version"])).toEqual(printed);
    expect(await run(["version"])).toEqual(printed);
  });
});

describe("wrong use ends with code 2 and a line that says why", () => {
  const cert = fixture("tls-cert.pem");
  const key = fixture("tls-key.pem");

  test.each([
    ["a misspelt flag", ["--lisen", "x"], "error: unknown option '--lisen'\n(Did you mean --listen?)"],
    ["a flag without its value", ["--listen"], "error: option '--listen <host:port>' argument missing"],
    [
      "an argument too many",
      ["8080"],
      "error: too many arguments for 'serve'. Expected 0 arguments but got 1: 8080.",
    ],
    ["a secret as a flag", ["--sms-webhook-secret", "x"], "error: unknown option '--sms-webhook-secret'"],
    [
      "a wrong value",
      ["--listen", "8080"],
      "gatehouse: --listen must be of the form host:port, for example 127.0.0.1:8080",
    ],
    ["a certificate alone", ["--tls-cert", cert], "gatehouse: --tls-cert and --tls-key go together"],
    [
      "a certificate that cannot be read",
      ["--tls-cert", "/no/such", "--tls-key", key],
      "gatehouse: --tls-cert: /no/such cannot be read (ENOENT)",
    ],
    [
      "a certificate that is none",
      ["--tls-cert", key, "--tls-key", key],
      "gatehouse: --tls-cert is not a certificate (PEM)",
    ],
    [
      "a key that is none",
      ["--tls-cert", cert, "--tls-key", cert],
      "gatehouse: --tls-key is not a private key without passphrase (PEM)",
    ],
    [
      "the key of another certificate",
      ["--tls-cert", cert, "--tls-key", fixture("other-tls-key.pem")],
      "gatehouse: --tls-key is not the key of --tls-cert",
    ],
  ])("%s", async (_what, args, message) => {
    expect(await run(["serve", ...args])).toEqual({ code: 2, stdout: "", stderr: `${message}\n` });
  });

  test("a misspelt command", async () => {
    const message = "error: unknown command 'server'\n(Did you mean serve?)\n";
    expect(await run(["server"])).toEqual({ code: 2, stdout: "", stderr: message });
  });

  test.each([
    ["GATEHOUSE_DEV", "yes", "GATEHOUSE_DEV must be true or false"],
    ["GATEHOUSE_DATA", "", "--data must not be empty"],
  ])("%s=%s", async (variable, value, message) => {
    const finished = await run(["serve"], { [variable]: value });
    expect(finished).toEqual({ code: 2, stdout: "", stderr: `gatehouse: ${message}\n` });
  });

  test("no command at all", async () => {
    const { code, stdout, stderr } = await run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Usage: gatehouse");
  });
});

describe("--dev", () => {
  test("is local mode on any listener", async () => {
    const place = createPlace();
    const serving = await place.serve(["--dev", "--listen", "0.0.0.0:0"]);
    const { port } = new URL(serving.url);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    const events = parseLog(serving.stderr()).map(({ msg }) => msg);
    expect(events).toEqual([
      "instance.created",
      "local.sms_outbox",
      "local.mail_outbox",
      "local.u2f_on_localhost",
      "local.metrics_open",
      "local.issuer",
      "setup.link_written",
      "local.setup_link",
    ]);
    await serving.kill();
  });
});

describe("every option works", () => {
  const breached = "a password that somebody has lost";
  const received: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] = [];
  const folder = makeTemporaryFolder();
  const children: ChildProcess[] = [];
  let webhook: Server;
  let values: Readonly<Record<string, string>>;

  beforeAll(async () => {
    webhook = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.end();
        webhook.emit("received");
      });
    }).listen(0, "127.0.0.1");
    await once(webhook, "listening");
    const { port } = webhook.address() as AddressInfo; // it listens on TCP
    writeFileSync(join(folder.path, "secret"), "canary-webhook-secret\n");
    writeFileSync(join(folder.path, "breached"), createHash("sha1").update(breached).digest("hex"));
    values = {
      listen: "127.0.0.2:0",
      dev: "true",
      issuer: "https://id.test",
      "access-token-seconds": "60",
      "tls-cert": fixture("tls-cert.pem"),
      "tls-key": fixture("tls-key.pem"),
      "cors-origins": "https://a.test,https://b.test",
      "rp-ids": "rp.test,id.test",
      "rp-origins": "https://login.rp.test",
      "rp-subdomains": "true",
      "breached-passwords": join(folder.path, "breached"),
      "allow-slow-hashes": "true",
      "sms-provider": "webhook",
      "sms-per-organization": "1",
      "sms-webhook-url": `http://127.0.0.1:${port}/sms`,
      "mail-provider": "smtp",
      "mail-per-organization": "1",
      "invitations-per-organization": "1",
      "mail-webhook-url": `http://127.0.0.1:${port}/mail`,
      "smtp-url": "smtp://127.0.0.1:1",
      "smtp-from": "Ada <no-reply@a.test>",
      "twilio-account-sid": "AC1",
      "twilio-from": "+41790000000",
      "fetch-allowed-hosts": "private.test",
      "trace-hosts": "traced.test",
      "ldap-plain-text-hosts": "directory.test",
      "ldap-sync-minutes": "60",
      "trusted-proxies": "10.0.0.1",
      workers: "1",
      "metrics-open": "true",
      "log-level": "debug",
      "max-connections": "50",
      "max-streams": "10",
      "max-waiting-streams": "20",
      "max-resets": "100",
      "max-calls": "50",
      "max-watches": "10",
      "max-watches-per-organization": "5",
      "watch-max-lag-ms": "5000",
      "max-header-bytes": "4096",
      "max-message-bytes": "1024",
      "max-buffered-bytes": "65536",
      "first-byte-timeout-ms": "5000",
      "header-timeout-ms": "5000",
      "body-timeout-ms": "5000",
      "write-timeout-ms": "5000",
      "idle-timeout-ms": "5000",
      "flood-pause-ms": "10",
      "stop-timeout-ms": "1000",
    };
  });

  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
    webhook.close();
    folder.remove();
  });

  /** Makes the calls whose answers show that the options count. */
  async function observe(place: ReturnType<typeof createPlace>, url: string) {
    const headers = { authorization: `Bearer ${place.adminToken()}`, "content-type": "application/json" };
    const call = async (method: string, path: string, body?: object, more: object = {}) =>
      await callSecurely(`${url}${path}`, method, { ...headers, ...more }, JSON.stringify(body));
    const human = { username: "u", givenName: "A", familyName: "B", email: "a@example.com" };
    const { userId } = (await call("POST", "/v1/users/human", human)).json as { userId: string };
    const phone = nextPhone();
    const arrived = once(webhook, "received");
    const sent = await call("POST", `/v1/users/${userId}/phone`, { phone, sendCode: {} });
    await arrived;
    const other = (await call("POST", "/v1/users/human", { ...human, username: "v" })).json as {
      userId: string;
    };
    const second = await call("POST", `/v1/users/${other.userId}/phone`, {
      phone: nextPhone(),
      sendCode: {},
    });
    const u2f = await call("POST", `/v1/users/${userId}/u2f`, {});
    const password = await call("POST", `/v1/users/${userId}/password`, { password: breached });
    const tooLong = await call("POST", "/v1/projects", { name: "x".repeat(2000) });
    const metrics = await call("GET", "/metrics", undefined, { "x-forwarded-for": "192.0.2.1" });
    const preflight = await call("OPTIONS", "/v1/projects", undefined, {
      origin: "https://b.test",
      "access-control-request-method": "POST",
    });
    const discovery = await call("GET", "/.well-known/openid-configuration");
    const message = received.at(-1);
    return {
      issuer: (discovery.json as { issuer?: string }).issuer,
      sent: sent.status,
      second: second.status,
      to: (JSON.parse(message?.body ?? "{}") as { to?: string }).to === phone,
      signature: typeof message?.headers["x-gatehouse-signature"],
      rp: /"rp":\{[^}]*"id":"([^"]*)"/.exec(JSON.stringify(u2f.json))?.[1],
      password: /"rule":"([^"]*)"/.exec(JSON.stringify(password.json))?.[1],
      tooLong: tooLong.status,
      metrics: metrics.status,
      cors: preflight.headers["access-control-allow-origin"],
    };
  }

  const expected = {
    issuer: "https://id.test",
    sent: 200,
    second: 429,
    to: true,
    signature: "string",
    rp: "rp.test",
    password: "breached",
    tooLong: 413,
    metrics: 200,
    cors: "https://b.test",
  };

  test("as a flag, in a list also when it is repeated", async () => {
    const place = createPlace();
    const options = definitions.filter(
      ({ name, isSecret }) => isSecret !== true && name !== "data" && !ofDatabases.includes(name),
    );
    const args = options.flatMap(({ name, kind }) => {
      const value = values[name] ?? `no value for --${name}`;
      if (kind === "flag") return [`--${name}`];
      return kind === "list" ? value.split(",").flatMap((each) => [`--${name}`, each]) : [`--${name}`, value];
    });
    const serving = await place.serve(args, { GATEHOUSE_SMS_WEBHOOK_SECRET: "canary-webhook-secret" });
    expect(serving.url).toMatch(/^https:\/\/127\.0\.0\.2:\d+$/);
    expect(await observe(place, serving.url)).toEqual(expected);
    await expectLog(serving);
  });

  test("as an environment variable", async () => {
    const place = createPlace();
    const environment = Object.fromEntries(
      Object.entries({ ...values, data: place.path }).map(([name, value]) => [
        environmentNameOf(name),
        value,
      ]),
    );
    const covered = new Set([
      ...Object.keys(values),
      ...ofDatabases,
      "data",
      "sms-webhook-secret",
      "twilio-auth-token",
      "mail-webhook-secret",
      "smtp-password",
    ]);
    expect(definitions.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
    const running = runGatehouse(["serve"], {
      ...environment,
      GATEHOUSE_SMS_WEBHOOK_SECRET_FILE: join(folder.path, "secret"),
      GATEHOUSE_TWILIO_AUTH_TOKEN: "canary-twilio-token",
    });
    children.push(running.child);
    const serving = await untilReady(running);
    expect(serving.url).toMatch(/^https:\/\/127\.0\.0\.2:\d+$/);
    expect(await observe(place, serving.url)).toEqual(expected);
    await expectLog(serving);
  });

  async function expectLog(serving: { stop(): Promise<number | null>; stderr(): string }) {
    expect(await serving.stop()).toBe(0);
    const log = parseLog(serving.stderr());
    expect(log.map(({ msg }) => msg)).toEqual(expect.arrayContaining(["call.done", "local.metrics_open"]));
    expect(serving.stderr()).not.toContain("canary");
  }
});
