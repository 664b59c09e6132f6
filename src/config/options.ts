/**
 * Every option of the process, in one table: `--help`, the README and the parser are made from it. A flag wins over its
 * environment variable, which wins over the default.
 */
export interface OptionDefinition {
  /** Without the leading dashes. The environment variable is GATEHOUSE_ and this in UPPER_SNAKE. */
  readonly name: string;
  readonly kind: "text" | "flag" | "list" | "integer";
  /** What stands for the value in the help; with its unit. */
  readonly value: string;
  readonly default: string;
  readonly description: string;
  readonly min?: number;
  readonly max?: number;
  /** Accepted values of a text. */
  readonly choices?: readonly string[];
  /** Holds a secret: only its environment variable and file form are offered, because others can read a command line. */
  readonly isSecret?: true;
}

export const optionDefinitions = [
  {
    name: "listen",
    kind: "text",
    value: "host:port",
    default: "127.0.0.1:8080",
    description: "Address to serve on. Port 0 picks a free one. An IPv6 address stands in brackets.",
  },
  {
    name: "data",
    kind: "text",
    value: "folder",
    default: "./data",
    description:
      "Data folder; made when absent. Holds gatehouse.db, master.key, admin.token and, in local mode, sms.jsonl.",
  },
  {
    name: "dev",
    kind: "flag",
    value: "",
    default: "false",
    description: "Local mode on any listener, and http and loopback addresses in URLs that the service uses.",
  },
  {
    name: "tls-cert",
    kind: "text",
    value: "file",
    default: "",
    description:
      "Certificate chain (PEM). With --tls-key the port speaks TLS with ALPN for HTTP/2 and HTTP/1.1.",
  },
  {
    name: "tls-key",
    kind: "text",
    value: "file",
    default: "",
    description: "Private key of the certificate (PEM).",
  },
  {
    name: "cors-origins",
    kind: "list",
    value: "origin,…",
    default: "",
    description:
      "Origins whose pages may call, for example https://console.example.com. None: no page of another origin.",
  },
  {
    name: "rp-ids",
    kind: "list",
    value: "domain,…",
    default: "",
    description:
      "WebAuthn relying party ids; the first is the default. In local mode localhost. None: no u2f registration.",
  },
  {
    name: "rp-origins",
    kind: "list",
    value: "origin,…",
    default: "",
    description:
      "Origins where keys may be registered, each for every relying party id that is its host or a parent domain of it. An id without one: https://<id>.",
  },
  {
    name: "rp-subdomains",
    kind: "flag",
    value: "",
    default: "false",
    description: "Also accept https origins of sub-domains of the relying party ids.",
  },
  {
    name: "sms-provider",
    kind: "text",
    value: "name",
    default: "",
    choices: ["", "outbox", "webhook", "twilio"],
    description:
      "How codes are delivered. outbox writes sms.jsonl and is the default in local mode. None: no codes are sent.",
  },
  {
    name: "sms-per-organization",
    kind: "integer",
    value: "messages",
    default: "1000",
    min: 1,
    max: 10_000_000,
    description:
      "Most messages in 24 hours to the users of one organization. Each user and number has limits of its own.",
  },
  {
    name: "sms-webhook-url",
    kind: "text",
    value: "url",
    default: "",
    description: "Receives each message as a signed POST.",
  },
  {
    name: "sms-webhook-secret",
    kind: "text",
    value: "secret",
    default: "",
    isSecret: true,
    description: "Key of the HMAC-SHA256 signature in x-gatehouse-signature.",
  },
  { name: "twilio-account-sid", kind: "text", value: "sid", default: "", description: "Twilio account." },
  {
    name: "twilio-auth-token",
    kind: "text",
    value: "secret",
    default: "",
    isSecret: true,
    description: "Twilio auth token.",
  },
  {
    name: "twilio-from",
    kind: "text",
    value: "number",
    default: "",
    description: "Sender: a number (E.164) or a messaging service sid (MG…).",
  },
  {
    name: "fetch-allowed-hosts",
    kind: "list",
    value: "host,…",
    default: "",
    description: "Private hosts that SAML metadata may be fetched from all the same.",
  },
  {
    name: "trusted-proxies",
    kind: "list",
    value: "network,…",
    default: "",
    description: "Proxies whose X-Forwarded-For names the caller: addresses, or networks such as 10.0.0.0/8.",
  },
  {
    name: "metrics-open",
    kind: "flag",
    value: "",
    default: "false",
    description: "Serve /metrics on every listener and through proxies. Otherwise only in local mode.",
  },
  {
    name: "log-level",
    kind: "text",
    value: "level",
    default: "info",
    choices: ["debug", "info", "warn", "error", "silent"],
    description: "Least level of the log lines on stderr.",
  },
  {
    name: "max-connections",
    kind: "integer",
    value: "count",
    default: "10000",
    min: 1,
    max: 1_000_000,
    description:
      "Connections open at the same time; further ones are closed at once. Lowered to what the limit on open files allows.",
  },
  {
    name: "max-streams",
    kind: "integer",
    value: "count",
    default: "128",
    min: 1,
    max: 10_000,
    description:
      "Calls under way at the same time on one connection of HTTP/2; further ones wait unread, in order. Open watches do not count.",
  },
  {
    name: "max-waiting-streams",
    kind: "integer",
    value: "count",
    default: "896",
    min: 1,
    max: 10_000,
    description:
      "Calls that may wait on one connection of HTTP/2; clients are told the sum with max-streams. All that wait may hold max-buffered-bytes; beyond it they are refused unread, to be sent again.",
  },
  {
    name: "max-resets",
    kind: "integer",
    value: "count",
    default: "600",
    min: 1,
    max: 1_000_000,
    description:
      "Calls on one connection of HTTP/2 that may be cancelled at once; each second a tenth of it more. Beyond it the connection is ended (ENHANCE_YOUR_CALM).",
  },
  {
    name: "max-calls",
    kind: "integer",
    value: "count",
    default: "4096",
    min: 1,
    max: 1_000_000,
    description:
      "Calls under way at the same time; further ones are refused before their bodies are read. Open watches and health checks do not count. As many changes at the most wait for the disk.",
  },
  {
    name: "max-header-bytes",
    kind: "integer",
    value: "bytes",
    default: "16384",
    min: 1024,
    max: 1_048_576,
    description: "Largest header block of a request.",
  },
  {
    name: "max-message-bytes",
    kind: "integer",
    value: "bytes",
    default: "8388608",
    min: 1024,
    max: 67_108_864,
    description: "Largest request message, decompressed.",
  },
  {
    name: "max-buffered-bytes",
    kind: "integer",
    value: "bytes",
    default: "268435456",
    min: 65_536,
    max: 1_099_511_627_776,
    description:
      "Request bodies held at the same time; beyond it calls are refused. As much again for answers that wait for their readers; beyond it the oldest are cut. At least max-message-bytes.",
  },
  {
    name: "first-byte-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "10000",
    min: 10,
    max: 600_000,
    description:
      "From a new connection to its first byte, the end of its TLS handshake and the settings of HTTP/2.",
  },
  {
    name: "header-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "15000",
    min: 10,
    max: 600_000,
    description: "For the whole header block of a request on HTTP/1.1.",
  },
  {
    name: "body-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "30000",
    min: 10,
    max: 3_600_000,
    description: "For the whole body of a request.",
  },
  {
    name: "write-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "30000",
    min: 10,
    max: 3_600_000,
    description: "For a caller to read an answer, or one message of a stream of answers.",
  },
  {
    name: "idle-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "120000",
    min: 10,
    max: 86_400_000,
    description:
      "A connection without calls is closed after this time. One that waits in a stream is asked for a sign of life as often.",
  },
  {
    name: "flood-pause-ms",
    kind: "integer",
    value: "ms",
    default: "50",
    min: 0,
    max: 1000,
    description:
      "Between two new connections of an address (of IPv6: of a network of 64 bits), within 10 s after one of them was cut for a flood; none waits longer than ten times as long. 0: none waits. Callers behind a proxy that hands on bare connections share its address.",
  },
  {
    name: "watch-max-lag-ms",
    kind: "integer",
    value: "ms",
    default: "10000",
    min: 10,
    max: 3_600_000,
    description:
      "A watch of events that was up to date once is ended when its next event is older: its reader is too slow.",
  },
  {
    name: "max-watches",
    kind: "integer",
    value: "count",
    default: "1000",
    min: 0,
    max: 100_000,
    description: "Watches of events open at the same time.",
  },
  {
    name: "max-watches-per-organization",
    kind: "integer",
    value: "count",
    default: "100",
    min: 0,
    max: 100_000,
    description: "Watches of events open at the same time of the users of one organization.",
  },
  {
    name: "stop-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "8000",
    min: 0,
    max: 60_000,
    description: "How long calls and messages may go on after SIGTERM before they are cut.",
  },
] as const satisfies readonly OptionDefinition[];

type Definition = (typeof optionDefinitions)[number];

export type OptionName = Definition["name"];

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The values of all options that are numbers: `max-streams` is `maxStreams`. The units are those of the options. */
export type LimitOptions = Readonly<
  Record<CamelCase<Extract<Definition, { readonly kind: "integer" }>["name"]>, number>
>;

/** Returns the limits. `valueOf` returns the checked text of an option. */
export function toLimits(valueOf: (name: OptionName) => string): LimitOptions {
  const entries = optionDefinitions
    .filter(({ kind }) => kind === "integer")
    .map(({ name }) => [
      name.replaceAll(/-([a-z])/g, (_all, letter: string) => letter.toUpperCase()),
      Number(valueOf(name)),
    ]);
  return Object.fromEntries(entries) as LimitOptions; // the same names, by the type above
}

/** Returns the environment variable of an option. */
export function environmentNameOf(name: string): string {
  return `GATEHOUSE_${name.replaceAll("-", "_").toUpperCase()}`;
}

/** Returns the table of options in Markdown, as the README shows it. */
export function toOptionsTable(): string {
  const rows = optionDefinitions.map((option: OptionDefinition) => {
    const variable = environmentNameOf(option.name);
    const flag = option.kind === "flag" ? `--${option.name}` : `--${option.name} <${option.value}>`;
    const names = option.isSecret
      ? `\`${variable}\` or \`${variable}_FILE\``
      : `\`${flag}\`<br>\`${variable}\``;
    return `| ${names} | ${option.default === "" ? "" : `\`${option.default}\``} | ${option.description} |`;
  });
  return ["| option | default | what it does |", "| --- | --- | --- |", ...rows].join("\n");
}
