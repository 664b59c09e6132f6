import { connect } from "node:net";
import type { Connection, Requests } from "./http2-connection.ts";

/** Opens a connection of HTTP/1.1, for one call at a time. Throws out of the socket's event when the server ends it. */
export function openHttp1Connection({ url, path, headers, authorizations, isFramed }: Requests): Connection {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  const lines = [["authorization", authorizations[0]], ...headers]
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
  const head = `POST ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${lines}content-length: `;
  let done: ((isSuccess: boolean) => void) | undefined;
  let received: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = readAnswer(received);
    if (answer === undefined) return;
    received = Buffer.alloc(0);
    const finished = done;
    done = undefined;
    const isMessage = !isFramed || answer.body[0] === 0;
    finished?.(answer.isOk && answer.body.length > 0 && isMessage);
  });
  socket.on("close", () => {
    if (done !== undefined) throw new Error("the server ended the connection");
  });
  return {
    send(body, onDone) {
      done = onDone;
      socket.cork();
      socket.write(`${head}${body.length}\r\n\r\n`);
      socket.write(body);
      socket.uncork();
    },
    close() {
      done = undefined;
      socket.destroy();
    },
  };
}

/** Returns the answer when it is whole. */
function readAnswer(bytes: Buffer): { readonly isOk: boolean; readonly body: Buffer } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd).toLowerCase();
  const isOk = head.startsWith("http/1.1 200");
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  const body = bytes.subarray(headEnd + 4);
  if (length !== undefined) return body.length >= Number(length) ? { isOk, body } : undefined;
  // Chunked: what begins after the size of the first chunk.
  if (!bytes.subarray(-5).equals(lastChunk)) return undefined;
  return { isOk, body: body.subarray(body.indexOf("\r\n") + 2, -5) };
}

const lastChunk = Buffer.from("0\r\n\r\n");
