import { ConfigError } from "../../src/config/config-error.ts";
import { type Config, parseConfig } from "../../src/config/config.ts";
import type { OptionName } from "../../src/config/options.ts";

/** How each option shows in the config: two values of it, what must be given with it, and where it is read. */
export interface Sample {
  readonly values: readonly [string, string];
  readonly needs?: Readonly<Record<string, string>>;
  readonly read: (config: Config) => unknown;
  /** What `read` returns for the values, and for the default. */
  readonly shown: readonly [unknown, unknown, unknown];
}

/** A complete configuration of the webhook. */
export const webhook = {
  "sms-provider": "webhook",
  "sms-webhook-url": "https://a.test/",
  GATEHOUSE_SMS_WEBHOOK_SECRET: "s",
};
/** A complete configuration of Twilio. */
export const twilio = {
  "sms-provider": "twilio",
  "twilio-account-sid": "AC1",
  "twilio-from": "+41790000000",
  GATEHOUSE_TWILIO_AUTH_TOKEN: "t",
};
const database = "postgres://gatehouse@db.example.com/gatehouse";
/** A complete configuration of the webhook of mails. */
export const mailWebhook = {
  "mail-provider": "webhook",
  "mail-webhook-url": "https://a.test/",
  GATEHOUSE_MAIL_WEBHOOK_SECRET: "s",
};
/** A complete configuration of SMTP. */
export const smtp = {
  "mail-provider": "smtp",
  "smtp-url": "smtp://ada@mail.test",
  "smtp-from": "no-reply@a.test",
  GATEHOUSE_SMTP_PASSWORD: "p",
};
const mailField = (field: string) => (config: Config) =>
  (config.mail as unknown as Readonly<Record<string, unknown>>)[field];
const smsField = (field: string) => (config: Config) =>
  (config.sms as unknown as Readonly<Record<string, unknown>>)[field];

/** A sample of every option; those of secrets and of files have tests of their own. */
export const samples = {
  listen: {
    values: ["0.0.0.0:1", "example.com:65535"],
    read: (config) => [config.host, config.port],
    shown: [
      ["0.0.0.0", 1],
      ["example.com", 65_535],
      ["127.0.0.1", 8080],
    ],
  },
  data: { values: ["/a", "b"], read: (config) => config.dataFolder, shown: ["/a", "b", "./data"] },
  "master-key-file": {
    values: ["/a", "b"],
    needs: { database },
    read: (config) => config.database?.masterKeyFile,
    shown: ["/a", "b", undefined],
  },
  "require-synchronous": {
    values: ["yes", "no"],
    needs: { database, "master-key-file": "/keys" },
    read: (config) => config.database?.requireSynchronous,
    shown: ["yes", "no", undefined],
  },
  dev: { values: ["true", "false"], read: (config) => config.dev, shown: [true, false, false] },
  issuer: {
    values: ["https://id.example.com", "http://localhost:1"],
    read: (config) => config.issuer,
    shown: ["https://id.example.com", "http://localhost:1", undefined],
  },
  "allow-slow-hashes": {
    values: ["true", "false"],
    read: (config) => config.allowSlowHashes,
    shown: [true, false, false],
  },
  "breached-passwords": {
    values: ["/a", "b"],
    read: (config) => config.breachedPasswords,
    shown: ["/a", "b", undefined],
  },
  "access-token-seconds": {
    values: ["60", "43200"],
    read: (config) => config.limits.accessTokenSeconds,
    shown: [60, 43_200, 3600],
  },
  "cors-origins": {
    values: ["https://a.test", " https://a.test , http://b.test:8080,,"],
    read: (config) => config.corsOrigins,
    shown: [["https://a.test"], ["https://a.test", "http://b.test:8080"], []],
  },
  "rp-ids": {
    values: ["a.test", "a.test,b.test"],
    needs: { listen: "0.0.0.0:1" },
    read: (config) => config.relyingParties.map(({ id }) => id),
    shown: [["a.test"], ["a.test", "b.test"], []],
  },
  "rp-origins": {
    values: ["https://login.a.test", "https://a.test:8443,https://login.a.test,https://b.test:1"],
    needs: { "rp-ids": "a.test,b.test" },
    read: (config) => config.relyingParties.map(({ origins }) => origins),
    shown: [
      [["https://login.a.test"], ["https://b.test"]],
      [["https://a.test:8443", "https://login.a.test"], ["https://b.test:1"]],
      [["https://a.test"], ["https://b.test"]],
    ],
  },
  "rp-subdomains": {
    values: ["1", "0"],
    read: (config) => config.relyingPartySubdomains,
    shown: [true, false, false],
  },
  "sms-provider": {
    values: ["outbox", ""],
    needs: { listen: "0.0.0.0:1" },
    read: smsField("kind"),
    shown: ["outbox", "none", "none"],
  },
  "sms-webhook-url": {
    values: ["https://a.test/sms", "http://b.test"],
    needs: webhook,
    read: smsField("url"),
    shown: ["https://a.test/sms", "http://b.test/", undefined],
  },
  "twilio-account-sid": {
    values: ["AC2", "AC3"],
    needs: twilio,
    read: smsField("accountSid"),
    shown: ["AC2", "AC3", undefined],
  },
  "twilio-from": {
    values: ["MG2", "+41791111111"],
    needs: twilio,
    read: smsField("from"),
    shown: ["MG2", "+41791111111", undefined],
  },
  "mail-provider": {
    values: ["outbox", ""],
    needs: { listen: "0.0.0.0:1" },
    read: mailField("kind"),
    shown: ["outbox", "none", "none"],
  },
  "mail-webhook-url": {
    values: ["https://a.test/mail", "http://b.test"],
    needs: mailWebhook,
    read: mailField("url"),
    shown: ["https://a.test/mail", "http://b.test/", undefined],
  },
  "smtp-url": {
    values: ["smtp://ada@a.test:25", "smtps://ada@[fd00::1]/"],
    needs: smtp,
    read: (config) => [mailField("host")(config), mailField("port")(config), mailField("security")(config)],
    shown: [
      ["a.test", 25, "starttls"],
      ["fd00::1", 465, "tls"],
      [undefined, undefined, undefined],
    ],
  },
  "smtp-from": {
    values: ["a@a.test", "Ada & Co. <b@b.test>"],
    needs: smtp,
    read: mailField("from"),
    shown: [{ name: "", address: "a@a.test" }, { name: "Ada & Co.", address: "b@b.test" }, undefined],
  },
  "fetch-allowed-hosts": {
    values: ["a.test", "a.test,10.0.0.1,fd00::1,[fd00::2]"],
    read: (config) => config.fetchAllowedHosts,
    shown: [["a.test"], ["a.test", "10.0.0.1", "fd00::1", "[fd00::2]"], []],
  },
  "ldap-plain-text-hosts": {
    values: ["a.test", "a.test,10.0.0.1"],
    read: (config) => config.ldapPlainTextHosts,
    shown: [["a.test"], ["a.test", "10.0.0.1"], []],
  },
  "ldap-sync-minutes": {
    values: ["0", "10080"],
    read: (config) => config.limits.ldapSyncMinutes,
    shown: [0, 10_080, 0],
  },
  "trace-hosts": {
    values: ["a.test", "A.test,10.0.0.1"],
    read: (config) => config.traceHosts,
    shown: [["a.test"], ["a.test", "10.0.0.1"], []],
  },
  "trusted-proxies": {
    values: ["10.0.0.1", "10.0.0.0/8,fd00::/8,::1"],
    read: (config) => config.trustedProxies,
    shown: [["10.0.0.1"], ["10.0.0.0/8", "fd00::/8", "::1"], []],
  },
  "metrics-open": {
    values: ["true", "0"],
    read: (config) => config.metricsOpen,
    shown: [true, false, false],
  },
  workers: {
    values: ["2", "64"],
    shown: [2, 64, 1],
    read: (config) => config.workers,
  },
  "log-level": {
    values: ["debug", "silent"],
    read: (config) => config.logLevel,
    shown: ["debug", "silent", "info"],
  },
  "max-connections": {
    values: ["1", "1000000"],
    read: (config) => config.limits.maxConnections,
    shown: [1, 1_000_000, 10_000],
  },
  "max-streams": {
    values: ["1", "10000"],
    read: (config) => config.limits.maxStreams,
    shown: [1, 10_000, 128],
  },
  "max-waiting-streams": {
    values: ["1", "10000"],
    read: (config) => config.limits.maxWaitingStreams,
    shown: [1, 10_000, 896],
  },
  "max-resets": {
    values: ["1", "1000000"],
    read: (config) => config.limits.maxResets,
    shown: [1, 1_000_000, 600],
  },
  "max-calls": {
    values: ["1", "1000000"],
    read: (config) => config.limits.maxCalls,
    shown: [1, 1_000_000, 4096],
  },
  "max-header-bytes": {
    values: ["1024", "1048576"],
    read: (config) => config.limits.maxHeaderBytes,
    shown: [1024, 1_048_576, 16_384],
  },
  "mail-per-organization": {
    values: ["1", "10000000"],
    read: (config) => config.limits.mailPerOrganization,
    shown: [1, 10_000_000, 10_000],
  },
  "invitations-per-organization": {
    values: ["1", "10000000"],
    read: (config) => config.limits.invitationsPerOrganization,
    shown: [1, 10_000_000, 200],
  },
  "sms-per-organization": {
    values: ["1", "10000000"],
    read: (config) => config.limits.smsPerOrganization,
    shown: [1, 10_000_000, 1000],
  },
  "max-message-bytes": {
    values: ["1024", "67108864"],
    read: (config) => config.limits.maxMessageBytes,
    shown: [1024, 67_108_864, 8_388_608],
  },
  "max-buffered-bytes": {
    values: ["65536", "1099511627776"],
    needs: { "max-message-bytes": "1024" },
    read: (config) => config.limits.maxBufferedBytes,
    shown: [65_536, 1_099_511_627_776, 268_435_456],
  },
  "first-byte-timeout-ms": {
    values: ["10", "600000"],
    read: (config) => config.limits.firstByteTimeoutMs,
    shown: [10, 600_000, 10_000],
  },
  "header-timeout-ms": {
    values: ["10", "600000"],
    read: (config) => config.limits.headerTimeoutMs,
    shown: [10, 600_000, 15_000],
  },
  "body-timeout-ms": {
    values: ["10", "3600000"],
    read: (config) => config.limits.bodyTimeoutMs,
    shown: [10, 3_600_000, 30_000],
  },
  "write-timeout-ms": {
    values: ["10", "3600000"],
    read: (config) => config.limits.writeTimeoutMs,
    shown: [10, 3_600_000, 30_000],
  },
  "idle-timeout-ms": {
    values: ["10", "86400000"],
    read: (config) => config.limits.idleTimeoutMs,
    shown: [10, 86_400_000, 120_000],
  },
  "flood-pause-ms": {
    values: ["0", "1000"],
    read: (config) => config.limits.floodPauseMs,
    shown: [0, 1000, 50],
  },
  "watch-max-lag-ms": {
    values: ["10", "3600000"],
    read: (config) => config.limits.watchMaxLagMs,
    shown: [10, 3_600_000, 10_000],
  },
  "max-watches": {
    values: ["0", "100000"],
    read: (config) => config.limits.maxWatches,
    shown: [0, 100_000, 1000],
  },
  "max-watches-per-organization": {
    values: ["0", "100000"],
    read: (config) => config.limits.maxWatchesPerOrganization,
    shown: [0, 100_000, 100],
  },
  "stop-timeout-ms": {
    values: ["0", "60000"],
    read: (config) => config.limits.stopTimeoutMs,
    shown: [0, 60_000, 8000],
  },
} satisfies Partial<Record<OptionName, Sample>>;

export const withTestsOfTheirOwn = [
  "database",
  "tls-cert",
  "tls-key",
  "sms-webhook-secret",
  "twilio-auth-token",
  "mail-webhook-secret",
  "smtp-password",
];

/** Divides options into flags and, by their prefix, variables. */
export function divide(options: Readonly<Record<string, string>>) {
  const entries = Object.entries(options);
  return {
    flags: Object.fromEntries(entries.filter(([name]) => !name.startsWith("GATEHOUSE_"))),
    environment: Object.fromEntries(entries.filter(([name]) => name.startsWith("GATEHOUSE_"))),
  };
}

/** Returns why options are refused; throws if they are not. */
export function refusalOf(flags: Readonly<Record<string, unknown>>, environment = {}): string {
  try {
    parseConfig(flags, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("expected a ConfigError");
}
