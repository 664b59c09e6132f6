import type { Problem } from "../../kernel/base/problem.ts";
import type { RenderProblem } from "../../kernel/http/connections/unreadable-request.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Leave } from "../../kernel/http/admission.ts";
import type { Outcome } from "../../kernel/http/site.ts";
import { replyError } from "./errors/reply.ts";
import { routeNotFound } from "./errors/refusals.ts";
import { toStatusJson } from "./errors/status.ts";
import { toTrailers } from "./errors/trailers.ts";
import { parseFramedType } from "./lanes/content-types.ts";
import type { FramedType } from "./lanes/framed-body.ts";
import { replyTrailersOnly } from "./lanes/framed-call.ts";

/** Answers a request that reached no method with a problem, in the shape that clients of its content type read. */
export async function refuseCall(exchange: Exchange, problem: Problem, leave: Leave): Promise<Outcome> {
  const contentType = exchange.header("content-type") ?? "";
  const type = parseFramedType(contentType);
  if (type === "refused" && problem.reason === "CONTENT_TYPE_UNSUPPORTED") {
    // grpc-web 2.1.1 (https://github.com/grpc/grpc-web) turns any other HTTP status and content type into UNKNOWN.
    // Delete this once it reads grpc-status there too.
    if (/^\s*application\/grpc-web/i.test(contentType)) {
      const code = await replyTrailersOnly(exchange, { type: webType, error: problem, leave });
      return { operation: undefined, protocol: "grpc-web", code };
    }
    // Both in JSON and in gRPC headers, because it is unknown which of them the caller reads.
    Object.assign(exchange.headers, toTrailers(problem));
  }
  const isFramed = type !== undefined && type !== "refused";
  const code = isFramed
    ? await replyTrailersOnly(exchange, { type, error: problem, leave })
    : replyError(exchange, problem);
  return { operation: undefined, protocol: "http", code };
}

/** The answers for requests that match no operation. */
export const callRefusals = {
  refuse: refuseCall,
  pathUnknown: () => routeNotFound("not-found"),
};

/** Renders a problem as google.rpc.Status in JSON. */
export const renderStatus: RenderProblem = (problem) => ({
  contentType: "application/json",
  body: JSON.stringify(toStatusJson(problem)),
});

const webType: FramedType = {
  protocol: "grpc-web",
  codec: "proto",
  isText: false,
  contentType: "application/grpc-web+proto",
};
