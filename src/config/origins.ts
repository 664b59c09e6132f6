import { ConfigError } from "./config-error.ts";

/** Checks an origin, written as in a header. Throws ConfigError, which names the option. */
export function parseOrigin(name: string, value: string): string {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== value) {
    throw new ConfigError(`--${name}: ${value} is not an origin such as https://console.example.com`);
  }
  return value;
}

/**
 * Checks the issuer; undefined when there is none. Plain http is for programs on the same machine. Throws ConfigError.
 */
export function parseIssuer(value: string, isHttpAllowed: boolean): string | undefined {
  if (value === "") return undefined;
  const url = URL.parse(parseOrigin("issuer", value));
  if (url?.protocol === "https:") return value;
  if (!isLoopback(url?.hostname.replace(/^\[(.*)\]$/, "$1") ?? ""))
    throw new ConfigError("--issuer must be an https origin; plain http is possible on loopback only");
  if (!isHttpAllowed)
    throw new ConfigError(
      "--issuer can be plain http only with --dev or when --listen is a loopback address",
    );
  return value;
}

/**
 * Returns the issuer of a service that listens on the port: the option or, in local mode, localhost, because WebAuthn refuses
 * addresses. Undefined: there is none, and nobody can sign in.
 */
export function issuerOf({ issuer, isLocal, tls }: IssuerOptions, port: number): string | undefined {
  if (issuer !== undefined || !isLocal) return issuer;
  return `${tls === undefined ? "http" : "https"}://localhost:${port}`;
}

/** The settings that the issuer follows from. */
interface IssuerOptions {
  readonly issuer: string | undefined;
  readonly isLocal: boolean;
  readonly tls: object | undefined;
}

/** Says whether a host is this machine, in the form of `--listen`: an IPv6 address has no brackets. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}
