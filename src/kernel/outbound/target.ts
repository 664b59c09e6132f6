import { isIP } from "node:net";
import { hasLoopbackHost, parseHost } from "../base/url.ts";
import { isLoopbackAddress, isPublicAddress } from "./address.ts";

/** The URLs and addresses that the service connects to for a caller. */
export interface TargetRules {
  /**
   * Says why the URL as written is forbidden, in words that follow `the URL`, or returns undefined. Resolves nothing.
   */
  violationOf(url: URL): string | undefined;
  /** Says whether the service may connect to an address that the host of an allowed URL has resolved to. */
  mayConnect(url: URL, address: string): boolean;
  /**
   * Says whether the host of an allowed URL is one that the operator has named, or this machine. Its name may be known to this
   * machine only, and callers cannot choose one whose look-up never ends.
   */
  isNear(url: URL): boolean;
}

/**
 * Creates the rules: https to public addresses and to the hosts in `allowedHosts` (names or addresses) wherever they
 * are; with `dev` also https and http to loopback addresses. Throws an Error when an allowed host is not a plain
 * host.
 */
export function createTargetRules(options: {
  readonly dev: boolean;
  readonly allowedHosts: readonly string[];
}): TargetRules {
  const allowed = new Set(options.allowedHosts.map(toAllowedHost));
  const isAllowed = (url: URL) => allowed.has(withoutDot(url.hostname));
  const isLocal = (url: URL) => options.dev && hasLoopbackHost(url);
  return {
    violationOf(url) {
      if (url.username !== "" || url.password !== "") return "must not contain user info";
      const isHere = isLocal(url);
      if (url.protocol !== "https:" && !(isHere && url.protocol === "http:")) return "must be an https URL";
      if (isAllowed(url) || isHere) return undefined;
      return isPublicHost(url) ? undefined : "must name a public host";
    },
    mayConnect(url, address) {
      if (isAllowed(url)) return true;
      if (options.dev && isLoopbackAddress(address)) return true;
      return url.protocol === "https:" && isPublicAddress(address);
    },
    isNear: (url) => isAllowed(url) || isLocal(url),
  };
}

/** Returns the host of the URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1");
}

function isPublicHost(url: URL): boolean {
  if (hasLoopbackHost(url)) return false;
  const host = hostOf(url);
  return isIP(host) === 0 || isPublicAddress(host);
}

function toAllowedHost(text: string): string {
  const host = parseHost(text);
  if (host === undefined) throw new Error(`${JSON.stringify(text)} is not a host name or an address`);
  return withoutDot(host);
}

/** A name is the same with and without the final dot of the DNS root. */
function withoutDot(hostname: string): string {
  return hostname.replace(/\.$/, "");
}
