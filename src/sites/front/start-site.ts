import type { Brands } from "../../identity/branding/brands.ts";
import type { NodeExchange } from "../../kernel/http/exchanges/node-exchange.ts";
import { reply } from "../../kernel/http/exchanges/reply.ts";
import type { Site } from "../../kernel/http/site.ts";
import { redirectToIssuer } from "../login/issuer-origin.ts";
import { prefersPage } from "./negotiation.ts";

/** What the start page is made of. */
export interface StartSiteOptions {
  /** Returns the issuer; undefined when nobody can sign in, and then a browser gets what programs get. */
  readonly issuer: () => string | undefined;
  /** The file that the link of the first administrator is written to, if the page may say so: in local mode. */
  readonly adminLinkFile: string | undefined;
  readonly brands: Brands;
  /** The site that answers everybody but browsers. */
  readonly calls: Site;
}

/** Creates the site of `/`: a page for browsers, and for programs what they get at every path that there is not. */
export function createStartSite({
  issuer: findIssuer,
  adminLinkFile,
  brands,
  calls,
}: StartSiteOptions): Site {
  const isForBrowser = (exchange: NodeExchange): boolean =>
    ["GET", "HEAD"].includes(exchange.verb) && prefersPage(exchange.header("accept"));
  return {
    ...calls,
    name: "start page",
    paths: ["/"],
    stop: () => {}, // the calls are stopped by their own site
    async handle(exchange, leave) {
      const issuer = findIssuer();
      const { vary = [] } = exchange.headers;
      exchange.headers["vary"] = [vary, "accept", "accept-language"].flat().join(", ");
      if (issuer === undefined || !isForBrowser(exchange)) return await calls.handle(exchange, leave);
      const { renderStart } = await import("./pages.ts");
      await brands.refresh();
      const answer =
        redirectToIssuer(exchange, issuer) ?? renderStart(exchange, { issuer, adminLinkFile, brands });
      reply(exchange, answer);
      return { operation: "/", protocol: "http", code: 0 };
    },
  };
}
