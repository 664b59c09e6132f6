import type { RenderProblem } from "./connections/unreadable-request.ts";
import { httpStatusOf } from "./errors/problem-status.ts";
import type { Exchange } from "./exchanges/exchange.ts";
import { reply } from "./exchanges/reply.ts";
import { findForeign } from "./local-only.ts";
import type { Outcome } from "./site.ts";

/** Creates a function that answers a request of elsewhere by its status, whatever the content type; undefined for all others. */
export function createForeignRefusal(render: RenderProblem): (exchange: Exchange) => Outcome | undefined {
  return (exchange) => {
    const problem = findForeign(exchange);
    if (problem === undefined) return undefined;
    const { contentType, body } = render(problem);
    const status = httpStatusOf(problem);
    reply(exchange, { status, headers: { "content-type": contentType }, body });
    return { operation: undefined, protocol: "http", code: status, error: problem };
  };
}
