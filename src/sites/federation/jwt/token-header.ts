import type { RequestHeaders } from "../../../kernel/http/exchanges/request-headers.ts";

/** The most bytes of the header's value, with `Bearer ` in front of it. */
const maxBytes = 8192;
/** RFC 7519 §3: three parts, all of which a signed JWT has. */
const compactForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads the JWT that a gateway has put into a header. `name` is as it is configured; empty: `authorization`. Undefined when the header
 * is missing, comes more than once, or holds anything but one JWT: of two values nobody could say which one the gateway has made.
 */
export function readTokenHeader({ rawHeaders }: RequestHeaders, name: string): string | undefined {
  const wanted = name === "" ? "authorization" : name.toLowerCase();
  const values: string[] = [];
  // As they came: Node joins the values of some headers, and keeps only the first one of others.
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === wanted) values.push(rawHeaders[index + 1] ?? "");
  const [value = ""] = values;
  if (values.length !== 1 || value.length > maxBytes) return undefined;
  const token = value.replace(/^Bearer +/i, "");
  return compactForm.test(token) ? token : undefined;
}
