import type { NodeExchange } from "./exchanges/node-exchange.ts";
import { type Reply, reply } from "./exchanges/reply.ts";
import { methodNotAllowed } from "./errors/refusals.ts";
import type { Site } from "./site.ts";

/** Answers one verb of one path. The site refuses the request if it throws. */
export type PageHandler = (exchange: NodeExchange) => Promise<Reply>;

/** The verbs that a page can answer. HEAD comes with GET, unless GET has effects. */
export type PageVerb = "DELETE" | "GET" | "POST" | "PUT";

/** What a site of pages is made of. */
export interface PagesOptions extends Pick<Site, "name" | "cors" | "admission" | "refuse"> {
  /** The handlers of each path by verb. HEAD is accepted wherever GET is (RFC 9110 §9.3.2), unless it has effects. */
  readonly pages: Readonly<Record<string, Readonly<Partial<Record<PageVerb, PageHandler>>>>>;
  /**
   * Whether GET changes something, as where browsers bring what applications ask. HEAD, which must change nothing (RFC 9110 §9.2.1), is
   * not accepted then. Default: it changes nothing.
   */
  readonly hasEffects?: boolean;
}

/** Creates a site of exact paths. Raises METHOD_NOT_ALLOWED for verbs that a path does not accept. */
export function createPages({ pages, hasEffects = false, ...site }: PagesOptions): Site {
  const verbsByPath = new Map(
    Object.entries(pages).map(([path, handlers]) => {
      const verbs = new Map<string, PageHandler>(Object.entries(handlers));
      if (handlers.GET !== undefined && !hasEffects) verbs.set("HEAD", handlers.GET);
      return [path, verbs];
    }),
  );
  return {
    ...site,
    paths: [...verbsByPath.keys()],
    async handle(exchange) {
      const verbs = verbsByPath.get(exchange.path) ?? new Map<string, PageHandler>();
      const page = verbs.get(exchange.verb);
      if (page === undefined) throw methodNotAllowed([...verbs.keys()]);
      return await send(exchange, page, exchange.path);
    },
  };
}

/** Creates the site of all paths below one, which a single page answers. Raises METHOD_NOT_ALLOWED for other verbs. */
export function createPagesBelow(
  path: string,
  {
    verbs,
    page,
    ...site
  }: Omit<Site, "paths" | "handle"> & { readonly verbs: readonly string[]; readonly page: PageHandler },
): Site {
  return {
    ...site,
    paths: [`${path}/*`],
    async handle(exchange) {
      if (!verbs.includes(exchange.verb)) throw methodNotAllowed(verbs);
      return await send(exchange, page, path);
    },
  };
}

async function send(exchange: NodeExchange, page: PageHandler, operation: string) {
  const answer = await page(exchange);
  reply(exchange, answer);
  return { operation, protocol: "http", code: answer.status < 400 ? 0 : answer.status };
}
