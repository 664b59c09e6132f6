import { isIP } from "node:net";
import { parseHost, urlViolation } from "../base/url.ts";
import { ConfigError } from "./config-error.ts";
import { environmentNameOf, type OptionName } from "./options.ts";

/** Reads a flag. Throws ConfigError unless it is true or false. */
export function toFlag(name: string, value: string): boolean {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw new ConfigError(`${environmentNameOf(name)} must be true or false`);
}

/** Splits a list at its commas and drops empty items. */
export function toList(value: string): readonly string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Reads `host:port`, with an IPv6 address in brackets. Throws ConfigError. */
export function parseListen(value: string): { host: string; port: number } {
  const match = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]\s]+)):(?<port>\d{1,5})$/.exec(value);
  const host = match?.groups?.["v6"] ?? match?.groups?.["host"];
  const port = Number(match?.groups?.["port"]);
  if (host === undefined || port > 65_535)
    throw new ConfigError("--listen must be of the form host:port, for example 127.0.0.1:8080");
  return { host, port };
}

/** Reads an absolute http or https URL, in its normal form. Throws ConfigError. */
export function parseUrl(name: OptionName, value: string): string {
  const violation = urlViolation(value, { allowQuery: true });
  if (violation !== undefined) throw new ConfigError(`--${name} ${violation}`);
  return new URL(value).href;
}

/** Reads an origin such as `https://console.example.com`. Throws ConfigError. */
export function parseOrigin(name: OptionName, value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== value) {
    throw new ConfigError(`--${name}: ${value} is not an origin such as https://console.example.com`);
  }
  return value;
}

/** Reads a domain name in lower case. Throws ConfigError. */
export function parseDomain(value: string): string {
  const isDomain =
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(value);
  if (!isDomain || isIP(value) !== 0)
    throw new ConfigError(`--rp-ids: ${value} is not a domain name in lower case`);
  return value;
}

/** Reads an address, or a network such as `10.0.0.0/8` (RFC 4632 §3.1). Throws ConfigError. */
export function parseNetwork(value: string): string {
  const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
  const maxBits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || address.includes("%") || Number(bits ?? 0) > maxBits) {
    throw new ConfigError(
      `--trusted-proxies: ${value} is not an address or a network such as 10.0.0.0/8 or fd00::/8`,
    );
  }
  return value;
}

/** Reads the name or address of a host. Throws ConfigError. */
export function parseAllowedHost(value: string): string {
  if (parseHost(value) === undefined)
    throw new ConfigError(`--fetch-allowed-hosts: ${value} is not a host such as idp.internal or 10.0.0.1`);
  return value;
}

/** Says whether the host to listen on is a loopback address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
