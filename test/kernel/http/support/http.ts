import type { JsonValue } from "@bufbuild/protobuf";
import { connect as connectHttp2, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";
import { token } from "../../../sites/rpc/support/server.ts";

/** What comes over the wire, read freely. */
export type Loose = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Loose;
}

/** Sends a request over HTTP/1.1 with a good token; `headers` add to it and may take it away with an empty value. */
export async function send(
  url: string,
  init: {
    method?: string;
    json?: JsonValue;
    body?: string | Uint8Array;
    headers?: Record<string, string>;
  } = {},
): Promise<Answer> {
  const headers = new Headers({ authorization: token });
  if (init.json !== undefined || init.body !== undefined) headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(init.headers ?? {})) {
    if (value === "") headers.delete(name);
    else headers.set(name, value);
  }
  const body = init.json === undefined ? init.body : JSON.stringify(init.json);
  const method = init.method ?? (body === undefined ? "GET" : "POST");
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns what an error says: status, code, reason, the fields of BadRequest. */
export function summary({ status, json }: Answer) {
  return { status, ...statusSummary(json) };
}

export function statusSummary(json: Loose): { code: number; reason: string; fields?: string[] } {
  const details: { "@type": string; reason?: string; fieldViolations?: { field: string }[] }[] =
    json?.details ?? [];
  const info = details.find((detail) => detail["@type"].endsWith("ErrorInfo"));
  const bad = details.find((detail) => detail["@type"].endsWith("BadRequest"));
  return {
    code: json?.code,
    reason: info?.reason ?? "",
    ...(bad === undefined ? {} : { fields: (bad.fieldViolations ?? []).map(({ field }) => field) }),
  };
}

/** Sends bytes over a socket and returns all that comes back until it closes, or until `until` is in it. */
export function sendRaw(port: number, bytes: string | Uint8Array, until?: string | RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, "127.0.0.1");
    let received = "";
    const timer = setTimeout(() => {
      received += " (still open after 5 s)";
      socket.destroy();
    }, 5000);
    socket.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" ? undefined : reject(error),
    );
    socket.on("connect", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (until !== undefined && received.search(until) >= 0) socket.destroy();
    });
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

export interface Http2Answer {
  readonly headers: IncomingHttpHeaders & { ":status"?: number };
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends one request over HTTP/2 in clear text. */
export async function sendHttp2(
  url: string,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array = new Uint8Array(0),
): Promise<Http2Answer> {
  const session = connectHttp2(url);
  try {
    return await new Promise<Http2Answer>((resolve, reject) => {
      session.on("error", reject);
      const stream = session.request({ ":method": "POST", authorization: token, ...headers });
      let answer: Http2Answer = { headers: {}, trailers: {}, body: Buffer.alloc(0) };
      stream.on("error", reject);
      stream.on("response", (received) => (answer = { ...answer, headers: received }));
      stream.on("trailers", (received) => (answer = { ...answer, trailers: received }));
      stream.on(
        "data",
        (chunk: Buffer) => (answer = { ...answer, body: Buffer.concat([answer.body, chunk]) }),
      );
      stream.on("end", () => resolve(answer));
      if (!stream.writableEnded) stream.end(body);
    });
  } finally {
    session.destroy();
  }
}

/** Returns a message in the frame of gRPC. */
export function frame(data: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
}
