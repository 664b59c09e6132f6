import { isIP } from "node:net";
import { DatabaseAddressError } from "../../database-unusable.ts";

/** One server. */
export interface PostgresHost {
  /** A name, an IP address without brackets, or the folder of a Unix socket, which begins with a slash. */
  readonly host: string;
  readonly port: number;
}

const defaultPort = 5432;

/**
 * Reads the hosts of a URL: `a:5433,b,[::1]:5432`. The parameters `host` and `port`, lists with commas too, are for
 * sockets and win. Throws DatabaseAddressError.
 */
export function parseHosts(
  text: string,
  parameters: { readonly host: string | undefined; readonly port: string | undefined },
): readonly PostgresHost[] {
  const listed = parameters.host;
  const ports = parameters.port?.split(",").map(parsePort) ?? [];
  const hosts =
    listed === undefined ? splitHosts(text) : listed.split(",").map((host) => ({ host, port: undefined }));
  if (hosts.some(({ host }) => host === "")) {
    throw new DatabaseAddressError(
      "it must name a host: postgres://user@host/…, or ?host=/folder of a socket",
    );
  }
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw new DatabaseAddressError("it must give one port for all hosts, or one for each");
  }
  const found = hosts.map(({ host, port }, index) => ({
    host: parseHost(host),
    port: port ?? ports[index] ?? ports[0] ?? defaultPort,
  }));
  if (new Set(found.map(toHostText)).size < found.length) {
    throw new DatabaseAddressError("it names a host twice");
  }
  return found;
}

/** Says whether connections to the host stay on this machine: a socket or the loopback interface. */
export function isLocalHost(host: string): boolean {
  return (
    host.startsWith("/") ||
    host === "localhost" ||
    host === "::1" ||
    (isIP(host) === 4 && host.startsWith("127."))
  );
}

/** Returns `host:port`, with brackets around an IPv6 address. */
export function toHostText({ host, port }: PostgresHost): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

function splitHosts(text: string): readonly { host: string; port: number | undefined }[] {
  return text.split(",").map((each) => {
    const parts = /^(?:\[(?<ipv6>[^\]]*)\]|(?<name>[^:[\]]*))(?::(?<port>[^:]*))?$/.exec(each)?.groups;
    if (parts === undefined) {
      throw new DatabaseAddressError("a host must be written as name:port, or [IPv6 address]:port");
    }
    const { ipv6, name = "", port } = parts;
    if (ipv6 !== undefined && isIP(ipv6) !== 6) {
      throw new DatabaseAddressError("what is in brackets must be an IPv6 address");
    }
    return { host: ipv6 ?? name, port: port === undefined ? undefined : parsePort(port) };
  });
}

function parseHost(host: string): string {
  const isUsable = host.startsWith("/") || isIP(host) !== 0 || /^[A-Za-z0-9_.-]{1,253}$/.test(host);
  if (!isUsable) throw new DatabaseAddressError("a host must be a name, an IP address or a folder");
  return host;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new DatabaseAddressError("a port must be a number from 1 to 65535");
  return port;
}
