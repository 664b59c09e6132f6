import type { IncomingMessage } from "node:http";
import { requestInvalid } from "../base/problem.ts";
import type { Exchange } from "./exchange.ts";
import type { NodeExchange, RequestHeaders } from "./node-exchange.ts";
import { headersTooLarge } from "./refusals.ts";

/** Connect has one version so far; a call of another one is not for us to guess at. */
export function checkConnectVersion(exchange: Exchange): void {
  const version = exchange.header("connect-protocol-version");
  if (version !== undefined && version !== "1")
    throw requestInvalid("the header connect-protocol-version must be 1");
}

/**
 * Refuses headers beyond the limit on HTTP/2, counted as RFC 9113 §6.5.2 counts them: Node does so only once the peer has
 * acknowledged the limit. On HTTP/1.1 the parser has counted.
 */
export function checkHeaderSize({ rawHeaders }: RequestHeaders, maxBytes: number): void {
  let bytes = 0;
  for (const part of rawHeaders) bytes += part.length + 16;
  if (bytes > maxBytes) throw headersTooLarge(maxBytes);
}

// RFC 3986 §3.2.2 and §3.2.3, without user information: a name or an address, and perhaps a port.
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/;

/** Refuses a Host that is no authority. It means nothing here otherwise: it is in no answer and in no record. */
export function checkHost(headers: RequestHeaders["headers"]): void {
  const host = headers[":authority"] ?? headers["host"];
  if (host !== undefined && (typeof host !== "string" || !authority.test(host)))
    throw requestInvalid("the Host of the request is not valid");
}

/** Refuses what RFC 9112 §3.2 refuses besides: none or several on HTTP/1.1. */
export function checkHttp1Host({ headers, headersDistinct, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === "1.1")
    throw requestInvalid("the request has no Host header");
  checkHost(headers);
  if ((headersDistinct.host?.length ?? 1) > 1) throw requestInvalid("the request has several Host headers");
}

/**
 * Refuses transfer codings other than `chunked`, and ends the connection. Node also takes a list that ends in it, in which a
 * server in front may have seen another end of the body (RFC 9112 §11.2).
 */
export function checkTransferEncoding({ request, response }: NodeExchange): void {
  const coding = request.headers["transfer-encoding"];
  if (coding === undefined || coding.toLowerCase() === "chunked") return;
  response.shouldKeepAlive = false;
  throw requestInvalid("the transfer-encoding of the request must be chunked");
}
