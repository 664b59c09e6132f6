import { inflateRawSync } from "node:zlib";
import type { Visited } from "../../oidc/support/user-agent.ts";
import { requireCanonical } from "../support/canonical.ts";

/**
 * Returns the document that a browser takes to a service provider, by HTTP-POST or HTTP-Redirect. Throws when there is none, or when it
 * is not its own canonical form.
 */
export function messageOf(visited: Visited): string {
  const xml = findMessage(visited);
  requireCanonical(xml);
  return xml;
}

function findMessage({ url, page, posted }: Visited): string {
  const fields = new Map(posted);
  const inForm = fields.get("SAMLResponse") ?? fields.get("SAMLRequest");
  if (inForm !== undefined) return Buffer.from(inForm, "base64").toString();
  const inQuery = url.searchParams.get("SAMLResponse") ?? url.searchParams.get("SAMLRequest");
  if (page !== undefined || inQuery === null)
    throw new Error(`no message: ${page?.status} ${url.href} ${page?.text}`);
  return inflateRawSync(Buffer.from(inQuery, "base64")).toString();
}
