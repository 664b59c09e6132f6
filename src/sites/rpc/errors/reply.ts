import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { reply } from "../../../kernel/http/exchanges/reply.ts";
import { httpStatusOf, toProblem } from "../../../kernel/http/errors/problem-status.ts";
import { toConnectJson } from "./connect-json.ts";
import { codeOf, headersOf, toStatusJson } from "./status.ts";

interface ErrorReply {
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request is one of Connect's streams, whose callers need not send Connect-Protocol-Version. */
  readonly isConnect?: boolean;
}

/**
 * Answers with the error in the shape that the caller reads: Connect's for callers that speak it, google.rpc.Status in JSON for
 * all others. The result is its canonical code.
 */
export function replyError(
  exchange: Exchange,
  error: unknown,
  { headers, isConnect }: ErrorReply = {},
): number {
  const problem = toProblem(error, exchange.requestId);
  const wantsConnect = isConnect === true || exchange.header("connect-protocol-version") !== undefined;
  reply(exchange, {
    status: httpStatusOf(problem),
    headers: { "content-type": "application/json", ...headers, ...headersOf(problem) },
    body: JSON.stringify(wantsConnect ? toConnectJson(problem) : toStatusJson(problem)),
  });
  return codeOf(problem);
}
