import type { Clock } from "../../../kernel/base/clock.ts";
import type { Problem } from "../../../kernel/base/problem.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import { parseConnectTimeout, parseGrpcTimeout } from "../calls/call-scope.ts";
import { deprecationHeaders } from "./deprecation.ts";
import { codeOf, headersOf } from "../errors/status.ts";
import { toTrailers } from "../errors/trailers.ts";
import { httpStatusOf, toProblem } from "../../../kernel/http/errors/problem-status.ts";
import type { Leave } from "../../../kernel/http/admission.ts";
import type { AnswerHeaders, Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Lane, Method } from "../calls/method.ts";
import { routeNotFound } from "../errors/refusals.ts";
import { contentTypeUnsupported, methodNotAllowed } from "../../../kernel/http/errors/refusals.ts";
import type { FramedRequest, FramedType } from "./framed-body.ts";
import { replyError } from "../errors/reply.ts";
import { wantsText, webTypeOf } from "./web-text.ts";

/** What the lanes of framed messages work with. */
export interface FramedLaneOptions {
  readonly methods: ReadonlyMap<string, Method>;
  readonly bodies: BodyReader;
  readonly clock: Clock;
}

/** A call in frames that may be made, and its timeout. */
export interface OpenedCall extends FramedRequest {
  readonly timeoutMs: number | undefined;
}

/** Opens the call that the headers request. Raises a problem if they are wrong. */
export function openCall(
  { methods, bodies }: Pick<FramedLaneOptions, "methods" | "bodies">,
  exchange: Exchange,
  type: FramedType,
): OpenedCall {
  const method = methods.get(exchange.path);
  if (method === undefined) throw routeNotFound("unimplemented");
  if (exchange.verb !== "POST") throw methodNotAllowed(["POST"]);
  if (type.protocol === "grpc" && !exchange.isHttp2) {
    // gRPC is defined on HTTP/2 (PROTOCOL-HTTP2). Its status is in trailers, which most HTTP/1.1 clients and proxies drop: to
    // them a failed call would look like a success.
    throw contentTypeUnsupported("gRPC needs HTTP/2; on HTTP/1.1 use gRPC-web or JSON");
  }
  if (type.protocol === "connect" && method.kind === "unary") {
    throw contentTypeUnsupported("the method does not stream: use application/json or application/proto");
  }
  if (method.descriptor.methodKind === "bidi_streaming" && !exchange.isHttp2) {
    throw contentTypeUnsupported("the method streams in both directions, which needs HTTP/2");
  }
  const timeoutMs =
    type.protocol === "connect"
      ? parseConnectTimeout(exchange.header("connect-timeout-ms"))
      : parseGrpcTimeout(exchange.header("grpc-timeout"));
  return { ...type, exchange, method, timeoutMs, maxBytes: method.maxRequestBytes ?? bodies.maxMessageBytes };
}

/** Names the lane in logs and metrics. */
export function laneOf({ protocol, isText }: Pick<FramedType, "protocol" | "isText">): Lane {
  return isText ? "grpc-web-text" : protocol;
}

/** Lists the headers of every answer to an opened call, except for those that its protocol adds. */
export function headersOfAnswer({ exchange, method }: OpenedCall): AnswerHeaders {
  return { ...exchange.headers, "cache-control": "no-store", ...deprecationHeaders(method.descriptor) };
}

/** A refused call, which may give its place back. */
interface Refused {
  readonly leave: Leave;
}

/**
 * Reads a refused gRPC request to its end before it is answered. Clients consider a message sent once it is in their queue: if the
 * answer comes early, grpc-go sends neither the rest of the message nor RST_STREAM, and the stream would stay open at this end
 * alone. A body that did not arrive in time is not waited for again.
 */
export async function readToEnd(
  exchange: Exchange,
  { protocol, problem, leave }: Refused & Pick<FramedType, "protocol"> & { readonly problem: Problem },
): Promise<void> {
  if (protocol !== "grpc" || !exchange.isHttp2 || problem.kind === "deadline") return;
  leave(); // it needs nothing but time
  await exchange.discard();
}

/** Answers with an error in headers only. The result is its canonical code. */
export async function replyTrailersOnly(
  exchange: Exchange,
  { type, error, leave }: Refused & { readonly type: FramedType; readonly error: unknown },
): Promise<number> {
  if (type.protocol === "connect") return replyError(exchange, error, { isConnect: true });
  const problem = toProblem(error, exchange.requestId);
  await readToEnd(exchange, { protocol: type.protocol, problem, leave });
  exchange.send({
    status: problem.reason === "METHOD_NOT_ALLOWED" ? httpStatusOf(problem) : 200,
    headers: {
      ...exchange.headers,
      "content-type": type.protocol === "grpc-web" ? webTypeOf(wantsText(exchange, type)) : type.contentType,
      ...toTrailers(problem),
      ...headersOf(problem),
    },
  });
  return codeOf(problem);
}
