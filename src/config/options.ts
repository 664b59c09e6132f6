import { messageOptions } from "./message-options.ts";
import type { OptionDefinition } from "./option.ts";

/**
 * Every option of the process, in one table: `--help`, docs/operate/options.md and the parser are made from it. A flag wins over
 * its environment variable, which wins over the default. They stand in the order in which help and the page list them.
 */
export const optionDefinitions = [
  {
    name: "listen",
    kind: "text",
    value: "host:port",
    default: "127.0.0.1:8080",
    description: "Address to listen on. Port 0 picks a free port. Put an IPv6 address in brackets.",
  },
  {
    name: "data",
    kind: "text",
    value: "folder",
    default: "./data",
    description:
      "Data folder, created if it does not exist. Holds gatehouse.db, master.key, admin.token, admin.link and, in local mode, sms.jsonl and mail.jsonl. With --database it holds only the last two, and admin.token and admin.link of the process that creates the instance.",
  },
  {
    name: "database",
    kind: "text",
    value: "url",
    default: "",
    description:
      "PostgreSQL database, 15 or newer, for one or more processes: postgres://user@host:port,host2:port/name, with all hosts that can be the primary. TLS is sslmode=verify-full unless the host is loopback or a socket; channel_binding and options mean what they mean to libpq. The password comes from PGPASSWORD, PGPASSFILE or the url in the variable; a flag with a password is refused. Default: the data folder.",
  },
  {
    name: "master-key-file",
    kind: "text",
    value: "file",
    default: "",
    description:
      "File with the master keys, the same for all processes. Required with --database, where only gatehouse init creates it.",
  },
  {
    name: "require-synchronous",
    kind: "text",
    value: "when",
    default: "auto",
    choices: ["auto", "yes", "no"],
    description:
      "Whether to write only to a primary that waits for a synchronous standby; auto: if --database names more than one host. With no, a failover can lose answered changes.",
  },
  {
    name: "workers",
    kind: "text",
    value: "n|auto",
    default: "1",
    description:
      "How many processes serve, 1 to 64; auto: one for each core. They share the port and the data; one more keeps them running. Passwords checked at once and connections to --database are divided by them.",
  },
  {
    name: "dev",
    kind: "flag",
    value: "",
    default: "false",
    description:
      "Turns on local mode on any address, and allows http and loopback addresses in URLs that the service fetches. With --database it also allows a server without TLS or with fsync=off.",
  },
  {
    name: "issuer",
    kind: "text",
    value: "origin",
    default: "",
    description:
      "Origin under which clients reach OpenID Connect and OAuth, for example https://id.example.com; plain http only on loopback. All URLs and audiences are made from it, never from a Host header. Without it, OpenID Connect and OAuth are not served. Default in local mode: http://localhost with the port of --listen.",
  },
  {
    name: "access-token-seconds",
    kind: "integer",
    value: "seconds",
    default: "3600",
    min: 60,
    max: 43_200,
    description: "How long an access token is valid.",
  },
  {
    name: "tls-cert",
    kind: "text",
    value: "file",
    default: "",
    description:
      "Certificate chain (PEM). Together with --tls-key it turns on TLS, with ALPN for HTTP/2 and HTTP/1.1.",
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
      "Origins whose pages may call the service, for example https://console.example.com. Default: none.",
  },
  {
    name: "rp-ids",
    kind: "list",
    value: "domain,…",
    default: "",
    description:
      "WebAuthn relying party ids; the first one is used when a call names none. The login pages use the longest one that is the host of --issuer or a parent domain of it; security keys and passkeys of other ids do not count there, so with --issuer one of them must match (unless its host is an IP address). Without any, the login pages use the host of --issuer, and calls can register neither u2f tokens nor passkeys. Default in local mode: localhost.",
  },
  {
    name: "rp-origins",
    kind: "list",
    value: "origin,…",
    default: "",
    description:
      "Origins where u2f tokens may be registered. An origin counts for every relying party id that is its host or a parent domain of it. Default for an id without an origin: https://<id>.",
  },
  {
    name: "rp-subdomains",
    kind: "flag",
    value: "",
    default: "false",
    description: "Also accept https origins on subdomains of the relying party ids.",
  },
  {
    name: "breached-passwords",
    kind: "text",
    value: "file",
    default: "",
    description:
      "List of passwords that users must not choose: one SHA-1 hash in hexadecimal per line, sorted; the rest of a line is ignored. The list is searched on the disk, not in memory. Default: no list.",
  },
  {
    name: "allow-slow-hashes",
    kind: "flag",
    value: "",
    default: "false",
    description:
      "Also accept password hashes of other systems that need more than 250 ms or 64 MiB here. Every wrong password then takes as long as the slowest stored hash.",
  },
  ...messageOptions,
  {
    name: "fetch-allowed-hosts",
    kind: "list",
    value: "host,…",
    default: "",
    description:
      "Private hosts that the service may connect to: for SAML metadata, the keys and endpoints of identity providers, directories, " +
      "and logout tokens. Their names are resolved by the system; all others by DNS alone, without /etc/hosts and search domains.",
  },
  {
    name: "ldap-plain-text-hosts",
    kind: "list",
    value: "host,…",
    default: "",
    description:
      "Directories that the service may speak LDAP to without encryption. Passwords can be read on the way there. " +
      "Private ones need --fetch-allowed-hosts, too.",
  },
  {
    name: "ldap-sync-minutes",
    kind: "integer",
    value: "minutes",
    default: "0",
    min: 0,
    max: 10_080,
    description:
      "How often the service makes linked users what their directories say of them, as `gatehouse ldap sync` does. 0: never.",
  },
  {
    name: "trace-hosts",
    kind: "list",
    value: "host,…",
    default: "",
    description:
      "Hosts that get the header traceparent with requests of the service, if it sends traces. No other host does, and no host gets baggage.",
  },
  {
    name: "trusted-proxies",
    kind: "list",
    value: "network,…",
    default: "",
    description:
      "Proxies whose X-Forwarded-For header is trusted: addresses, or networks such as 10.0.0.0/8.",
  },
  {
    name: "metrics-open",
    kind: "flag",
    value: "",
    default: "false",
    description: "Serve /metrics on any address and through proxies, not only in local mode.",
  },
  {
    name: "log-level",
    kind: "text",
    value: "level",
    default: "info",
    choices: ["debug", "info", "warn", "error", "silent"],
    description: "Minimum level of log lines on stderr.",
  },
  {
    name: "max-connections",
    kind: "integer",
    value: "count",
    default: "10000",
    min: 1,
    max: 1_000_000,
    description:
      "Maximum number of open connections of this process; further ones are closed at once. Lowered to what the limit on open files allows.",
  },
  {
    name: "max-streams",
    kind: "integer",
    value: "count",
    default: "128",
    min: 1,
    max: 10_000,
    description:
      "Maximum number of calls in progress on one HTTP/2 connection; further ones wait unread, in order. Open watches do not count.",
  },
  {
    name: "max-waiting-streams",
    kind: "integer",
    value: "count",
    default: "896",
    min: 1,
    max: 10_000,
    description:
      "Maximum number of calls that wait on one HTTP/2 connection. Clients get the sum of this and max-streams as their limit. All waiting calls together may hold max-buffered-bytes; further ones are refused unread, and a client may send them again.",
  },
  {
    name: "max-resets",
    kind: "integer",
    value: "count",
    default: "600",
    min: 1,
    max: 1_000_000,
    description:
      "Maximum number of calls that a client may cancel at once on one HTTP/2 connection; a tenth of it is added back each second. Beyond it the connection is closed (ENHANCE_YOUR_CALM).",
  },
  {
    name: "max-calls",
    kind: "integer",
    value: "count",
    default: "4096",
    min: 1,
    max: 1_000_000,
    description:
      "Maximum number of calls in progress in this process; further ones are refused before their bodies are read. Open watches and health checks do not count. Also the maximum number of changes that wait for the disk.",
  },
  {
    name: "max-header-bytes",
    kind: "integer",
    value: "bytes",
    default: "16384",
    min: 1024,
    max: 1_048_576,
    description: "Maximum size of the headers of a request.",
  },
  {
    name: "max-message-bytes",
    kind: "integer",
    value: "bytes",
    default: "8388608",
    min: 1024,
    max: 67_108_864,
    description: "Maximum size of a request message, decompressed.",
  },
  {
    name: "max-buffered-bytes",
    kind: "integer",
    value: "bytes",
    default: "268435456",
    min: 65_536,
    max: 1_099_511_627_776,
    description:
      "Maximum size of all request bodies in the memory of this process; beyond it calls are refused. The same amount is available for answers that clients have not read yet; beyond it the oldest are cut off. At least max-message-bytes.",
  },
  {
    name: "first-byte-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "10000",
    min: 10,
    max: 600_000,
    description:
      "Time limit from a new connection to its first byte, to the end of its TLS handshake and to its HTTP/2 settings.",
  },
  {
    name: "header-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "15000",
    min: 10,
    max: 600_000,
    description: "Time limit for all headers of an HTTP/1.1 request.",
  },
  {
    name: "body-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "30000",
    min: 10,
    max: 3_600_000,
    description: "Time limit for the whole body of a request.",
  },
  {
    name: "write-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "30000",
    min: 10,
    max: 3_600_000,
    description: "Time limit for a client to read an answer, or one message of a stream.",
  },
  {
    name: "idle-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "120000",
    min: 10,
    max: 86_400_000,
    description:
      "A connection without calls is closed after this time. A client with an open stream is pinged at this interval.",
  },
  {
    name: "flood-pause-ms",
    kind: "integer",
    value: "ms",
    default: "50",
    min: 0,
    max: 1000,
    description:
      "Pause between new connections from an address (for IPv6: a /64 network) during the 10 s after one of its connections was cut for flooding. No connection waits longer than ten times this. 0: no pause. Clients behind a TCP proxy share its address.",
  },
  {
    name: "watch-max-lag-ms",
    kind: "integer",
    value: "ms",
    default: "10000",
    min: 10,
    max: 3_600_000,
    description:
      "Ends an event watch whose client is this far behind. Applies after the watch has caught up once.",
  },
  {
    name: "max-watches",
    kind: "integer",
    value: "count",
    default: "1000",
    min: 0,
    max: 100_000,
    description: "Maximum number of open event watches of this process.",
  },
  {
    name: "max-watches-per-organization",
    kind: "integer",
    value: "count",
    default: "100",
    min: 0,
    max: 100_000,
    description: "Maximum number of open event watches of this process by users of one organization.",
  },
  {
    name: "stop-timeout-ms",
    kind: "integer",
    value: "ms",
    default: "8000",
    min: 0,
    max: 60_000,
    description: "How long calls and messages may continue after SIGTERM before they are cut off.",
  },
] as const satisfies readonly OptionDefinition[];

/** An option of the table, with its own name and kind. */
export type Definition = (typeof optionDefinitions)[number];

/** The name of an option, without the leading dashes. */
export type OptionName = Definition["name"];
