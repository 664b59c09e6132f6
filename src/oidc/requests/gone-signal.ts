import type { Exchange } from "../../http/exchanges/exchange.ts";

/** One for all: without a reason Node makes an error with a stack for each request, which takes a thirtieth of an introspection. */
const over = new Error("the request is over");

/** Returns a signal that is aborted when the client is gone, or has its answer. */
export function signalOf({ answering }: Pick<Exchange, "answering">): AbortSignal {
  const gone = new AbortController();
  answering.once("close", () => gone.abort(over));
  return gone.signal;
}
