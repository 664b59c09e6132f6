import { type Reply, reply } from "./exchanges/reply.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { NodeExchange } from "./exchanges/node-exchange.ts";
import { routeNotFound } from "../rpc/errors/refusals.ts";
import { methodNotAllowed } from "./refusals.ts";

/** What is served beside the rpcs. None of it takes a token. */
export interface BesideOptions {
  readonly ready: () => Promise<boolean>;
  readonly metrics: Metrics;
  /** Whether /metrics may be read in any mode and through proxies. */
  readonly metricsOpen: boolean;
  /** Whether /metrics may be read without a proxy. */
  readonly isLocal: boolean;
  readonly openApi: Uint8Array;
}

export type Beside = (exchange: NodeExchange) => Promise<void>;

/** Returns the paths beside the rpcs. Only GET is taken. Raises METHOD_NOT_ALLOWED, and ROUTE_NOT_FOUND where hidden. */
export function createBeside(options: BesideOptions): ReadonlyMap<string, Beside> {
  const pages: Readonly<Record<string, (exchange: NodeExchange) => Promise<Reply>>> = {
    "/healthz": async () => text(200, "ok\n"),
    "/readyz": async () =>
      (await options.ready().catch(() => false)) ? text(200, "ready\n") : text(503, "not ready\n"),
    "/openapi.json": async () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      body: options.openApi,
    }),
    "/metrics": async (exchange) => {
      if (!mayReadMetrics(options, exchange)) throw routeNotFound("not-found");
      return {
        status: 200,
        headers: { "content-type": options.metrics.contentType },
        body: await options.metrics.text(),
      };
    },
  };
  return new Map(
    Object.entries(pages).map(([path, page]) => [
      path,
      async (exchange: NodeExchange) => {
        if (exchange.verb !== "GET") throw methodNotAllowed(["GET"]);
        reply(exchange, await page(exchange));
      },
    ]),
  );
}

/** A request that came through a proxy comes from anywhere, even in local mode. */
function mayReadMetrics({ metricsOpen, isLocal }: BesideOptions, { request }: NodeExchange): boolean {
  if (metricsOpen) return true;
  const isForwarded = Object.keys(request.headers).some(
    (name) => name === "forwarded" || name.startsWith("x-forwarded-"),
  );
  return isLocal && !isForwarded;
}

function text(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}
