import { ScimError } from "../errors/scim-error.ts";
import { isMembers, type ScimResource, plainTextOf } from "../schemas/resource.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/** Returns the version of a resource. */
export function versionOfResource(resource: ScimResource): string {
  const { meta } = resource;
  return (isMembers(meta) ? plainTextOf(meta["version"]) : undefined) ?? "";
}

/** Makes sure that the resource has a version that the client expects (RFC 7644 §3.14). Raises 412. */
export function requireVersion(exchange: Exchange, resource: ScimResource): void {
  const expected = exchange.header("if-match");
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
  return tags.has("*") || tags.has(opaque(versionOfResource(resource)));
}
