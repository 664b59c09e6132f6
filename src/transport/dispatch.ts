import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import type { Logger } from "pino";
import { requestInvalid } from "../base/problem.ts";
import type { Beside } from "./beside.ts";
import type { CallRoom } from "./call-room.ts";
import type { Cors } from "./cors.ts";
import { toProblem, toTrailers } from "./errors.ts";
import type { Exchange, Outcome } from "./exchange.ts";
import { reply } from "./exchange.ts";
import type { FramedType } from "./lanes/framed-body.ts";
import { replyTrailersOnly } from "./lanes/framed-call.ts";
import { replyError } from "./lanes/http-lane.ts";
import type { Metrics } from "./metrics.ts";
import { contentTypeUnsupported, headersTooLarge, methodNotAllowed, overloaded } from "./refusals.ts";
import type { RemoteAddress } from "./remote-address.ts";
import type { UnreadAnswers } from "./unread.ts";

export interface DispatchOptions {
  readonly beside: ReadonlyMap<string, Beside>;
  readonly httpLane: (exchange: Exchange) => Promise<Outcome>;
  /** Serves what it takes of the calls in frames; returns undefined for the others. */
  readonly unaryLane: (exchange: Exchange, type: FramedType) => Promise<Outcome> | undefined;
  readonly connectLane: (exchange: Exchange, type: FramedType) => Promise<Outcome>;
  /** Paths of the rpcs that take no token: health and reflection. */
  readonly openPaths: ReadonlySet<string>;
  readonly room: CallRoom;
  readonly cors: Cors;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly remoteAddress: RemoteAddress;
  readonly nextRequestId: () => string;
  /** Aborted when the service stops: what comes in from then on is refused. */
  readonly stopping: AbortSignal;
  readonly unread: UnreadAnswers;
  readonly maxHeaderBytes: number;
}

/**
 * Returns the listener of requests: it finds the lane of each, and answers whatever goes wrong on the way. It never
 * throws: an exception in a request listener would end the process.
 */
export function createDispatch(options: DispatchOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const startedMs = performance.now();
    // A socket that breaks is seen by who reads or writes; nobody else may fall over it.
    request.on("error", () => {});
    response.on("error", () => {});
    let exchange: Exchange | undefined;
    options.metrics.open.calls++;
    try {
      exchange = toExchange(options, request, response);
      const current = exchange;
      dispatch(options, current)
        .catch((error: unknown) => salvage(current, error))
        .then((outcome) => record(options, current, outcome, performance.now() - startedMs))
        .catch(() => response.destroy())
        .finally(() => {
          options.metrics.open.calls--;
          options.room.leave(current);
        });
    } catch (error) {
      options.logger.error({ err: error, request_id: exchange?.requestId }, "request.broken");
      options.metrics.open.calls--;
      response.destroy();
    }
  };
}

function toExchange(options: DispatchOptions, request: IncomingMessage, response: ServerResponse): Exchange {
  const requestId = options.nextRequestId();
  const url = toOriginForm(request.url ?? "");
  const question = url.indexOf("?");
  const { headers } = request;
  const header = (name: string): string | undefined => {
    const value = name === "authorization" ? authorizationOf(request) : headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
  return {
    request,
    response,
    requestId,
    isHttp2: request.httpVersionMajor === 2,
    verb: request.method ?? "",
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? undefined : url.slice(question + 1),
    unread: options.unread,
    remoteAddress: options.remoteAddress(request.socket.remoteAddress, header("x-forwarded-for")),
    headers: { "x-request-id": requestId, ...options.cors.headersFor(header("origin")) },
    header,
  };
}

/**
 * Returns every authorization that was sent: of several Node keeps the first, on each version of HTTP, and here none may be
 * preferred.
 */
function authorizationOf({ rawHeaders }: IncomingMessage): string | undefined {
  const values = rawHeaders.filter(
    (_text, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "authorization",
  );
  return values.length === 0 ? undefined : values.join(", ");
}

/** RFC 9112 §3.2.2: servers take the absolute form too. The host in it means as little as the Host header. */
function toOriginForm(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

async function dispatch(options: DispatchOptions, exchange: Exchange): Promise<Outcome> {
  if (options.stopping.aborted) throw overloaded("the service is stopping");
  checkHeaderSize(exchange, options.maxHeaderBytes);
  checkHost(exchange);
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
  if (type === "refused") return refuseType(exchange);
  if (type === undefined || type.protocol === "connect") checkConnectVersion(exchange);
  if (options.openPaths.has(exchange.path)) options.room.enterAside(exchange);
  else options.room.enter(exchange);
  if (type === undefined) return options.httpLane(exchange);
  return options.unaryLane(exchange, type) ?? options.connectLane(exchange, type);
}

/** Connect has one version so far; a call of another one is not for us to guess at. */
function checkConnectVersion(exchange: Exchange): void {
  const version = exchange.header("connect-protocol-version");
  if (version !== undefined && version !== "1")
    throw requestInvalid("the header connect-protocol-version must be 1");
}

/**
 * Refuses headers beyond the limit on HTTP/2, counted as RFC 9113 §6.5.2 counts them: Node does so only once the peer has
 * acknowledged the limit. On HTTP/1.1 the parser has counted.
 */
function checkHeaderSize({ request, isHttp2 }: Exchange, maxBytes: number): void {
  if (!isHttp2) return;
  let bytes = 0;
  for (const part of request.rawHeaders) bytes += part.length + 16;
  if (bytes > maxBytes) throw headersTooLarge(maxBytes);
}

/** Returns the protocol with frames that the content type names; undefined when it is none of them. */
function readFramedType(contentType: string | undefined): FramedType | "refused" | undefined {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!/^application\/(?:grpc|connect)(?:$|[+-])/.test(type)) return undefined;
  const match =
    /^application\/(?:(?<protocol>grpc|grpc-web)(?:\+proto)?|connect\+(?<codec>proto|json))$/.exec(type);
  if (match === null) return "refused";
  const protocol = (match.groups?.["protocol"] ?? "connect") as FramedType["protocol"]; // the pattern has only these
  return { protocol, codec: match.groups?.["codec"] === "json" ? "json" : "proto", contentType: type };
}

/** Answers a content type that has frames but is not served, in the way in which its clients read errors. */
function refuseType(exchange: Exchange): Outcome {
  const error = contentTypeUnsupported(
    "use the binary formats: application/grpc, application/grpc+proto, application/grpc-web or application/grpc-web+proto",
  );
  if (/^\s*application\/grpc-web/i.test(exchange.header("content-type") ?? "")) {
    // grpc-web 2.1.1 (https://github.com/grpc/grpc-web), whose default is the text format, makes UNKNOWN of any other
    // HTTP status and content type. Once it reads grpc-status there too, this can go.
    const type = { protocol: "grpc-web", codec: "proto", contentType: "application/grpc-web+proto" } as const;
    return { method: undefined, lane: "grpc-web", code: replyTrailersOnly(exchange, type, error), error };
  }
  // In JSON and in the headers of gRPC at once: nobody knows which of them the caller reads.
  for (const [name, value] of Object.entries(toTrailers(error))) exchange.response.setHeader(name, value);
  return { method: undefined, lane: "http", code: replyError(exchange, error), error };
}

// RFC 3986 §3.2.2 and §3.2.3, without user information: a name or an address, and perhaps a port.
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/;

/**
 * Refuses a Host that RFC 9112 §3.2 refuses: none or several on HTTP/1.1, or one that is no authority. It means
 * nothing here otherwise: it is in no answer and in no record.
 */
function checkHost({ request, isHttp2 }: Exchange): void {
  const host = isHttp2 ? (request.headers[":authority"] ?? request.headers.host) : request.headers.host;
  if (host === undefined) {
    if (request.httpVersion === "1.1") throw requestInvalid("the request has no Host header");
    return;
  }
  if (typeof host !== "string" || !authority.test(host)) {
    throw requestInvalid("the Host of the request is not valid");
  }
  if (!isHttp2 && (request.headersDistinct.host?.length ?? 1) > 1)
    throw requestInvalid("the request has several Host headers");
}

/**
 * Refuses transfer codings other than `chunked`, and ends the connection. Node also takes a list that ends in it, in which a
 * server in front may have seen another end of the body (RFC 9112 §11.2).
 */
function checkTransferEncoding({ request, response }: Exchange): void {
  const coding = request.headers["transfer-encoding"];
  if (coding === undefined || coding.toLowerCase() === "chunked") return;
  response.shouldKeepAlive = false;
  throw requestInvalid("the transfer-encoding of the request must be chunked");
}

/** Answers for what no lane has answered. */
function salvage(exchange: Exchange, error: unknown): Outcome {
  const type = readFramedType(exchange.header("content-type"));
  const isFramed = type !== undefined && type !== "refused";
  if (exchange.response.headersSent) exchange.response.destroy();
  const code = isFramed ? replyTrailersOnly(exchange, type, error) : replyError(exchange, error);
  return { method: undefined, lane: "http", code, error };
}

function record(options: DispatchOptions, exchange: Exchange, outcome: Outcome, durationMs: number): void {
  const { lane, code, error } = outcome;
  const method = outcome.method ?? "unknown";
  options.metrics.observe({ method, lane, code: String(code), seconds: durationMs / 1000 });
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
