/** Where a server of a directory is. */
export interface ServerAddress {
  readonly scheme: "ldaps" | "ldap";
  /** A name or an address, an IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
}

const ports = { ldaps: 636, ldap: 389 } as const;

/**
 * Parses the address of a server (RFC 4516 §2, of which a search is left out): `ldaps://dc1.example.com`. Returns undefined for
 * anything else, also for a path, a query or user info.
 */
export function parseServerUrl(text: string): ServerAddress | undefined {
  const match = /^(ldaps?):\/\/(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?\/?$/i.exec(text);
  if (match === null) return undefined;
  const [, written = "", host = "", portText] = match;
  const scheme = written.toLowerCase() === "ldaps" ? "ldaps" : "ldap";
  const port = portText === undefined ? ports[scheme] : Number(portText);
  const url = URL.parse(`https://${host}:${port}/`);
  return url === null || port === 0 ? undefined : { scheme, host: url.hostname, port };
}
