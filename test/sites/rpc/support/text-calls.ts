import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { request as requestHttp1 } from "node:http";
import type { Readable, Writable } from "node:stream";
import { decodeText } from "../../../support/web-text.ts";
import { token } from "./server.ts";

type Headers = Readonly<Record<string, string>>;

/** A call whose body is still to be sent. */
export interface OpenCall {
  readonly sending: Writable;
  readonly answered: Promise<{ readonly headers: Headers; readonly receiving: Readable }>;
  cancel(): void;
}

export interface TextAnswer {
  readonly headers: Headers;
  readonly text: string;
  readonly frames: readonly { readonly flags: number; readonly data: Buffer }[];
}

export const versions = ["HTTP/1.1", "HTTP/2"] as const;
export type Version = (typeof versions)[number];

/** Makes calls of gRPC-web in text, with nothing between the test and the wire. */
export interface TextCaller {
  /** Opens a call with the headers that grpc-web 2.1.1 sends, and others. */
  open(version: Version, path: string, headers?: Headers): OpenCall;
  /** Makes a call with the pieces of a body. */
  call(
    version: Version,
    request: { readonly path: string; readonly body: readonly string[]; readonly headers?: Headers },
  ): Promise<TextAnswer>;
  close(): void;
}

/** Returns a caller for a server at `url`; its calls of HTTP/2 share a connection. */
export function createTextCaller(url: string): TextCaller {
  const session = connect(url);
  const open: TextCaller["open"] = (version, path, further = {}) => {
    const headers = {
      authorization: token,
      "content-type": "application/grpc-web-text",
      accept: "application/grpc-web-text",
      "x-user-agent": "grpc-web-javascript/0.1",
      "x-grpc-web": "1",
      ...further,
    };
    return version === "HTTP/1.1" ? openHttp1(url + path, headers) : openHttp2(session, path, headers);
  };
  return {
    open,
    async call(version, { path, body, headers }) {
      const { sending, answered } = open(version, path, headers);
      for (const chunk of body) sending.write(chunk);
      sending.end();
      const { headers: received, receiving } = await answered;
      const text = Buffer.concat(await receiving.toArray()).toString("latin1");
      return { headers: received, text, frames: framesOf(decodeText(text)) };
    },
    close: () => session.destroy(),
  };
}

function openHttp1(url: string, headers: Headers): OpenCall {
  const request = requestHttp1(url, { method: "POST", headers });
  request.on("error", () => {});
  request.flushHeaders();
  const answered = once(request, "response").then(([response]) => ({
    headers: response.headers as Headers,
    receiving: response as Readable,
  }));
  return { sending: request, answered, cancel: () => request.destroy() };
}

function openHttp2(session: ClientHttp2Session, path: string, headers: Headers): OpenCall {
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  stream.on("error", () => {});
  const answered = once(stream, "response").then(([received]) => ({
    headers: received as Headers,
    receiving: stream,
  }));
  return { sending: stream, answered, cancel: () => stream.close() };
}

/** Returns the frames of a whole answer, or of a whole part of one. */
export function framesOf(bytes: Buffer): TextAnswer["frames"] {
  const frames = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    frames.push({ flags: bytes[at] ?? 0, data: bytes.subarray(at + 5, end) });
    at = end;
  }
  return frames;
}
