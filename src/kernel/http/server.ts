import type { Logger } from "pino";
import type { Random } from "../base/random.ts";
import type { Tracing } from "../base/tracing/tracing.ts";
import { createAdmission } from "./admission.ts";
import { createUnreadAnswers } from "./bodies/unread-answers.ts";
import { createUnreadableRequests, type RenderProblem } from "./connections/unreadable-request.ts";
import { createDispatch } from "./dispatch.ts";
import { createRemoteAddress } from "./exchanges/client-address.ts";
import { createRequestChecks } from "./exchanges/request-checks.ts";
import { createRequestIds } from "./exchanges/request-ids.ts";
import { createForeignRefusal } from "./foreign-refusal.ts";
import type { Limits } from "./connections/limits.ts";
import { createListener, type Listener, type ListenerOptions } from "./listener.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { createReportThrottle } from "./report-throttle.ts";
import { createSiteTable } from "./site-table.ts";
import type { Refuse, Site } from "./site.ts";

/** What a server is made of. */
export interface ServerOptions extends Pick<ListenerOptions, "host" | "port" | "tls" | "door"> {
  readonly limits: Limits;
  /** Whether browsers come by https alone: every answer then tells them to stay there (RFC 6797). */
  readonly isHttpsOnly: boolean;
  /** Whether only programs and pages of this machine are answered: see `findForeign`. Default: no. */
  readonly isLocalOnly?: boolean;
  /** Addresses and networks whose X-Forwarded-For counts. */
  readonly trustedProxies: readonly string[];
  /** The sites. The first one that takes a path gets its requests. */
  readonly sites: readonly Site[];
  /** Refuses requests for sites that have no shape of their own for that. */
  readonly refuse: Refuse;
  /** Renders the problem of bytes that are not a request, so that the site is unknown. */
  readonly renderProblem: RenderProblem;
  /** Stopped with the server. */
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Makes the ids of requests. */
  readonly random: Random;
  readonly tracing?: Tracing | undefined;
}

/** Serves sites on one port. */
export interface Server extends Listener {
  /**
   * Refuses new requests, ends open streams, lets calls in progress end, and cuts the rest after
   * `limits.stopTimeoutMs`.
   */
  stop(): Promise<void>;
}

/** Headers that mean something to the port itself and that no request may repeat. */
const singularHeaders = ["content-type", "content-encoding"];

/**
 * Puts the parts of the port around the sites. Throws for sites that take each other's paths, and for proxies that
 * are not addresses.
 */
export function createServer(options: ServerOptions): Server {
  const { limits, logger, metrics, sites } = options;
  const nextRequestId = createRequestIds(options.random);
  let isStopping = false;
  const commonHeaders = options.isHttpsOnly ? { "strict-transport-security": "max-age=31536000" } : undefined;
  const dispatch = createDispatch({
    findSite: createSiteTable(sites),
    refuse: options.refuse,
    checks: createRequestChecks({
      maxHeaderBytes: limits.maxHeaderBytes,
      singularHeaders: [...singularHeaders, ...sites.flatMap((site) => site.singularHeaders ?? [])],
      isStopping: () => isStopping,
    }),
    refuseForeign: options.isLocalOnly === true ? createForeignRefusal(options.renderProblem) : undefined,
    admission: createAdmission(limits.maxCalls, createRefusalReport(options)),
    metrics,
    logger,
    remoteAddress: createRemoteAddress(
      options.trustedProxies,
      createReportThrottle((count) => logger.warn({ count }, "forwarded_for.ignored")),
    ),
    nextRequestId,
    commonHeaders,
    tracing: options.tracing,
    unread: createUnreadAnswers(limits.writeTimeoutMs, limits.maxBufferedBytes),
  });
  const unreadable = createUnreadableRequests({
    renderProblem: options.renderProblem,
    nextRequestId,
    commonHeaders,
    maxHeaderBytes: limits.maxHeaderBytes,
  });
  const listener = createListener({
    ...dispatch,
    host: options.host,
    port: options.port,
    tls: options.tls,
    door: options.door,
    limits,
    metrics,
    unreadable,
    onRefused: (count) =>
      logger.warn({ count, max_connections: limits.maxConnections }, "connections.refused"),
    onFlood: (flood) => logger.warn({ flood }, "connection.cut"),
  });
  return {
    ...listener,
    async stop() {
      isStopping = true;
      for (const site of sites) site.stop?.();
      await listener.stop();
      metrics.stop();
    },
  };
}

/** Counts refused calls in the metrics, and reports them in at most one line of the log per minute. */
function createRefusalReport({ limits, logger, metrics }: ServerOptions): () => void {
  const report = createReportThrottle((count) =>
    logger.warn({ count, max_calls: limits.maxCalls }, "calls.refused"),
  );
  return () => {
    metrics.callRefused();
    report();
  };
}
