import { isIP } from "node:net";
import { fieldInvalid, Problem } from "../../../kernel/base/problem.ts";

/** A relying party id (WebAuthn §4), a domain, and the origins of the pages that may use it. */
export interface RelyingParty {
  readonly id: string;
  /** Origins such as `https://example.com`; `http-any-port` is plain http on exactly this domain, on any port. */
  readonly origins: readonly string[] | "http-any-port";
}

/** The relying parties that authenticators may be registered for. */
export interface RelyingParties {
  /** The first one is the default. None: none can be registered. */
  readonly list: readonly RelyingParty[];
  /** Whether https pages on subdomains of a relying party id may use it, on the ports of its origins. */
  readonly allowSubdomains: boolean;
  /** Name of the service, as the browser shows it. */
  readonly name: string;
}

/** The relying party of local mode. */
export const localRelyingParty: RelyingParty = { id: "localhost", origins: "http-any-port" };

/**
 * Returns the relying party of the domain; the first one for an empty domain. Raises U2F_NOT_CONFIGURED when there is
 * none at all, FIELD_INVALID for a domain that is not configured.
 */
export function selectRelyingParty(parties: RelyingParties, domain: string): RelyingParty {
  const [first] = parties.list;
  if (first === undefined) throw u2fNotConfigured();
  if (domain === "") return first;
  const selected = parties.list.find((party) => party.id === domain);
  if (selected === undefined) throw fieldInvalid("domain", "must be one of the configured relying party ids");
  return selected;
}

/** Returns the relying party of a registration. Raises U2F_NOT_CONFIGURED when it is no longer configured. */
export function relyingPartyOf(
  parties: RelyingParties,
  { domain }: { readonly domain: string },
): RelyingParty {
  const party = parties.list.find((candidate) => candidate.id === domain);
  if (party === undefined) throw u2fNotConfigured();
  return party;
}

/** Says whether a page from this origin may use the relying party. */
export function isOriginAllowed(parties: RelyingParties, party: RelyingParty, origin: string): boolean {
  if (party.origins !== "http-any-port" && party.origins.includes(origin)) return true;
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false; // anything but the plain form of an origin
  if (party.origins === "http-any-port") return url.protocol === "http:" && url.hostname === party.id;
  if (!parties.allowSubdomains || url.protocol !== "https:") return false;
  // The dot keeps the comparison on label boundaries: evil-example.com is not a subdomain of example.com.
  const isSubdomain = url.hostname.endsWith(`.${party.id}`) && !url.hostname.startsWith(".");
  return isSubdomain && party.origins.some((own) => URL.parse(own)?.port === url.port);
}

/**
 * Returns the relying party of the login pages: the longest configured id that is the host of the issuer or a parent of it;
 * without configured ids that host. Undefined: there is none, as for an address, and u2f tokens are no factors of the login.
 * The only origin is that of the issuer, because answers made elsewhere are for other pages.
 */
export function loginPartyOf(
  parties: Pick<RelyingParties, "list">,
  issuer: string,
): RelyingParty | undefined {
  const host = URL.parse(issuer)?.hostname ?? "";
  if (host === "" || host.startsWith("[") || isIP(host) !== 0) return undefined;
  const configured = parties.list.filter(({ origins }) => origins !== "http-any-port").map(({ id }) => id);
  const ids = parties.list.map(({ id }) => id).filter((id) => host === id || host.endsWith(`.${id}`));
  const [id] = ids.toSorted((left, right) => right.length - left.length);
  const own = id ?? (configured.length === 0 ? host : undefined);
  return own === undefined ? undefined : { id: own, origins: [issuer] };
}

function u2fNotConfigured(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "U2F_NOT_CONFIGURED",
    message: "this service has no such relying party id; ask the operator to configure it",
  });
}
