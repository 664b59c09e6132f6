import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import type { Exchange } from "../kernel/http/exchanges/exchange.ts";

/** Creates the exchange of a browser that is not there: a visit without headers and cookies, and nobody who reads the answer. */
export function createSilentExchange({
  requestId,
  remoteAddress,
  path,
}: Pick<Exchange, "requestId" | "remoteAddress" | "path">): Exchange {
  return {
    requestId,
    isHttp2: false,
    verb: "GET",
    path,
    query: undefined,
    remoteAddress,
    request: { headers: {}, rawHeaders: [] },
    headers: {},
    body: Readable.from([]),
    hasBody: false,
    answering: new EventEmitter(),
    isAnswered: false,
    isGone: false,
    header: () => undefined,
    discard: async () => {},
    send() {},
    giveWay() {},
    cut() {},
  };
}
