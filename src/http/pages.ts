import type { NodeExchange } from "./exchanges/node-exchange.ts";
import { type Reply, reply } from "./exchanges/reply.ts";
import { methodNotAllowed } from "./errors/refusals.ts";
import type { Site } from "./site.ts";

/** Answers one verb of one path. The site refuses the request if it throws. */
export type PageHandler = (exchange: NodeExchange) => Promise<Reply>;

/** The verbs that a page can answer. HEAD comes with GET. */
export type PageVerb = "DELETE" | "GET" | "POST" | "PUT";

/** What a site of pages is made of. */
export interface PagesOptions extends Pick<Site, "name" | "cors" | "admission" | "refuse"> {
  /** The handlers of each path by verb. HEAD is accepted wherever GET is (RFC 9110 §9.3.2). */
  readonly pages: Readonly<Record<string, Readonly<Partial<Record<PageVerb, PageHandler>>>>>;
}

/** Creates a site of exact paths. Raises METHOD_NOT_ALLOWED for verbs that a path does not accept. */
export function createPages({ pages, ...site }: PagesOptions): Site {
  const verbsByPath = new Map(
    Object.entries(pages).map(([path, verbs]) => [path, new Map(Object.entries(verbs))]),
  );
  return {
    ...site,
    paths: [...verbsByPath.keys()],
    async handle(exchange) {
      const verbs = verbsByPath.get(exchange.path) ?? new Map<string, PageHandler>();
      const page = verbs.get(exchange.verb === "HEAD" ? "GET" : exchange.verb);
      if (page === undefined)
        throw methodNotAllowed(verbs.has("GET") ? [...verbs.keys(), "HEAD"] : [...verbs.keys()]);
      const answer = await page(exchange);
      reply(exchange, answer);
      const code = answer.status < 400 ? 0 : answer.status;
      return { operation: exchange.path, protocol: "http", code };
    },
  };
}
