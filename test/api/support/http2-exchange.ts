import type { ClientHttp2Session, IncomingHttpHeaders } from "node:http2";

/** What one request over HTTP/2 was answered. */
export interface Exchanged {
  readonly headers: IncomingHttpHeaders & { readonly ":status"?: number };
  readonly trailers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends a request with all of its headers, and reads the answer to its end. */
export function exchange(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body: Buffer | string | undefined,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    let received: Exchanged["headers"] = {};
    let trailers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on("response", (response) => {
      received = response;
    });
    stream.on("trailers", (last: IncomingHttpHeaders) => {
      trailers = last;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve({ headers: received, trailers, bytes: Buffer.concat(chunks) }));
    stream.on("error", reject);
    stream.end(body);
  });
}
