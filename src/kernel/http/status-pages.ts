import type { Problem } from "../base/problem.ts";
import type { Cors } from "./cors.ts";
import type { NodeExchange } from "./exchanges/node-exchange.ts";
import type { Reply } from "./exchanges/reply.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createPages } from "./pages.ts";
import type { Site } from "./site.ts";

/** The contents of the pages for operators, and the rule for access to them. */
export interface StatusPagesOptions {
  /** Says whether storage answers. A rejection means no. */
  readonly ready: () => Promise<boolean>;
  readonly metrics: Pick<Metrics, "contentType" | "text">;
  /** Whether /metrics may be read in any mode and through proxies. */
  readonly metricsOpen: boolean;
  /** Whether /metrics may be read without a proxy. */
  readonly isLocal: boolean;
  readonly cors: Cors | undefined;
  /** Makes the problem of an unknown path, which /metrics answers where it is hidden. */
  readonly pathUnknown: () => Problem;
}

/** Creates the site of /healthz, /readyz and /metrics. None of them takes a token. */
export function createStatusPages(options: StatusPagesOptions): Site {
  const { ready, metrics, cors, pathUnknown } = options;
  return createPages({
    name: "status pages",
    cors,
    admission: "open",
    pages: {
      "/healthz": { GET: async () => text(200, "ok\n") },
      "/readyz": {
        GET: async () =>
          (await ready().catch(() => false)) ? text(200, "ready\n") : text(503, "not ready\n"),
      },
      "/metrics": {
        async GET(exchange) {
          if (!mayReadMetrics(options, exchange)) throw pathUnknown();
          return {
            status: 200,
            headers: { "content-type": metrics.contentType },
            body: await metrics.text(),
          };
        },
      },
    },
  });
}

/** A request that came through a proxy may come from anywhere, even in local mode. */
function mayReadMetrics({ metricsOpen, isLocal }: StatusPagesOptions, { request }: NodeExchange): boolean {
  if (metricsOpen) return true;
  const isForwarded = Object.keys(request.headers).some(
    (name) => name === "forwarded" || name.startsWith("x-forwarded-"),
  );
  return isLocal && !isForwarded;
}

function text(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}
