import type { IncomingMessage } from "node:http";
import { requestInvalid } from "../../base/problem.ts";
import type { Exchange } from "./exchange.ts";
import type { NodeExchange } from "./node-exchange.ts";
import type { RequestHeaders } from "./request-headers.ts";
import { headersTooLarge } from "../refusals.ts";

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

/**
 * Headers of which a request has one. Of several Node joins some and of others keeps the first, not the same ones on each
 * version of HTTP, and who stands in front may read another one (RFC 9110 §5.3). `authorization` and `x-service-orgid` are not
 * among them: they are refused where they are read, by what they say together.
 */
const singular: ReadonlySet<string> = new Set([
  "connect-content-encoding",
  "connect-protocol-version",
  "connect-timeout-ms",
  "content-encoding",
  "content-type",
  "grpc-encoding",
  "grpc-timeout",
  "idempotency-key",
  "if-match",
  "x-service-validate-only",
]);

const lengths: ReadonlySet<number> = new Set([...singular].map(({ length }) => length));

/** Refuses a request with several of a header of which there is one. */
export function checkRepeatedHeaders({ rawHeaders }: Pick<RequestHeaders, "rawHeaders">): void {
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
}

// RFC 3986 §3.2.2 and §3.2.3, without user information: a name or an address, and perhaps a port.
const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::\d*)?$/;

/** Refuses a Host that is no authority. It means nothing here otherwise: it is in no answer and in no record. */
export function checkHost(headers: RequestHeaders["headers"]): void {
  const host = headers[":authority"] ?? headers["host"];
  if (host !== undefined && (typeof host !== "string" || !authority.test(host)))
    throw requestInvalid("the Host of the request is not valid");
}

/** Refuses versions that are not framed as HTTP/1.1 is, which Node's parser takes: 0.9 and 2.0 (RFC 9112 §2.3). */
export function checkHttp1Version({ httpVersionMajor }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw requestInvalid("the request is not of HTTP/1.0 or HTTP/1.1");
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
