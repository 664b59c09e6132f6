import { isIP } from "node:net";
import { parseHost } from "../kernel/base/url.ts";
import { type OptionName, optionDefinitions } from "./options.ts";
import { ConfigError } from "./config-error.ts";
import { isLoopback, parseIssuer, parseOrigin } from "./origins.ts";
import { type LimitOptions, toLimits } from "./limits.ts";
import { type MailConfig, parseMail } from "./mail.ts";
import { parsePlace, type PlaceConfig } from "./place.ts";
import {
  parseDomain,
  type RelyingPartyConfig,
  requireIdOfIssuer,
  toRelyingParties,
} from "./relying-parties.ts";
import { parseSms, type SmsConfig } from "./sms.ts";
import { parseTraces, type TracesConfig } from "./traces.ts";
import { parseWorkers } from "./shares.ts";
import { type Environment, type Flags, readText, readValues, toFlag, type ValueOf } from "./values.ts";

/** Every setting of a service, checked and with its default. */
export interface Config extends PlaceConfig {
  readonly host: string;
  readonly port: number;
  readonly dev: boolean;
  /** True: the file outbox, localhost origins and open metrics are the defaults. */
  readonly isLocal: boolean;
  /** The origin of all URLs of OpenID Connect and OAuth; undefined when there is no option: see `issuerOf`. */
  readonly issuer: string | undefined;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly corsOrigins: readonly string[];
  readonly relyingParties: readonly RelyingPartyConfig[];
  /** Whether https pages on sub-domains of a relying party id may use it. */
  readonly relyingPartySubdomains: boolean;
  /** File with the SHA-1 sums of passwords that users must not choose; undefined = none. */
  readonly breachedPasswords: string | undefined;
  /** Whether hashes are taken from elsewhere that cost much time or memory. */
  readonly allowSlowHashes: boolean;
  readonly sms: SmsConfig;
  readonly mail: MailConfig;
  readonly fetchAllowedHosts: readonly string[];
  /** Hosts that get `traceparent`, in lower case. */
  readonly traceHosts: readonly string[];
  /** Undefined: no traces are made. */
  readonly traces: TracesConfig | undefined;
  readonly ldapPlainTextHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly metricsOpen: boolean;
  readonly logLevel: string;
  /** How many processes serve. */
  readonly workers: number;
  /** Those of the service, which its processes share. */
  readonly limits: LimitOptions;
}

/**
 * Reads the options of the command line, then the environment, then the defaults. A secret may also come from a file,
 * named by its variable with _FILE appended. Throws ConfigError.
 */
export function parseConfig(flags: Flags, environment: Environment): Config {
  const valueOf = readValues(flags, environment);
  const raw = new Map(optionDefinitions.map(({ name }) => [name, valueOf(name)]));
  const text = (name: OptionName) => raw.get(name) ?? "";
  const { host, port } = parseListen(text("listen"));
  const place = parsePlace(flags, environment);
  const dev = toFlag("dev", text("dev"));
  const tls = parseTls(text("tls-cert"), text("tls-key"));
  const corsOrigins = toList(text("cors-origins")).map((origin) => parseOrigin("cors-origins", origin));
  const rpIds = toList(text("rp-ids")).map(parseDomain);
  const issuer = parseIssuer(text("issuer"), dev || isLoopback(host));
  if (issuer !== undefined) requireIdOfIssuer(rpIds, issuer);
  const isLocal =
    dev ||
    (isLoopback(host) &&
      issuer?.startsWith("https:") !== true &&
      place.database === undefined &&
      tls === undefined &&
      corsOrigins.length === 0 &&
      rpIds.length === 0 &&
      text("sms-provider") === "" &&
      text("mail-provider") === "");
  const outbox = { isLocal, hasOutbox: dev || place.database === undefined };
  return {
    host,
    port,
    ...place,
    dev,
    isLocal,
    issuer,
    tls,
    corsOrigins,
    relyingParties: toRelyingParties(
      rpIds.length === 0 && isLocal ? ["localhost"] : rpIds,
      toList(text("rp-origins")).map((origin) => parseOrigin("rp-origins", origin)),
    ),
    relyingPartySubdomains: toFlag("rp-subdomains", text("rp-subdomains")),
    breachedPasswords: text("breached-passwords") || undefined,
    allowSlowHashes: toFlag("allow-slow-hashes", text("allow-slow-hashes")),
    sms: parseSms(text, outbox),
    mail: parseMail(text, flags, outbox),
    fetchAllowedHosts: parseHosts("fetch-allowed-hosts", text),
    traceHosts: parseHosts("trace-hosts", text).map((name) => name.toLowerCase()),
    traces: parseTraces(environment),
    ldapPlainTextHosts: parseHosts("ldap-plain-text-hosts", text),
    trustedProxies: toList(text("trusted-proxies")).map(parseNetwork),
    metricsOpen: toFlag("metrics-open", text("metrics-open")),
    logLevel: text("log-level"),
    workers: parseWorkers(text("workers")),
    limits: parseLimits(text),
  };
}

/** Reloads certificate and key from their files, as `parseConfig` reads them. Throws ConfigError. */
export function parseTlsFiles(flags: Flags, environment: Environment): Config["tls"] {
  const text = readValues(flags, environment);
  return parseTls(text("tls-cert"), text("tls-key"));
}

function toList(value: string): readonly string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function parseListen(value: string): { host: string; port: number } {
  const match = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]\s]+)):(?<port>\d{1,5})$/.exec(value);
  const host = match?.groups?.["v6"] ?? match?.groups?.["host"];
  const port = Number(match?.groups?.["port"]);
  if (host === undefined || port > 65_535)
    throw new ConfigError("--listen must be of the form host:port, for example 127.0.0.1:8080");
  return { host, port };
}

function parseTls(certFile: string, keyFile: string) {
  if (certFile === "" && keyFile === "") return undefined;
  if (certFile === "" || keyFile === "") throw new ConfigError("--tls-cert and --tls-key go together");
  return { cert: readText("--tls-cert", certFile), key: readText("--tls-key", keyFile) };
}

function parseLimits(text: ValueOf): LimitOptions {
  const limits = toLimits(text);
  if (limits.maxBufferedBytes < limits.maxMessageBytes) {
    throw new ConfigError(
      `--max-buffered-bytes ${limits.maxBufferedBytes} must be at least --max-message-bytes ${limits.maxMessageBytes}`,
    );
  }
  return limits;
}

/** An address, or a network such as `10.0.0.0/8` (RFC 4632 §3.1). */
function parseNetwork(value: string): string {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const maxBits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes("%") || Number(bits ?? 0) > maxBits) {
    throw new ConfigError(
      `--trusted-proxies: ${value} is not an address or a network such as 10.0.0.0/8 or fd00::/8`,
    );
  }
  return value;
}

function parseHosts(option: OptionName, text: (name: OptionName) => string): readonly string[] {
  return toList(text(option)).map((value) => {
    if (parseHost(value) === undefined)
      throw new ConfigError(`--${option}: ${value} is not a host such as idp.internal or 10.0.0.1`);
    return value;
  });
}
