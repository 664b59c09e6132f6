import type { IncomingMessage } from "node:http";
import { requestInvalid } from "../../base/problem.ts";
import { headersTooLarge, methodNotAllowed, overloaded } from "../errors/refusals.ts";
import type { Exchange } from "./exchange.ts";
import type { NodeExchange } from "./node-exchange.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** What requests are checked against. */
export interface RequestCheckOptions {
  readonly maxHeaderBytes: number;
  /** The headers, by their names in lower case, that a request may have only once. */
  readonly singularHeaders: readonly string[];
  /** Says whether the service stops. */
  readonly isStopping: () => boolean;
}

/** Checks a request before anything is done for it. Each function raises a problem if a check fails. */
export interface RequestChecks {
  readonly http1: (exchange: NodeExchange) => void;
  readonly http2: (exchange: Exchange) => void;
}

/** Creates the checks of every request to any site: one list for both versions of HTTP. */
export function createRequestChecks(options: RequestCheckOptions): RequestChecks {
  const checkSize = createSizeCheck(options.maxHeaderBytes);
  const checkRepeated = createRepeatedCheck(options.singularHeaders);
  const checkStop = createStopCheck(options.isStopping);
  // In this order. On HTTP/1.1 the parser has counted the headers, and HTTP/2 has neither versions nor transfer codings.
  const checks: readonly Partial<RequestChecks>[] = [
    { http1: checkVersion },
    { http1: checkStop },
    { http2: checkSize },
    { http1: checkRepeated, http2: checkRepeated },
    { http1: checkHttp1Host, http2: checkHost },
    { http2: checkSameHost },
    { http1: checkTransferEncoding },
    { http1: refuseTunnel, http2: refuseTunnel },
  ];
  const http1 = checks.flatMap((check) => check.http1 ?? []);
  const http2 = checks.flatMap((check) => check.http2 ?? []);
  return {
    http1(exchange) {
      for (const check of http1) check(exchange);
    },
    http2(exchange) {
      for (const check of http2) check(exchange);
    },
  };
}

/** Refuses versions that Node's parser takes but that are not framed as HTTP/1.1 is: 0.9 and 2.0 (RFC 9112 §2.3). */
function checkVersion({ request }: NodeExchange): void {
  if (request.httpVersionMajor !== 1) throw requestInvalid("the request is not of HTTP/1.0 or HTTP/1.1");
}

/** HTTP/2 has told its callers which streams are the last (RFC 9113 §6.8); streams that still wait are served. */
function createStopCheck(isStopping: () => boolean): () => void {
  return () => {
    if (isStopping()) throw overloaded("the service is stopping");
  };
}

/**
 * Refuses headers beyond the limit, counted as RFC 9113 §6.5.2 counts them: Node does so only once the peer has acknowledged the
 * limit.
 */
function createSizeCheck(maxBytes: number): (exchange: Exchange) => void {
  return ({ request: { rawHeaders } }) => {
    let bytes = 0;
    for (const part of rawHeaders) bytes += part.length + 16;
    if (bytes > maxBytes) throw headersTooLarge(maxBytes);
  };
}

/**
 * Refuses a request that repeats a singular header. Node joins the values of some headers and keeps the first of
 * others, differently for each version of HTTP, and a proxy in front may read another value (RFC 9110 §5.3).
 */
function createRepeatedCheck(names: readonly string[]): (exchange: Exchange) => void {
  const singular: ReadonlySet<string> = new Set(names);
  const lengths: ReadonlySet<number> = new Set(names.map(({ length }) => length));
  return ({ request: { rawHeaders } }) => {
    let seen: string[] | undefined;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const raw = rawHeaders[index] ?? "";
      if (!lengths.has(raw.length)) continue; // most are none of them
      const name = raw.toLowerCase();
      if (!singular.has(name)) continue;
      if (seen?.includes(name) === true) throw requestInvalid(`the header ${name} must not be repeated`);
      seen ??= [];
      seen.push(name);
    }
  };
}

// RFC 3986 §3.2.2 and §3.2.3, without user information: a name or an address, and perhaps a port.
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/;

/** Refuses a Host that is not an authority. Otherwise the Host is ignored: it appears in no answer and no log. */
function checkHost({ request: { headers } }: { readonly request: Pick<RequestHeaders, "headers"> }): void {
  const host = headers[":authority"] ?? headers["host"];
  if (host !== undefined && (typeof host !== "string" || !authority.test(host)))
    throw requestInvalid("the Host of the request is not valid");
}

/**
 * Refuses a Host that names another server than `:authority`, as malformed (RFC 9113 §8.3.1): a proxy in front may have decided by the
 * one that we do not read. They are compared as URLs are (RFC 3986 §6.2.2.1 and §6.2.3), and nearly nobody sends both.
 */
function checkSameHost({ request: { headers } }: Pick<Exchange, "request">): void {
  const { host, ":authority": named, ":scheme": scheme } = headers;
  if (host === undefined || named === undefined || host === named) return;
  const defaultPort = scheme === "https" ? "443" : "80";
  const normal = (text: string) => text.toLowerCase().replace(new RegExp(`:(?:${defaultPort})?$`), "");
  if (normal(String(host)) !== normal(String(named)))
    throw requestInvalid("the header host names another host than :authority");
}

/** Also refuses none and several of them, as RFC 9112 §3.2 demands. */
function checkHttp1Host({ request }: { readonly request: IncomingMessage }): void {
  const { headers, headersDistinct, httpVersion } = request;
  if (headers.host === undefined && httpVersion === "1.1")
    throw requestInvalid("the request has no Host header");
  checkHost({ request });
  if ((headersDistinct.host?.length ?? 1) > 1) throw requestInvalid("the request has several Host headers");
}

/**
 * Refuses transfer codings other than `chunked`, and ends the connection. Node also takes a list that ends in it, in which a
 * server in front may have seen another end of the body (RFC 9112 §11.2).
 */
function checkTransferEncoding({ request, response }: NodeExchange): void {
  const coding = request.headers["transfer-encoding"];
  if (coding === undefined || coding.toLowerCase() === "chunked") return;
  response.shouldKeepAlive = false;
  throw requestInvalid("the transfer-encoding of the request must be chunked");
}

/** Refuses CONNECT, which asks for a tunnel to somewhere else (RFC 9110 §9.3.6). No path takes it. */
function refuseTunnel({ verb }: Pick<Exchange, "verb">): void {
  if (verb === "CONNECT") throw methodNotAllowed(["DELETE", "GET", "POST", "PUT"]);
}
