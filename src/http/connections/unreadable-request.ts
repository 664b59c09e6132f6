import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { type Problem, requestInvalid } from "../../base/problem.ts";
import type { Connections } from "./connections.ts";
import { toStatusJson } from "../../rpc/errors/status.ts";
import type { Limits } from "../limits.ts";
import { headersTooLarge } from "../refusals.ts";

/** How long the peer has to read the answer to a flood: what they have sent since would take it from them with the connection. */
const floodAnswerMs = 1000;

/** Reads no more of a connection of HTTP/1.1, answers its request if that is still possible, and ends it. */
export function refuseFlood(socket: Socket, connections: Connections): void {
  if (connections.isInAnswer(socket)) return void socket.destroy();
  socket.pause();
  socket.end(
    connections.isAsking(socket)
      ? toHttp1Answer(
          "400 Bad Request",
          requestInvalid("the body came in too many pieces that hold next to nothing"),
        )
      : "",
  );
  setTimeout(() => socket.destroy(), floodAnswerMs);
}

/** Answers what the parser of HTTP/1.1 refuses, in the shape of all errors, and closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, limits: Limits): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  socket.end(toHttp1Answer(...clientProblem(error.code, limits)), () => socket.destroy());
}

/** Returns the whole answer that ends a connection. */
function toHttp1Answer(status: string, problem: Problem): string {
  const body = JSON.stringify(toStatusJson(problem));
  const head = [
    `HTTP/1.1 ${status}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomBytes(16).toString("hex")}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

function clientProblem(code: string | undefined, { maxHeaderBytes }: Limits): readonly [string, Problem] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return ["431 Request Header Fields Too Large", headersTooLarge(maxHeaderBytes)];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["408 Request Timeout", requestInvalid("the request did not arrive in time")];
    default:
      return ["400 Bad Request", requestInvalid("the request is not valid HTTP")];
  }
}
