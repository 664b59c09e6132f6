import { createSecureContext, type SecureContext } from "node:tls";
import { hostViolation } from "../../base/url.ts";
import { ConnectionError, type ConnectionSetup, resolveChecked, type ResolveHost } from "../connection.ts";
import { createDnsLookup, lookUpBySystem, openSystemResolver } from "../resolve-host.ts";
import { createTargetRules } from "../target.ts";
import type { Directories } from "../../base/directory/directory.ts";
import { DirectoryError } from "../../base/directory/directory-error.ts";
import { parseServerUrl, type ServerAddress } from "./server-url.ts";

/** Creates what opens connections to servers that callers name, under the rules of the guarded fetch. */
export function createDirectories(options: {
  /** Allows loopback addresses, and plain text to them. */
  readonly dev: boolean;
  /** Hosts that need not be public. */
  readonly allowedHosts: readonly string[];
  /** Hosts that may be spoken to without encryption. */
  readonly plainTextHosts: readonly string[];
  /** Resolves all names. Default: as the guarded fetch does. */
  readonly resolve?: ResolveHost;
}): Directories {
  const rules = createTargetRules(options);
  const plainTextRules = createTargetRules({ dev: options.dev, allowedHosts: options.plainTextHosts });
  const setup: ConnectionSetup = {
    rules,
    resolve: options.resolve ?? createDnsLookup(openSystemResolver),
    resolveNear: options.resolve ?? lookUpBySystem,
    secureContext: undefined,
  };
  const violationOf: Directories["violationOf"] = ({ url, isPlainText }) => {
    const address = parseServerUrl(url);
    if (address === undefined) return "must be ldaps:// or ldap:// with a host and no path";
    const target = toTarget(address);
    const violation = hostViolation(target) ?? rules.violationOf(target);
    if (violation !== undefined) return violation;
    const isOpen = isPlainText && address.scheme === "ldap";
    return isOpen && !plainTextRules.isNear(target)
      ? "must be encrypted: plain text is for hosts that the operator has named only"
      : undefined;
  };
  return {
    violationOf,
    isFilter: async (text) => (await import("./to-filter.ts")).isFilter(text),
    async open(server, limits) {
      const address = parseServerUrl(server.url);
      const violation = violationOf(server);
      if (address === undefined || violation !== undefined)
        throw new DirectoryError("unreachable", "the address is forbidden");
      const timeout = AbortSignal.timeout(limits.timeoutMs);
      const signal = limits.signal === undefined ? timeout : AbortSignal.any([timeout, limits.signal]);
      const addresses = await resolveServer(setup, toTarget(address), signal);
      const { openClient } = await import("./client.ts"); // with the library, which a start does not wait for
      const isEncrypted = address.scheme === "ldaps" || !server.isPlainText;
      return await openClient({
        ...address,
        address: addresses[0]?.address ?? "",
        tls: isEncrypted ? { trusted: trusting(server.trustedCertificates) } : undefined,
        limits,
        signal,
      });
    },
  };
}

/** The rules of addresses are about https; they ask for a host and a port only. */
function toTarget({ host, port }: ServerAddress): URL {
  return new URL(`https://${host}:${port}/`);
}

async function resolveServer(setup: ConnectionSetup, target: URL, signal: AbortSignal) {
  try {
    return await resolveChecked(setup, target, signal);
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    throw new DirectoryError("unreachable", "no address, or a forbidden one");
  }
}

function trusting(certificates: string): SecureContext | undefined {
  return certificates === "" ? undefined : createSecureContext({ ca: certificates });
}
