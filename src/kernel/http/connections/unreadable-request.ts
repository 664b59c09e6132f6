import type { Socket } from "node:net";
import { type Problem, requestInvalid } from "../../base/problem.ts";
import { headersTooLarge } from "../errors/refusals.ts";
import type { Connections } from "./connections.ts";

/** Renders a problem for bytes that are not a request, so that the site is unknown. */
export type RenderProblem = (problem: Problem) => { readonly contentType: string; readonly body: string };

/** Answers HTTP/1.1 input that never becomes a request of a site, and ends its connection. */
export interface UnreadableRequests {
  /** Answers input that the parser refuses. */
  refuse(error: Error & { code?: string }, socket: Socket, connections: Connections): void;
  /** Reads no more of a connection that floods, and answers its request if that is still possible. */
  refuseFlood(socket: Socket, connections: Connections): void;
}

/** What an answer to bytes that are no request is made of. */
export interface UnreadableRequestOptions {
  readonly renderProblem: RenderProblem;
  readonly nextRequestId: () => string;
  /** Headers of every answer, as `DispatchOptions` has them. */
  readonly commonHeaders: Readonly<Record<string, string>> | undefined;
  readonly maxHeaderBytes: number;
}

/**
 * How long the peer has to read the answer to a flood: if the connection were closed at once, data that the peer has
 * sent since would destroy the answer.
 */
const floodAnswerMs = 1000;

/** Creates the answers to input that is not a request. */
export function createUnreadableRequests(options: UnreadableRequestOptions): UnreadableRequests {
  const toAnswer = createHttp1Answer(options);
  return {
    refuse(error, socket, connections) {
      // In the middle of an answer the caller would read another one as a part of it.
      if (connections.isInAnswer(socket) || !socket.writable || error.code === "ECONNRESET")
        return void socket.destroy();
      socket.end(toAnswer(...clientProblem(error.code, options.maxHeaderBytes)), () => socket.destroy());
    },
    refuseFlood(socket, connections) {
      if (connections.isInAnswer(socket)) return void socket.destroy();
      socket.pause();
      socket.end(connections.isAsking(socket) ? toAnswer("400 Bad Request", tooManyPieces()) : "");
      setTimeout(() => socket.destroy(), floodAnswerMs);
    },
  };
}

/** Creates the function that writes the whole answer that ends a connection. */
function createHttp1Answer({ renderProblem, nextRequestId, commonHeaders = {} }: UnreadableRequestOptions) {
  const common = Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`);
  return (status: string, problem: Problem): string => {
    const { contentType, body } = renderProblem(problem);
    const head = [
      `HTTP/1.1 ${status}`,
      "connection: close",
      `content-type: ${contentType}`,
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${nextRequestId()}`,
      ...common,
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  };
}

function tooManyPieces(): Problem {
  return requestInvalid("the body came in too many nearly empty pieces");
}

function clientProblem(code: string | undefined, maxHeaderBytes: number): readonly [string, Problem] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return ["431 Request Header Fields Too Large", headersTooLarge(maxHeaderBytes)];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["408 Request Timeout", requestInvalid("the request did not arrive in time")];
    default:
      return ["400 Bad Request", requestInvalid("the request is not valid HTTP")];
  }
}
