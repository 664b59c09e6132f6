import { ScimError } from "../errors/scim-error.ts";
import { isMembers, type ScimResource, plainTextOf } from "../schemas/resource.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/** Reads a part of `meta` of a resource. */
export function metaTextOf({ meta }: ScimResource, name: "version" | "location"): string | undefined {
  return isMembers(meta) ? plainTextOf(meta[name]) : undefined;
}

/** Makes sure that the resource has one of the versions that a client expects, if it names any (RFC 7644 §3.14). Raises 412. */
export function requireVersionAmong(expected: string | undefined, resource: ScimResource): void {
  if (expected === undefined || includes(expected, resource)) return;
  throw new ScimError(412, undefined, "the resource has changed; read it again");
}

/** Says whether the client has this version already. */
export function isKnownVersion(exchange: Exchange, resource: ScimResource): boolean {
  const known = exchange.header("if-none-match");
  return known !== undefined && includes(known, resource);
}

/** Weak versions are compared (RFC 9110 §8.8.3.2): ours are digests of all that is shown. */
function includes(header: string, resource: ScimResource): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  const tags = new Set(header.split(",").map(opaque));
  return tags.has("*") || tags.has(opaque(metaTextOf(resource, "version") ?? ""));
}
