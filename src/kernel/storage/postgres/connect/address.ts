import { join } from "node:path";
import { Secret } from "../../../base/secret.ts";
import { DatabaseAddressError } from "../../database-unusable.ts";
import { type PostgresHost, isLocalHost, parseHosts, toHostText } from "./hosts.ts";

/** How far a connection is protected. `require` encrypts only, `verify-ca` does not compare the name of the server. */
export type TlsMode = "disable" | "require" | "verify-ca" | "verify-full";

/**
 * Whether a login by password is bound to the TLS connection, so that nobody in between can use it (SCRAM-SHA-256-PLUS, RFC 5929). With
 * `require` there is no other login.
 */
export type ChannelBinding = "disable" | "prefer" | "require";

/** Where the database is, and how to get in. */
export interface PostgresAddress {
  /** The servers, one of which is the primary. */
  readonly hosts: readonly PostgresHost[];
  readonly database: string;
  readonly user: string;
  /** The password of the URL or of PGPASSWORD; it wins over `passwordFile`. */
  readonly password: Secret | undefined;
  /** A file of passwords, in the format of .pgpass. */
  readonly passwordFile: PasswordFile | undefined;
  readonly tls: TlsOptions;
  readonly channelBinding: ChannelBinding;
  /** What the server gets as `options` when a session begins, such as `-c geqo=off`, or the name of an endpoint. */
  readonly options: string | undefined;
  /** The name of the connections in the list of the server (`pg_stat_activity`). */
  readonly applicationName: string;
  /** How long one server may take to accept a connection. */
  readonly connectTimeoutMs: number;
}

/** The file may be missing unless somebody named it. */
export interface PasswordFile {
  readonly path: string;
  readonly isNamed: boolean;
}

/** Files in PEM. Without `rootCertificate` the certificates count that Node trusts. */
export interface TlsOptions {
  readonly mode: TlsMode;
  readonly rootCertificate: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** What an address is made from besides its URL. */
export interface AddressOptions {
  /** Environment variables; those of libpq count: PGUSER, PGPASSWORD, PGPASSFILE, PGSSLMODE and the like. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Allows connections to other machines without a verified certificate. */
  readonly isDev: boolean;
}

const defaultConnectTimeoutMs = 2000;
const channelBindings: readonly ChannelBinding[] = ["disable", "prefer", "require"];
const tlsModes: readonly TlsMode[] = ["disable", "require", "verify-ca", "verify-full"];

/** Accepted parameters of the URL, as libpq names them. */
const parameterNames = [
  "application_name",
  "channel_binding",
  "connect_timeout",
  "host",
  "options",
  "port",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslrootcert",
  "target_session_attrs",
] as const;
type ParameterName = (typeof parameterNames)[number];

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]*)(?:\/(?<database>[^/?#]*))?(?:\?(?<parameters>[^#]*))?$/;

/**
 * Reads `postgres://user@host:port,host2:port/name?sslmode=verify-full`, as PostgreSQL describes it (§34.1.1.2). A folder
 * of a socket is given as `?host=/run/postgresql`. Throws DatabaseAddressError, which never shows a password.
 */
export function parseAddress(url: string, options: AddressOptions): PostgresAddress {
  const { environment } = options;
  const parts = form.exec(url)?.groups;
  if (parts === undefined) {
    throw new DatabaseAddressError(
      "it must have the form postgres://user@host:port/name; write special characters of user and password as %40 and the like",
    );
  }
  const parameters = parseParameters(parts["parameters"] ?? "");
  const hosts = parseHosts(decode(parts["hosts"] ?? "", "host"), {
    host: parameters.get("host"),
    port: parameters.get("port"),
  });
  const user = decode(parts["user"] ?? "", "user") || (environment["PGUSER"] ?? "");
  if (user === "") throw new DatabaseAddressError("it must name a user: postgres://user@…");
  const database = decode(parts["database"] ?? "", "name of the database");
  if (database === "") throw new DatabaseAddressError("it must name a database: postgres://…/name");
  const password = decode(parts["password"] ?? "", "password") || (environment["PGPASSWORD"] ?? "");
  const tls = parseTls(parameters, hosts, options);
  return {
    hosts,
    database,
    user,
    password: password === "" ? undefined : new Secret(password),
    passwordFile: passwordFileOf(environment),
    tls,
    channelBinding: parseChannelBinding(
      parameters.get("channel_binding") ?? environment["PGCHANNELBINDING"] ?? "prefer",
      { tls, hosts },
    ),
    options: parameters.get("options") ?? environment["PGOPTIONS"],
    applicationName: parameters.get("application_name") ?? environment["PGAPPNAME"] ?? "gatehouse",
    connectTimeoutMs: parseConnectTimeout(parameters.get("connect_timeout")),
  };
}

/** Returns the URL of the address without its password, for logs and messages. */
export function printUrl(address: PostgresAddress): string {
  const hosts = address.hosts.map((each) => (each.host.startsWith("/") ? "" : toHostText(each)));
  const sockets = address.hosts.filter(({ host }) => host.startsWith("/"));
  const query = new URLSearchParams([
    ...sockets.map(({ host }) => ["host", host]),
    ...sockets.map(({ port }) => ["port", String(port)]),
    ["sslmode", address.tls.mode],
  ]);
  const text = query.toString().replaceAll("%2F", "/");
  return `postgres://${encodeURIComponent(address.user)}@${hosts.join(",")}/${encodeURIComponent(address.database)}?${text}`;
}

function parseParameters(query: string): ReadonlyMap<ParameterName, string> {
  const parameters = new Map<ParameterName, string>();
  for (const part of query.split("&").filter((each) => each !== "")) {
    const at = part.indexOf("=");
    const name = parameterNames.find((each) => each === part.slice(0, Math.max(at, 0)));
    if (name === undefined) {
      throw new DatabaseAddressError(`its parameters may be ${parameterNames.join(", ")}, as name=value`);
    }
    if (parameters.has(name)) throw new DatabaseAddressError(`${name} is there twice`);
    parameters.set(name, decode(part.slice(at + 1), name));
  }
  const attributes = parameters.get("target_session_attrs");
  if (attributes !== undefined && attributes !== "read-write" && attributes !== "primary") {
    throw new DatabaseAddressError(
      "target_session_attrs may only be read-write or primary: all calls go to the primary",
    );
  }
  return parameters;
}

function parseTls(
  parameters: ReadonlyMap<ParameterName, string>,
  hosts: readonly PostgresHost[],
  { environment, isDev }: AddressOptions,
): TlsOptions {
  const isLocal = hosts.every(({ host }) => isLocalHost(host));
  const wanted =
    parameters.get("sslmode") ?? environment["PGSSLMODE"] ?? (isLocal ? "disable" : "verify-full");
  const mode = tlsModes.find((each) => each === wanted);
  if (mode === undefined) throw new DatabaseAddressError(`sslmode must be one of ${tlsModes.join(", ")}`);
  if (mode !== "verify-full" && !isLocal && !isDev) {
    throw new DatabaseAddressError(
      `sslmode=${mode} is allowed only for this machine or with --dev; another machine needs verify-full`,
    );
  }
  const certificate = parameters.get("sslcert") ?? environment["PGSSLCERT"];
  const key = parameters.get("sslkey") ?? environment["PGSSLKEY"];
  if ((certificate === undefined) !== (key === undefined)) {
    throw new DatabaseAddressError("sslcert and sslkey must be given together");
  }
  const root = parameters.get("sslrootcert") ?? environment["PGSSLROOTCERT"];
  return { mode, rootCertificate: root === "system" ? undefined : root, certificate, key };
}

function parseChannelBinding(
  wanted: string,
  { tls, hosts }: Pick<PostgresAddress, "tls" | "hosts">,
): ChannelBinding {
  const found = channelBindings.find((each) => each === wanted);
  if (found === undefined)
    throw new DatabaseAddressError(`channel_binding must be one of ${channelBindings.join(", ")}`);
  if (found === "require" && (tls.mode === "disable" || hosts.some(({ host }) => host.startsWith("/"))))
    throw new DatabaseAddressError(
      "channel_binding=require needs TLS: add sslmode=verify-full, and no socket",
    );
  return found;
}

function parseConnectTimeout(text: string | undefined): number {
  if (text === undefined) return defaultConnectTimeoutMs;
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds < 1 || seconds > 60) {
    throw new DatabaseAddressError("connect_timeout must be a number of seconds from 1 to 60");
  }
  return seconds * 1000;
}

function passwordFileOf(environment: AddressOptions["environment"]): PasswordFile | undefined {
  const named = environment["PGPASSFILE"];
  if (named !== undefined && named !== "") return { path: named, isNamed: true };
  const home = environment["HOME"];
  return home === undefined || home === "" ? undefined : { path: join(home, ".pgpass"), isNamed: false };
}

function decode(text: string, name: string): string {
  try {
    const decoded = decodeURIComponent(text);
    if (!decoded.includes("\0")) return decoded;
  } catch {
    // refused below, without the text: it may be the password
  }
  throw new DatabaseAddressError(`its ${name} has a % that is not followed by the code of a character`);
}
