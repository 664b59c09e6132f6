import { isIP } from "node:net";
import { ConfigError } from "./config-error.ts";

/** A relying party of WebAuthn, and the pages that may use it. */
export interface RelyingPartyConfig {
  readonly id: string;
  /** `http-any-port`: plain http on exactly this domain, on any port. */
  readonly origins: readonly string[] | "http-any-port";
}

/**
 * Assigns each origin to every id that equals its host or is a parent domain of it: each of them may be used there
 * (WebAuthn §5.1.3).
 */
export function toRelyingParties(
  ids: readonly string[],
  origins: readonly string[],
): readonly RelyingPartyConfig[] {
  const isOn = (origin: string, id: string) => isWithin(URL.parse(origin)?.hostname ?? "", id);
  const stray = origins.find((origin) => !ids.some((id) => isOn(origin, id)));
  if (stray !== undefined) throw new ConfigError(`--rp-origins: ${stray} is not on any domain of --rp-ids`);
  return ids.map((id) => {
    const own = origins.filter((origin) => isOn(origin, id));
    if (own.length > 0) return { id, origins: own };
    return { id, origins: id === "localhost" ? "http-any-port" : [`https://${id}`] };
  });
}

/**
 * Refuses ids of which none is for the login pages of the issuer: no security key would count there (WebAuthn §5.1.3). An address has
 * no relying party at all. Throws ConfigError.
 */
export function requireIdOfIssuer(ids: readonly string[], issuer: string): void {
  const host = URL.parse(issuer)?.hostname ?? "";
  if (ids.length === 0 || host.startsWith("[") || isIP(host) !== 0) return;
  if (!ids.some((id) => isWithin(host, id)))
    throw new ConfigError(
      `--rp-ids: none is the host of --issuer ${issuer} or a parent domain of it, so no security key would count at a login; add ${host}`,
    );
}

/** Checks a relying party id, which is a domain name in lower case. Throws ConfigError. */
export function parseDomain(value: string): string {
  const isDomain =
    /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(value);
  if (!isDomain || isIP(value) !== 0)
    throw new ConfigError(`--rp-ids: ${value} is not a domain name in lower case`);
  return value;
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
