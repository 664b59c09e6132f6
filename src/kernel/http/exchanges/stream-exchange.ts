import type { ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import { discard, drain } from "./drain.ts";
import type { Answer, AnswerHeaders, Exchange, Facts } from "./exchange.ts";
import { headerOf, type RequestHeaders } from "./request-headers.ts";
import { resetStream } from "../connections/reset-stream.ts";
import type { UnreadAnswers } from "../bodies/unread-answers.ts";
import type { OpenedStream } from "../connections/stream-queue.ts";

/**
 * Events whose listeners keep a call in memory. Until V8 has optimized the code of Node's streams, which takes some
 * ten thousand calls, closed streams survive until the old generation is collected. Everything that hangs on them
 * made each collection of the young generation twice as long.
 */
const ofCalls = ["data", "end", "wantTrailers", "close"];

/**
 * An exchange on a bare HTTP/2 stream: Node's compatibility layer costs a call as much as everything that we do for
 * it.
 */
export class StreamExchange implements Exchange {
  readonly isHttp2 = true;
  readonly requestId: string;
  readonly remoteAddress: string | undefined;
  readonly headers: AnswerHeaders;
  readonly path: string;
  readonly query: string | undefined;
  readonly body: ServerHttp2Stream;
  readonly opened: OpenedStream;
  readonly #unread: UnreadAnswers;
  #isTooLong = false;

  constructor(
    opened: OpenedStream,
    { requestId, remoteAddress, headers, path, query }: Facts,
    unread: UnreadAnswers,
  ) {
    this.requestId = requestId;
    this.remoteAddress = remoteAddress;
    this.headers = headers;
    this.path = path;
    this.query = query;
    this.body = opened.stream;
    this.opened = opened;
    this.#unread = unread;
  }

  get request(): RequestHeaders {
    return this.opened;
  }

  get verb(): string {
    return this.opened.headers[":method"] ?? "";
  }

  get hasBody(): boolean | undefined {
    const length = this.opened.headers["content-length"];
    if (length !== undefined) return length !== "0";
    return this.body.endAfterHeaders ? false : undefined;
  }

  get answering(): ServerHttp2Stream {
    return this.body;
  }

  get isAnswered(): boolean {
    return this.body.headersSent;
  }

  get isGone(): boolean {
    return this.body.destroyed;
  }

  header(name: string): string | undefined {
    return headerOf(this.opened, name);
  }

  async discard(): Promise<void> {
    if (this.body.readableEnded || this.isGone) return;
    this.#isTooLong = !(await discard(this.body));
  }

  send({ status, headers, body, trailers }: Answer): void {
    const stream = this.body;
    if (this.isAnswered || this.isGone) return;
    const head = Object.assign(headers, { ":status": status });
    if (trailers !== undefined) {
      stream.on("wantTrailers", () => stream.sendTrailers(trailers));
      stream.respond(head, { waitForTrailers: true });
      stream.end(body);
    } else if (body === undefined || body.length === 0) stream.respond(head, { endStream: true });
    else {
      stream.respond(head);
      stream.end(body);
    }
    const release = this.#unread.hold(Buffer.byteLength(body ?? ""), () => this.cut());
    stream.once("close", () => {
      release();
      for (const event of ofCalls) stream.removeAllListeners(event);
    });
    if (stream.readableEnded) return;
    // RFC 9113 §8.1: NO_ERROR asks the caller to stop sending without giving up the answer.
    const cut = (): void => stream.close(constants.NGHTTP2_NO_ERROR);
    drain(stream, { isTooLong: this.#isTooLong, cut });
  }

  giveWay(): void {
    this.opened.giveWay();
  }

  cut(): void {
    resetStream(this.body, constants.NGHTTP2_CANCEL);
  }
}
