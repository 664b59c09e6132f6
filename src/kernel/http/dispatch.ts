import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Logger } from "pino";
import type { Admission, Leave } from "./admission.ts";
import type { UnreadAnswers } from "./bodies/unread-answers.ts";
import type { Tracing } from "../base/tracing/tracing.ts";
import type { RemoteAddress } from "./exchanges/client-address.ts";
import type { Exchange, Facts } from "./exchanges/exchange.ts";
import { NodeExchange } from "./exchanges/node-exchange.ts";
import { reply } from "./exchanges/reply.ts";
import type { RequestChecks } from "./exchanges/request-checks.ts";
import { headerOf, type RequestHeaders } from "./exchanges/request-headers.ts";
import type { RequestHandlers } from "./exchanges/requests.ts";
import { StreamExchange } from "./exchanges/stream-exchange.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { toProblem } from "./errors/problem-status.ts";
import type { FindSite } from "./site-table.ts";
import type { Outcome, Refuse, Site } from "./site.ts";

/** What every request goes through before its site, and after it. */
export interface DispatchOptions {
  readonly findSite: FindSite;
  /** Refuses requests for sites that have no shape of their own for that. */
  readonly refuse: Refuse;
  readonly checks: RequestChecks;
  /** Answers a request that no site may see; undefined for all others. Absent: every request may be seen. */
  readonly refuseForeign?: ((exchange: Exchange) => Outcome | undefined) | undefined;
  readonly admission: Admission;
  readonly metrics: Pick<Metrics, "observe" | "open">;
  readonly logger: Logger;
  readonly remoteAddress: RemoteAddress;
  readonly nextRequestId: () => string;
  /** Headers of every answer to any request; undefined: there are none. */
  readonly commonHeaders: Readonly<Record<string, string>> | undefined;
  readonly unread: UnreadAnswers;
  /** Undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
}

/**
 * Creates the handlers of every request. They find its site, check it, give it a place, let the site answer it, and record how it
 * ended. They never throw: an exception in a listener would end the process.
 */
export function createDispatch(options: DispatchOptions): RequestHandlers {
  const { findSite, checks, unread } = options;
  return {
    onRequest(request, response, giveWay) {
      ignoreBreaks(request, response);
      const target = splitTarget(toOriginForm(request.url ?? ""));
      const site = findSite(target.path);
      const address = request.socket.remoteAddress;
      void begin(options, request, {
        site,
        open: () =>
          new NodeExchange(request, response, {
            ...toFacts(options, request, { site, target, address }),
            unread,
            giveWay,
          }),
        check: (exchange) => (exchange.isHttp2 ? checks.http2(exchange) : checks.http1(exchange)),
        handle: site.handle,
        giveWay,
        destroy: () => response.destroy(),
      });
    },
    onStream(opened) {
      const target = splitTarget(opened.headers[":path"] ?? "");
      const site = findSite(target.path);
      const handle = site.findStreamHandler?.(opened.headers);
      if (handle === undefined) return false;
      const address = opened.remoteAddress;
      void begin(options, opened, {
        site,
        open: () => new StreamExchange(opened, toFacts(options, opened, { site, target, address }), unread),
        check: checks.http2,
        handle,
        giveWay: () => opened.giveWay(),
        destroy: () => opened.stream.destroy(),
      });
      return true;
    },
  };
}

/** The code that reads or writes sees a broken socket; it must not break anything else. */
function ignoreBreaks(request: IncomingMessage, response: ServerResponse): void {
  request.on("error", () => {});
  response.on("error", () => {});
}

/** A request in one of the two forms in which Node hands it over. */
interface Incoming<E extends Exchange> {
  readonly site: Site;
  readonly open: () => E;
  readonly check: (exchange: E) => void;
  readonly handle: (exchange: E, leave: Leave) => Promise<Outcome>;
  /** Gives back its place among the calls of its connection. */
  readonly giveWay: () => void;
  readonly destroy: () => void;
}

function begin<E extends Exchange>(
  options: DispatchOptions,
  request: RequestHeaders,
  incoming: Incoming<E>,
): Promise<void> {
  const { tracing } = options;
  if (tracing === undefined) return serve(options, incoming);
  return tracing.request(headerOf(request, "traceparent"), () => serve(options, incoming));
}

async function serve<E extends Exchange>(options: DispatchOptions, incoming: Incoming<E>): Promise<void> {
  const { site } = incoming;
  const startedMs = performance.now();
  let exchange: E | undefined;
  let leave: Leave = () => {};
  options.metrics.open.calls++;
  try {
    exchange = incoming.open();
    let outcome: Outcome | undefined;
    try {
      incoming.check(exchange);
      outcome = options.refuseForeign?.(exchange) ?? answerPreflight(site, exchange);
      if (outcome === undefined) {
        site.check?.(exchange);
        leave = takePlace(options, site, exchange);
        outcome = await incoming.handle(exchange, leave);
      }
    } catch (error) {
      // Not in the turn in which the request came: the parser may still find it broken, and then it would be answered
      // twice.
      await Promise.resolve();
      if (exchange.isAnswered) exchange.cut();
      const refuse = site.refuse ?? options.refuse;
      outcome = { ...(await refuse(exchange, toProblem(error, exchange.requestId), leave)), error };
    }
    record(options, exchange, outcome, performance.now() - startedMs);
  } catch (error) {
    options.logger.error({ err: error, request_id: exchange?.requestId }, "request.broken");
    incoming.destroy();
  } finally {
    options.metrics.open.calls--;
    leave();
    incoming.giveWay();
  }
}

/** Answers a preflight of a browser; undefined for any other request. */
function answerPreflight({ cors }: Site, exchange: Exchange): Outcome | undefined {
  const headers = cors?.preflightHeadersFor(exchange);
  if (headers === undefined) return undefined;
  reply(exchange, { status: 204, headers });
  return { operation: undefined, protocol: "http", code: 0 };
}

function takePlace({ admission }: DispatchOptions, site: Site, exchange: Exchange): Leave {
  const kind = typeof site.admission === "string" ? site.admission : site.admission(exchange.path);
  return kind === "call" ? admission.admit() : admission.admitOpen(exchange);
}

type Target = Pick<Facts, "path" | "query">;

function toFacts(
  options: DispatchOptions,
  request: RequestHeaders,
  {
    site,
    target,
    address,
  }: { readonly site: Site; readonly target: Target; readonly address: string | undefined },
): Facts {
  const requestId = options.nextRequestId();
  const { commonHeaders } = options;
  const corsHeaders = site.cors?.headersFor(headerOf(request, "origin"));
  return {
    requestId,
    path: target.path,
    query: target.query,
    remoteAddress: options.remoteAddress(address, headerOf(request, "x-forwarded-for")),
    headers:
      commonHeaders === undefined
        ? { "x-request-id": requestId, ...corsHeaders }
        : { "x-request-id": requestId, ...commonHeaders, ...corsHeaders },
  };
}

function splitTarget(target: string): Target {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: undefined };
  return { path: target.slice(0, question), query: target.slice(question + 1) };
}

/** RFC 9112 §3.2.2: servers accept the absolute form too. Its host is ignored like the Host header. */
function toOriginForm(url: string): string {
  if (url.startsWith("/")) return url;
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

function record(options: DispatchOptions, exchange: Exchange, outcome: Outcome, durationMs: number): void {
  const { protocol: lane, code, error } = outcome;
  const method = outcome.operation ?? "unknown";
  options.metrics.observe({ method, lane, code: String(code), seconds: durationMs / 1000 });
  const problem = error === undefined ? undefined : toProblem(error, exchange.requestId);
  options.tracing?.ended({
    operation: method,
    lane,
    code,
    requestId: exchange.requestId,
    reason: problem?.reason,
    isFault: problem?.kind === "internal" || problem?.kind === "unavailable",
  });
  if (problem === undefined && !options.logger.isLevelEnabled("debug")) return;
  const fields = {
    request_id: exchange.requestId,
    method,
    lane,
    code,
    ms: Math.round(durationMs * 1000) / 1000,
  };
  if (problem?.kind === "internal") options.logger.error({ ...fields, err: problem.cause }, "call.failed");
  else if (problem?.kind === "unavailable" && problem.cause !== undefined)
    options.logger.warn({ ...fields, reason: problem.reason, err: problem.cause }, "call.unavailable");
  else
    options.logger.debug(problem === undefined ? fields : { ...fields, reason: problem.reason }, "call.done");
}
