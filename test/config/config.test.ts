import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, parseConfig } from "../../src/config/config.ts";
import { issuerOf } from "../../src/config/origins.ts";
import { environmentNameOf } from "../../src/config/option.ts";
import { optionDefinitions } from "../../src/config/options.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { divide, refusalOf, smtp, mailWebhook, twilio, webhook } from "./samples.ts";

let folder: ReturnType<typeof makeTemporaryFolder>;
let certFile: string;
let keyFile: string;
let secretFile: string;

beforeAll(() => {
  folder = makeTemporaryFolder();
  certFile = join(folder.path, "cert.pem");
  keyFile = join(folder.path, "key.pem");
  secretFile = join(folder.path, "secret");
  writeFileSync(certFile, "the certificate");
  writeFileSync(keyFile, "the key");
  writeFileSync(secretFile, " from-file\n");
});

afterAll(() => folder.remove());

/** Returns the message of the ConfigError that these options lead to. */
const localhost = { id: "localhost", origins: "http-any-port" };
const idsOf = (flags: Readonly<Record<string, unknown>>) =>
  parseConfig(flags, {}).relyingParties.map(({ id }) => id);

describe("--listen", () => {
  test.each([
    ["[::1]:0", "::1", 0],
    ["[::]:443", "::", 443],
    ["[::ffff:10.0.0.1]:80", "::ffff:10.0.0.1", 80],
    ["localhost:8080", "localhost", 8080],
  ])("takes %s", (listen, host, port) => {
    expect(parseConfig({ listen }, {})).toMatchObject({ host, port });
  });

  test.each([
    "",
    "8080",
    ":8080",
    "localhost",
    "localhost:",
    "localhost:x",
    "localhost:65536",
    "localhost:-1",
  ])("refuses %j", (listen) => {
    expect(refusalOf({ listen })).toBe("--listen must be of the form host:port, for example 127.0.0.1:8080");
  });

  test.each([
    "::1:8080",
    "[::1]",
    "[::1:8080",
    "[example.com]:80",
    "a b:80",
    "http://a:80",
    "a:80:80",
    "a:808080",
  ])("refuses %j", (listen) => {
    expect(refusalOf({ listen })).toContain("--listen must be of the form host:port");
  });
});

describe("wrong values", () => {
  test.each([
    ["log-level", "verbose", "--log-level must be one of debug, info, warn, error, silent"],
    ["log-level", "INFO", "--log-level must be one of debug, info, warn, error, silent"],
    ["log-level", "", "--log-level must be one of debug, info, warn, error, silent"],
    ["sms-provider", "none", "--sms-provider must be one of outbox, webhook, twilio"],
    ["dev", "yes", "GATEHOUSE_DEV must be true or false"],
    ["rp-subdomains", "TRUE", "GATEHOUSE_RP_SUBDOMAINS must be true or false"],
    ["metrics-open", "2", "GATEHOUSE_METRICS_OPEN must be true or false"],
    ["max-message-bytes", "1023", "--max-message-bytes must be a whole number from 1024 to 67108864 (bytes)"],
    [
      "max-message-bytes",
      "67108865",
      "--max-message-bytes must be a whole number from 1024 to 67108864 (bytes)",
    ],
    ["stop-timeout-ms", "60001", "--stop-timeout-ms must be a whole number from 0 to 60000 (ms)"],
    ["stop-timeout-ms", "-1", "--stop-timeout-ms must be a whole number from 0 to 60000 (ms)"],
    ["stop-timeout-ms", "1.5", "--stop-timeout-ms must be a whole number from 0 to 60000 (ms)"],
    ["stop-timeout-ms", "1e3", "--stop-timeout-ms must be a whole number from 0 to 60000 (ms)"],
    ["stop-timeout-ms", " 5", "--stop-timeout-ms must be a whole number from 0 to 60000 (ms)"],
    ...[
      "proxy.test",
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "10.0.0/8",
      "10.0.0.0/8/8",
    ].map((value) => [
      "trusted-proxies",
      value,
      `--trusted-proxies: ${value} is not an address or a network such as 10.0.0.0/8 or fd00::/8`,
    ]),
    ...["https://a.test", "a.test:8443", "a b", "a.test/x", "*.a.test", "u@a.test", "[::1", "a.test?"].map(
      (value) => [
        "fetch-allowed-hosts",
        value,
        `--fetch-allowed-hosts: ${value} is not a host such as idp.internal or 10.0.0.1`,
      ],
    ),
    [
      "max-buffered-bytes",
      "8388607",
      "--max-buffered-bytes 8388607 must be at least --max-message-bytes 8388608",
    ],
  ])("of --%s: %j is refused", (name, value, message) => {
    expect(refusalOf({ [name]: value })).toBe(message);
    expect(refusalOf({}, { [environmentNameOf(name)]: value })).toBe(message);
  });

  test.each([
    "a.test",
    "https://a.test/",
    "https://a.test/path",
    "https://A.test",
    "ftp://a.test",
    "*",
    "null",
  ])("%j is no origin", (origin) => {
    for (const name of ["cors-origins", "rp-origins"]) {
      expect(refusalOf({ [name]: `https://ok.test,${origin}` })).toBe(
        `--${name}: ${origin} is not an origin such as https://console.example.com`,
      );
    }
  });

  test.each(["A.test", "https://a.test", "a..test", "-a.test", "a_b.test", "a.test.", "10.0.0.1", "::1"])(
    "%j is no relying party id",
    (id) => {
      expect(refusalOf({ "rp-ids": id })).toBe(`--rp-ids: ${id} is not a domain name in lower case`);
    },
  );

  test("a relying party id may have 63 characters between dots and 253 in all", () => {
    const label = "a".repeat(63);
    const longest = `${label}.${label}.${label}.${"a".repeat(61)}`;
    expect(idsOf({ "rp-ids": longest })).toEqual([longest]);
    expect(refusalOf({ "rp-ids": `${longest}a` })).toContain("is not a domain name");
    expect(refusalOf({ "rp-ids": `${label}a` })).toContain("is not a domain name");
  });
});

describe("--rp-origins", () => {
  const partiesOf = (ids: string, origins: string) =>
    parseConfig({ "rp-ids": ids, "rp-origins": origins }, {}).relyingParties;

  test("belong to every relying party id whose domain they are on", () => {
    expect(
      partiesOf("a.test,b.a.test,d.test", "https://c.a.test,https://c.b.a.test,https://b.a.test"),
    ).toEqual([
      { id: "a.test", origins: ["https://c.a.test", "https://c.b.a.test", "https://b.a.test"] },
      { id: "b.a.test", origins: ["https://c.b.a.test", "https://b.a.test"] },
      { id: "d.test", origins: ["https://d.test"] },
    ]);
  });

  test("replace any port of localhost where they name some", () => {
    expect(parseConfig({ "rp-origins": "http://localhost:3000" }, {}).relyingParties).toEqual([
      { id: "localhost", origins: ["http://localhost:3000"] },
    ]);
  });

  test.each(["https://evil-a.test", "https://a.test.evil.test", "https://test", "https://b.test"])(
    "refuse %s, which is on no relying party id",
    (origin) => {
      expect(refusalOf({ "rp-ids": "a.test", "rp-origins": origin })).toBe(
        `--rp-origins: ${origin} is not on any domain of --rp-ids`,
      );
      expect(refusalOf({ "rp-origins": origin })).toBe(
        `--rp-origins: ${origin} is not on any domain of --rp-ids`,
      );
    },
  );
});

describe("--tls-cert and --tls-key", () => {
  test("are read from their files, named by flags or variables", () => {
    const tls = { cert: "the certificate", key: "the key" };
    expect(parseConfig({ "tls-cert": certFile, "tls-key": keyFile }, {}).tls).toEqual(tls);
    expect(
      parseConfig({ "tls-key": keyFile }, { GATEHOUSE_TLS_CERT: certFile, GATEHOUSE_TLS_KEY: "other" }).tls,
    ).toEqual(tls);
    expect(parseConfig({}, {}).tls).toBeUndefined();
  });

  test("go together", () => {
    expect(refusalOf({ "tls-cert": certFile })).toBe("--tls-cert and --tls-key go together");
    expect(refusalOf({ "tls-key": keyFile })).toBe("--tls-cert and --tls-key go together");
  });

  test("say which file cannot be read and why", () => {
    const missing = join(folder.path, "missing.pem");
    expect(refusalOf({ "tls-cert": certFile, "tls-key": missing })).toBe(
      `--tls-key: ${missing} cannot be read (ENOENT)`,
    );
    expect(refusalOf({ "tls-cert": folder.path, "tls-key": keyFile })).toBe(
      `--tls-cert: ${folder.path} cannot be read (EISDIR)`,
    );
  });
});

describe("secrets", () => {
  const secretOf = (config: Config) => {
    if (config.sms.kind === "webhook") return config.sms.secret.reveal();
    if (config.sms.kind === "twilio") return config.sms.authToken.reveal();
    if (config.mail.kind === "webhook") return config.mail.secret.reveal();
    if (config.mail.kind === "smtp") return config.mail.credentials?.password.reveal();
    return undefined;
  };
  const cases = [
    ["GATEHOUSE_SMS_WEBHOOK_SECRET", webhook],
    ["GATEHOUSE_TWILIO_AUTH_TOKEN", twilio],
    ["GATEHOUSE_MAIL_WEBHOOK_SECRET", mailWebhook],
    ["GATEHOUSE_SMTP_PASSWORD", smtp],
  ] as const;
  const needed = cases.slice(0, 3);

  test("are marked in the table of options", () => {
    const marked = optionDefinitions.filter((option) => "isSecret" in option).map((option) => option.name);
    expect(marked.map(environmentNameOf)).toEqual(cases.map(([variable]) => variable));
  });

  test.each(cases)("%s comes from the variable, or trimmed from the file", (variable, flags) => {
    expect(secretOf(parseConfig(flags, { [variable]: "direct" }))).toBe("direct");
    expect(secretOf(parseConfig(flags, { [`${variable}_FILE`]: secretFile }))).toBe("from-file");
    expect(secretOf(parseConfig(flags, { [variable]: "direct", [`${variable}_FILE`]: secretFile }))).toBe(
      "direct",
    );
  });

  test.each(needed)("%s is needed, and named when it is missing", (variable, flags) => {
    const option = "sms-provider" in flags ? "sms-provider" : "mail-provider";
    const message = `--${option} ${(flags as Record<string, string>)[option]} needs ${variable}`;
    expect(refusalOf(flags, {})).toBe(message);
    expect(refusalOf(flags, { [variable]: "" })).toBe(message);
  });

  test.each(cases)("%s_FILE that cannot be read is named with its reason", (variable, flags) => {
    const missing = join(folder.path, "missing");
    expect(refusalOf(flags, { [`${variable}_FILE`]: missing })).toBe(
      `${variable}_FILE: ${missing} cannot be read (ENOENT)`,
    );
  });

  test("are not printed with the configuration", () => {
    expect(JSON.stringify(parseConfig(webhook, { GATEHOUSE_SMS_WEBHOOK_SECRET: "canary" }))).not.toContain(
      "canary",
    );
  });

  test("come from files only where they are secrets", () => {
    expect(parseConfig({}, { GATEHOUSE_DATA_FILE: secretFile }).dataFolder).toBe("./data");
  });
});

describe("--sms-provider", () => {
  test.each([
    [{ ...webhook, "sms-webhook-url": "" }, "--sms-provider webhook needs GATEHOUSE_SMS_WEBHOOK_URL"],
    [
      { ...webhook, "sms-webhook-url": "ftp://a.test" },
      "--sms-webhook-url must be an absolute http or https URL",
    ],
    [{ ...webhook, "sms-webhook-url": "a.test" }, "--sms-webhook-url must be an absolute http or https URL"],
    [{ ...webhook, "sms-webhook-url": "https://u:p@a.test" }, "--sms-webhook-url must not contain user info"],
    [{ ...webhook, "sms-webhook-url": "https://a.test/#x" }, "--sms-webhook-url must not contain a fragment"],
    [
      { ...webhook, "sms-provider": "" },
      "GATEHOUSE_SMS_WEBHOOK_URL has no effect without --sms-provider webhook",
    ],
    [{ "twilio-auth-token": "t" }, "GATEHOUSE_TWILIO_AUTH_TOKEN has no effect without --sms-provider twilio"],
    [{ ...twilio, "twilio-account-sid": "" }, "--sms-provider twilio needs GATEHOUSE_TWILIO_ACCOUNT_SID"],
    [{ ...twilio, "twilio-from": "" }, "--sms-provider twilio needs GATEHOUSE_TWILIO_FROM"],
  ])("refuses %j", (options, message) => {
    const { flags, environment } = divide(options);
    expect(refusalOf(flags, environment)).toBe(message);
  });
});

describe("local mode", () => {
  test.each(["127.0.0.1:1", "127.255.0.9:1", "localhost:1", "[::1]:1"])("is on for %s alone", (listen) => {
    expect(parseConfig({ listen }, {})).toMatchObject({
      isLocal: true,
      sms: { kind: "outbox" },
      mail: { kind: "outbox" },
      relyingParties: [localhost],
    });
  });

  test.each([
    "0.0.0.0:1",
    "[::]:1",
    "10.0.0.1:1",
    "example.com:1",
    "localhost.example.com:1",
    "127.0.0.1.example.com:1",
    "127.example.com:1",
  ])("is off for %s, which is no loopback listener", (listen) => {
    expect(parseConfig({ listen }, {})).toMatchObject({
      isLocal: false,
      sms: { kind: "none" },
      mail: { kind: "none" },
      relyingParties: [],
    });
  });

  test.each([
    ["a certificate", () => ({ "tls-cert": certFile, "tls-key": keyFile }), {}],
    ["a CORS origin", () => ({ "cors-origins": "https://a.test" }), {}],
    ["a relying party id", () => ({ "rp-ids": "a.test" }), {}],
    ["the outbox", () => ({ "sms-provider": "outbox" }), {}],
    ["a webhook", () => webhook, { GATEHOUSE_SMS_WEBHOOK_SECRET: "s" }],
    ["Twilio", () => twilio, { GATEHOUSE_TWILIO_AUTH_TOKEN: "t" }],
    ["the outbox of mails", () => ({ "mail-provider": "outbox" }), {}],
    ["SMTP", () => smtp, { GATEHOUSE_SMTP_PASSWORD: "p" }],
  ])("is off on loopback with %s configured, unless --dev says otherwise", (_what, flags, environment) => {
    expect(parseConfig(flags(), environment).isLocal).toBe(false);
    expect(parseConfig({ ...flags(), dev: true }, environment).isLocal).toBe(true);
  });

  test("is on for any listener with --dev, without opening the outbox that another provider replaces", () => {
    const flags = { ...webhook, listen: "0.0.0.0:1", dev: true };
    expect(parseConfig(flags, { GATEHOUSE_SMS_WEBHOOK_SECRET: "s" })).toMatchObject({
      isLocal: true,
      sms: { kind: "webhook" },
      relyingParties: [localhost],
    });
  });

  test("keeps configured relying party ids with --dev", () => {
    expect(idsOf({ dev: true, "rp-ids": "a.test" })).toEqual(["a.test"]);
  });
});

describe("--issuer", () => {
  test.each([
    ["https://id.example.com", {}],
    ["https://id.example.com:8443", { listen: "0.0.0.0:80" }],
    ["http://localhost:8080", {}],
    ["http://127.0.0.1:8080", {}],
    ["http://[::1]:8080", {}],
    ["http://localhost:8080", { listen: "0.0.0.0:80", dev: true }],
  ])("takes %s with %j", (issuer, flags) => {
    const config = parseConfig({ issuer, ...flags }, {});
    expect(issuerOf(config, 1)).toBe(issuer);
  });

  test.each([
    "id.example.com",
    "https://id.example.com/",
    "https://id.example.com/path",
    "https://a:b@c",
    "ftp://a",
  ])("refuses %s", (issuer) => {
    expect(refusalOf({ issuer })).toContain("is not an origin such as");
  });

  test("is plain http on loopback only", () => {
    expect(refusalOf({ issuer: "http://id.example.com" })).toBe(
      "--issuer must be an https origin; plain http is possible on loopback only",
    );
    expect(refusalOf({ issuer: "http://localhost", listen: "0.0.0.0:80" })).toBe(
      "--issuer can be plain http only with --dev or when --listen is a loopback address",
    );
  });

  test("ends local mode if it is not plain http on loopback", () => {
    expect(parseConfig({ issuer: "https://id.example.com" }, {}).isLocal).toBe(false);
    expect(parseConfig({ issuer: "https://id.example.com", dev: true }, {}).isLocal).toBe(true);
    expect(parseConfig({ issuer: "http://localhost:1" }, {}).isLocal).toBe(true);
  });

  test("is localhost in local mode, and none elsewhere", () => {
    expect(issuerOf(parseConfig({}, {}), 1234)).toBe("http://localhost:1234");
    expect(issuerOf(parseConfig({ listen: "0.0.0.0:80" }, {}), 80)).toBeUndefined();
    const secured = parseConfig({ dev: true, "tls-cert": certFile, "tls-key": keyFile }, {});
    expect(issuerOf(secured, 443)).toBe("https://localhost:443");
  });
});
