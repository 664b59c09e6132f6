import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Writable } from "node:stream";
import { discard, drain } from "./drain.ts";
import { askForBody, endUnasked, endUnaskedStream, waitsForContinue } from "./expectation.ts";
import type { Answer, AnswerHeaders, Exchange, Facts } from "./exchange.ts";
import { headerOf } from "./request-headers.ts";
import { streamOf } from "../connections/request-stream.ts";
import { resetStream } from "../connections/reset-stream.ts";
import type { UnreadAnswers } from "../bodies/unread-answers.ts";

/** An exchange in Node's classes for HTTP/1.1, which its compatibility layer offers for HTTP/2 too. */
export class NodeExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly remoteAddress: string | undefined;
  readonly headers: AnswerHeaders;
  readonly path: string;
  readonly query: string | undefined;
  readonly unread: UnreadAnswers;
  readonly giveWay: () => void;
  #isTooLong = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    facts: Facts & Pick<NodeExchange, "unread" | "giveWay">,
  ) {
    const { requestId, remoteAddress, headers, path, query, unread, giveWay } = facts;
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.remoteAddress = remoteAddress;
    this.headers = headers;
    this.path = path;
    this.query = query;
    this.unread = unread;
    this.giveWay = giveWay;
  }

  get isHttp2(): boolean {
    return this.stream !== undefined;
  }

  get verb(): string {
    return this.request.method ?? "";
  }

  /** Reading it sends 100, if the caller waits for that. */
  get body(): IncomingMessage {
    askForBody(this.request, this.response);
    return this.request;
  }

  get hasBody(): boolean | undefined {
    const { headers } = this.request;
    const length = headers["content-length"];
    if (length !== undefined) return length !== "0";
    if (this.stream === undefined) return headers["transfer-encoding"] !== undefined ? undefined : false;
    return this.stream.endAfterHeaders ? false : undefined;
  }

  get answering(): ServerResponse {
    return this.response;
  }

  get isAnswered(): boolean {
    return this.response.headersSent;
  }

  /** Answers of HTTP/2 do not have `destroyed`. */
  get isGone(): boolean {
    return (this.stream ?? this.response).destroyed;
  }

  header(name: string): string | undefined {
    return headerOf(this.request, name);
  }

  async discard(): Promise<void> {
    if (this.#isUnasked) return;
    if (this.request.complete || this.request.destroyed) return;
    this.#isTooLong = !(await discard(this.request));
  }

  /** Node leaves out the body of an answer to HEAD. */
  send({ status, headers, body, trailers }: Answer): void {
    const { response } = this;
    if (this.isAnswered || this.isGone) return;
    this.beforeAnswer();
    if (body === undefined && trailers === undefined) {
      // Not writeHead, which would start an answer with a body.
      response.statusCode = status;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    } else response.writeHead(status, headers);
    if (trailers !== undefined) response.addTrailers(trailers);
    response.end(body);
    this.holdUntilRead(Buffer.byteLength(body ?? ""));
    this.letGoOfRequest();
  }

  cut(): void {
    if (this.stream === undefined) this.response.destroy();
    else resetStream(this.stream, constants.NGHTTP2_CANCEL);
  }

  /** Cuts off a caller who does not read the rest of a complete answer. */
  holdUntilRead(bytes: number): void {
    // The stream knows its end; the class around it does not report the end of a stream that was reset.
    const answer: Writable = this.stream ?? this.response;
    if (answer.destroyed || answer.writableFinished) return;
    const release = this.unread.hold(bytes, () => this.cut());
    answer.once("finish", release).once("close", release);
  }

  /** Discards the rest of the request. */
  letGoOfRequest(): void {
    const { request, stream } = this;
    if (this.#isUnasked) {
      if (stream !== undefined) endUnaskedStream(stream);
      return;
    }
    // A reader that stopped in the middle has destroyed the request but not its stream, which nothing else would end.
    const isHalfRead = request.destroyed && stream?.readableEnded === false;
    if ((request.complete || request.destroyed) && !isHalfRead) return;
    // On HTTP/1.1 the request no longer hears of its socket once it is answered.
    const { socket } = request;
    const cut = (): void => {
      // RFC 9113 §8.1: NO_ERROR asks the caller to stop sending without giving up the answer.
      if (stream === undefined) socket.destroy();
      else stream.close(constants.NGHTTP2_NO_ERROR);
    };
    const done = drain(request, { isTooLong: this.#isTooLong, cut });
    if (stream !== undefined) {
      stream.once("close", done);
      return;
    }
    socket.once("close", done);
    request.once("end", () => socket.off("close", done)).once("close", () => socket.off("close", done));
  }

  /** Call it before an answer is written by other means than `send`: nobody will ask for the body any more. */
  beforeAnswer(): void {
    if (this.#isUnasked && this.stream === undefined) endUnasked(this.request, this.response);
  }

  /** Whether there is a body that nobody has asked for, though its caller waits to be asked. */
  get #isUnasked(): boolean {
    return waitsForContinue(this.request) && this.hasBody !== false;
  }

  /** The stream of HTTP/2; undefined on HTTP/1.1. */
  get stream(): ServerHttp2Stream | undefined {
    return streamOf(this.request);
  }
}
