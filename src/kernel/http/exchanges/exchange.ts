import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import type { RequestHeaders } from "./request-headers.ts";

/** One request and the answer to it, on HTTP/1.1 or HTTP/2. */
export interface Exchange {
  /** Made by the service for every request: 32 hexadecimal digits. */
  readonly requestId: string;
  readonly isHttp2: boolean;
  readonly verb: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark; undefined when there is none. */
  readonly query: string | undefined;
  /** Address of the caller, without port. */
  readonly remoteAddress: string | undefined;
  /** The headers of the request. */
  readonly request: RequestHeaders;
  /** Headers of every answer to this request: x-request-id, CORS, and those of the site. */
  readonly headers: AnswerHeaders;
  /** The body as it comes. */
  readonly body: Readable;
  /** Whether the headers announce a body; undefined: only its end will tell. */
  readonly hasBody: boolean | undefined;
  /** Emits `close` when the answer is over, or the caller is gone. */
  readonly answering: EventEmitter;
  /** Whether the headers of the answer were sent. */
  readonly isAnswered: boolean;
  /** Whether the caller is gone and an answer would not be read. */
  readonly isGone: boolean;
  /** Reads a header of the request by its name in lower case; the values of a repeated one are joined by ", ". */
  header(name: string): string | undefined;
  /** Reads the rest of the request, up to a limit, and discards it. */
  discard(): Promise<void>;
  /**
   * Sends an answer in one piece, and cuts off a caller who does not read it in time. The rest of the request is
   * discarded. Does nothing when an answer has already been started or the caller is gone.
   */
  send(answer: Answer): void;
  /**
   * Lets the next call of the connection start, because this one is answered or may last forever. Harmless to repeat.
   */
  giveWay(): void;
  /** Ends an answer in its middle: on HTTP/2 the stream, on HTTP/1.1 the connection. */
  cut(): void;
}

/** Headers of an answer by their names in lower case. One with several values, such as `set-cookie`, is sent once for each. */
export type AnswerHeaders = Record<string, string | string[]>; // as Node takes them

/** What is sent, at once and as a whole. */
export interface Answer {
  readonly status: number;
  /** All headers. The object is handed over: it may be changed. */
  readonly headers: AnswerHeaders;
  /**
   * Undefined, and no trailers: the answer has only headers. A text is sent in UTF-8; on HTTP/1.1 Node writes it in one piece with the
   * headers, which takes less time than bytes.
   */
  readonly body?: string | Uint8Array | undefined;
  readonly trailers?: Readonly<Record<string, string>> | undefined;
}

/** The facts about a request before anything is done. */
export interface Facts {
  readonly requestId: string;
  readonly remoteAddress: string | undefined;
  /** Headers of every answer to it. */
  readonly headers: AnswerHeaders;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark; undefined when there is none. */
  readonly query: string | undefined;
}
