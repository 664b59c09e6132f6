import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";

/** One for all: without a reason Node makes an error with a stack for each request, which takes as long as reading a row. */
const over = new Error("the request is over");

/** Makes a signal that is aborted when the client is gone, also before this call, or has its answer. */
export function signalOf({ answering, isGone }: Pick<Exchange, "answering" | "isGone">): AbortSignal {
  const gone = new AbortController();
  if (isGone) gone.abort(over);
  else answering.once("close", () => gone.abort(over));
  return gone.signal;
}
