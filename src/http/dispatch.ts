import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Logger } from "pino";
import type { Beside } from "./status-pages.ts";
import type { CallRoom } from "./admission.ts";
import { commonTypes, readFramedType } from "../rpc/lanes/content-types.ts";
import type { Cors } from "./cors.ts";
import { toTrailers } from "../rpc/errors/trailers.ts";
import { toProblem } from "./problem-status.ts";
import type { Exchange, Facts, Outcome } from "./exchanges/exchange.ts";
import { reply } from "./exchanges/reply.ts";
import type { FramedType } from "../rpc/lanes/framed-body.ts";
import { replyTrailersOnly } from "../rpc/lanes/framed-call.ts";
import { replyError } from "../rpc/errors/reply.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Method } from "../rpc/calls/method.ts";
import { NodeExchange } from "./exchanges/node-exchange.ts";
import { headerOf, type RequestHeaders } from "./exchanges/request-headers.ts";
import { contentTypeUnsupported, methodNotAllowed, overloaded } from "./refusals.ts";
import type { RemoteAddress } from "./exchanges/client-address.ts";
import {
  checkConnectVersion,
  checkHeaderSize,
  checkHost,
  checkHttp1Host,
  checkHttp1Version,
  checkRepeatedHeaders,
  checkTransferEncoding,
} from "./exchanges/request-checks.ts";
import { StreamExchange } from "./exchanges/stream-exchange.ts";
import type { UnreadAnswers } from "./bodies/unread-answers.ts";
import type { OpenedStream } from "./connections/waiting-streams.ts";

export interface DispatchOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly beside: ReadonlyMap<string, Beside>;
  readonly httpLane: (exchange: Exchange) => Promise<Outcome>;
  /** Serves what it takes of the calls in frames; returns undefined for the others. Absent: it takes none. */
  readonly unaryLane: ((exchange: Exchange, type: FramedType) => Promise<Outcome> | undefined) | undefined;
  readonly connectLane: (exchange: NodeExchange, type: FramedType) => Promise<Outcome>;
  /** Paths of the rpcs that take no token: health and reflection. */
  readonly openPaths: ReadonlySet<string>;
  readonly room: CallRoom;
  readonly cors: Cors;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly remoteAddress: RemoteAddress;
  readonly nextRequestId: () => string;
  /** Aborted when the service stops: what comes in from then on on HTTP/1.1 is refused. */
  readonly stopping: AbortSignal;
  readonly unread: UnreadAnswers;
  readonly maxHeaderBytes: number;
}

export interface Dispatch {
  /** Calls `giveWay` once the answer is on its way, or the stream may last for ever. */
  onRequest(request: IncomingMessage, response: ServerResponse, giveWay: () => void): void;
  /** Serves a stream of HTTP/2 as it is, if it is of the kind that nearly all calls are; false leaves it to onRequest. */
  onStream(opened: OpenedStream): boolean;
}

/**
 * Returns what hears of requests: it finds the lane of each, and answers whatever goes wrong on the way. It never throws: an
 * exception in a listener would end the process.
 */
export function createDispatch(options: DispatchOptions): Dispatch {
  return {
    onRequest(request, response, giveWay) {
      // A socket that breaks is seen by who reads or writes; nobody else may fall over it.
      request.on("error", () => {});
      response.on("error", () => {});
      const open = () => toExchange(options, { request, response, giveWay });
      void serve(options, { open, dispatch, place: { giveWay }, destroy: () => response.destroy() });
    },
    onStream(opened) {
      const { stream } = opened;
      const type = findCommonType(options.methods, opened.headers);
      if (type === undefined || options.unaryLane === undefined) return false;
      const open = () => toStreamExchange(options, opened);
      const run = (_options: DispatchOptions, exchange: StreamExchange) =>
        dispatchCommon(options, exchange, type);
      void serve(options, { open, dispatch: run, place: opened, destroy: () => stream.destroy() });
      return true;
    },
  };
}

/** One kind of exchange. */
interface Kind<E extends Exchange> {
  readonly open: () => E;
  readonly dispatch: (options: DispatchOptions, exchange: E) => Promise<Outcome>;
  /** Its place among the calls of its connection. */
  readonly place: Pick<Exchange, "giveWay">;
  readonly destroy: () => void;
}

async function serve<E extends Exchange>(options: DispatchOptions, kind: Kind<E>): Promise<void> {
  const startedMs = performance.now();
  let exchange: E | undefined;
  options.metrics.open.calls++;
  try {
    exchange = kind.open();
    record(options, exchange, await answer(options, kind, exchange), performance.now() - startedMs);
  } catch (error) {
    options.logger.error({ err: error, request_id: exchange?.requestId }, "request.broken");
    kind.destroy();
  } finally {
    options.metrics.open.calls--;
    if (exchange !== undefined) options.room.leave(exchange);
    kind.place.giveWay();
  }
}

async function answer<E extends Exchange>(
  options: DispatchOptions,
  kind: Kind<E>,
  exchange: E,
): Promise<Outcome> {
  try {
    return await kind.dispatch(options, exchange);
  } catch (error) {
    return await salvage(options, exchange, error);
  }
}

function toExchange(
  options: DispatchOptions,
  { request, response, giveWay }: Pick<NodeExchange, "request" | "response" | "giveWay">,
): NodeExchange {
  const target = toOriginForm(request.url ?? "");
  const facts = toFacts(options, request, { target, address: request.socket.remoteAddress });
  return new NodeExchange(request, response, { ...facts, unread: options.unread, giveWay });
}

function toStreamExchange(options: DispatchOptions, opened: OpenedStream): StreamExchange {
  const target = opened.headers[":path"] ?? "";
  const facts = toFacts(options, opened, { target, address: addressOf(opened) });
  return new StreamExchange(opened, facts, options.unread);
}

function toFacts(
  { nextRequestId, remoteAddress, cors }: DispatchOptions,
  request: RequestHeaders,
  { target, address }: { readonly target: string; readonly address: string | undefined },
): Facts {
  const requestId = nextRequestId();
  return {
    requestId,
    target,
    remoteAddress: remoteAddress(address, headerOf(request, "x-forwarded-for")),
    headers: { "x-request-id": requestId, ...cors.headersFor(headerOf(request, "origin")) },
  };
}

/** The sessions' peers: to ask the socket of a session goes through a proxy each time. */
const addresses = new WeakMap<object, string | undefined>();

function addressOf({ stream: { session } }: OpenedStream): string | undefined {
  if (session === undefined) return undefined;
  if (!addresses.has(session)) addresses.set(session, session.socket.remoteAddress);
  return addresses.get(session);
}

/** RFC 9112 §3.2.2: servers take the absolute form too. The host in it means as little as the Host header. */
function toOriginForm(url: string): string {
  if (url.startsWith("/")) return url;
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

/** Returns the type of a request that is a unary call of the common form; undefined for every other. */
function findCommonType(
  methods: DispatchOptions["methods"],
  headers: OpenedStream["headers"],
): FramedType | "http" | undefined {
  const isCommon =
    headers[":method"] === "POST" &&
    headers.expect === undefined &&
    (headers["grpc-encoding"] ?? "identity") === "identity" &&
    methods.get(headers[":path"] ?? "")?.kind === "unary";
  return isCommon ? commonTypes.get(headers["content-type"] ?? "") : undefined;
}

/** Does what `dispatch` does, as far as it concerns a common request. */
async function dispatchCommon(
  options: DispatchOptions,
  exchange: StreamExchange,
  type: FramedType | "http",
): Promise<Outcome> {
  checkHeaderSize(exchange.opened, options.maxHeaderBytes);
  checkRepeatedHeaders(exchange.opened);
  checkHost(exchange.opened.headers);
  if (type === "http") checkConnectVersion(exchange);
  takePlace(options, exchange);
  if (type !== "http") {
    const outcome = options.unaryLane?.(exchange, type);
    if (outcome !== undefined) return await outcome;
    throw new Error("the unary lane takes what is common");
  }
  return await options.httpLane(exchange);
}

function takePlace({ openPaths, room }: DispatchOptions, exchange: Exchange): void {
  if (openPaths.has(exchange.path)) room.enterAside(exchange);
  else room.enter(exchange);
}

async function dispatch(options: DispatchOptions, exchange: NodeExchange): Promise<Outcome> {
  const { request } = exchange;
  if (!exchange.isHttp2) checkHttp1Version(request);
  // HTTP/2 has told its callers which streams are the last (RFC 9113 §6.8); those that still wait are served.
  if (options.stopping.aborted && !exchange.isHttp2) throw overloaded("the service is stopping");
  if (exchange.isHttp2) checkHeaderSize(request, options.maxHeaderBytes);
  checkRepeatedHeaders(request);
  if (exchange.isHttp2) checkHost(request.headers);
  else checkHttp1Host(request);
  checkTransferEncoding(exchange);
  // A tunnel to somewhere else (RFC 9110 §9.3.6), which no path has.
  if (exchange.verb === "CONNECT") throw methodNotAllowed(["DELETE", "GET", "POST", "PUT"]);
  const preflight = options.cors.preflightHeadersFor({
    verb: exchange.verb,
    origin: exchange.header("origin"),
    requestedVerb: exchange.header("access-control-request-method"),
  });
  if (preflight !== undefined) {
    reply(exchange, { status: 204, headers: preflight });
    return { method: undefined, lane: "http", code: 0 };
  }
  const beside = options.beside.get(exchange.path);
  if (beside !== undefined) {
    options.room.enterAside(exchange);
    await beside(exchange);
    return { method: exchange.path, lane: "http", code: 0 };
  }
  const type = readFramedType(exchange.header("content-type"));
  if (type === "refused") return await refuseType(options, exchange);
  if (type === undefined || type.protocol === "connect") checkConnectVersion(exchange);
  takePlace(options, exchange);
  if (type === undefined) return options.httpLane(exchange);
  return options.unaryLane?.(exchange, type) ?? options.connectLane(exchange, type);
}

const webType: FramedType = {
  protocol: "grpc-web",
  codec: "proto",
  isText: false,
  contentType: "application/grpc-web+proto",
};

/** Answers a content type that has frames but is not served, in the way in which its clients read errors. */
async function refuseType({ room }: DispatchOptions, exchange: NodeExchange): Promise<Outcome> {
  const error = contentTypeUnsupported(
    "use binary protobuf: application/grpc, application/grpc-web or application/grpc-web-text, each also with +proto",
  );
  if (/^\s*application\/grpc-web/i.test(exchange.header("content-type") ?? "")) {
    // grpc-web 2.1.1 (https://github.com/grpc/grpc-web) makes UNKNOWN of any other HTTP status and content type. Once it
    // reads grpc-status there too, this can go.
    const code = await replyTrailersOnly(room, exchange, { type: webType, error });
    return { method: undefined, lane: "grpc-web", code, error };
  }
  // In JSON and in the headers of gRPC at once: nobody knows which of them the caller reads.
  for (const [name, value] of Object.entries(toTrailers(error))) exchange.response.setHeader(name, value);
  return { method: undefined, lane: "http", code: replyError(exchange, error), error };
}

/** Answers for what no lane has answered. */
async function salvage({ room }: DispatchOptions, exchange: Exchange, error: unknown): Promise<Outcome> {
  const type = readFramedType(exchange.header("content-type"));
  const isFramed = type !== undefined && type !== "refused";
  if (exchange.isAnswered) exchange.cut();
  const code = isFramed
    ? await replyTrailersOnly(room, exchange, { type, error })
    : replyError(exchange, error);
  return { method: undefined, lane: "http", code, error };
}

function record(options: DispatchOptions, exchange: Exchange, outcome: Outcome, durationMs: number): void {
  const { lane, code, error } = outcome;
  const method = outcome.method ?? "unknown";
  options.metrics.observe({ method, lane, code: String(code), seconds: durationMs / 1000 });
  if (error === undefined && !options.logger.isLevelEnabled("debug")) return;
  const fields = {
    request_id: exchange.requestId,
    method,
    lane,
    code,
    ms: Math.round(durationMs * 1000) / 1000,
  };
  const problem = error === undefined ? undefined : toProblem(error, exchange.requestId);
  if (problem?.kind === "internal") options.logger.error({ ...fields, err: problem.cause }, "call.failed");
  else if (problem?.kind === "unavailable" && problem.cause !== undefined)
    options.logger.warn({ ...fields, reason: problem.reason, err: problem.cause }, "call.unavailable");
  else
    options.logger.debug(problem === undefined ? fields : { ...fields, reason: problem.reason }, "call.done");
}
