import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { redirectTo } from "./layout.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";

/**
 * Sends a browser that came to the address of this machine on to its name, which the issuer has in local mode: cookies and
 * security keys are of the name. Undefined where there is nothing to do; no other host counts for anything.
 */
export function redirectToIssuer(
  exchange: Pick<Exchange, "header" | "verb" | "path" | "query">,
  issuer: string,
): Reply | undefined {
  const [scheme, port] = issuer.split("//localhost");
  const host = exchange.header("host") ?? exchange.header(":authority");
  if (port === undefined || !/^https?:$/.test(scheme ?? "") || exchange.verb === "POST") return undefined;
  if (host !== `127.0.0.1${port}` && host !== `[::1]${port}`) return undefined;
  return redirectTo(`${issuer}${exchange.path}${exchange.query === undefined ? "" : `?${exchange.query}`}`);
}
