import type { AnswerHeaders, Exchange } from "./exchange.ts";

/** An answer of plain HTTP, in one piece. */
export interface Reply {
  readonly status: number;
  /** They override the headers of every answer. */
  readonly headers?: Readonly<AnswerHeaders>;
  /** Default: empty. */
  readonly body?: string | Uint8Array;
}

/** Sends an answer of plain HTTP that must not be cached, unless its headers say otherwise. */
export function reply(exchange: Exchange, { status, headers, body = "" }: Reply): void {
  exchange.send({
    status,
    headers: {
      ...exchange.headers,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      // RFC 9110 §8.6: an answer 204 has no length.
      ...(status === 204 ? {} : { "content-length": String(Buffer.byteLength(body)) }),
      ...headers,
    },
    body,
  });
}
