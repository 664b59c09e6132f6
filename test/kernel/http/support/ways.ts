import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestClear } from "node:http";
import { connect as connectHttp2, type SecureClientSessionOptions } from "node:http2";
import { request as requestSecure } from "node:https";
import { text } from "node:stream/consumers";

/** The ways in which a browser reaches the port. */
export const ways = ["HTTP/1.1", "HTTP/2", "HTTP/1.1 over TLS", "HTTP/2 over TLS"] as const;

export type Way = (typeof ways)[number];

export interface PlainRequest {
  readonly verb?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  /** Whether the body never ends. */
  readonly isEndless?: boolean;
}

export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one request to `url` on a connection of its own. `ca` is the certificate of a server with TLS. */
export async function sendBy(
  way: Way,
  url: string,
  request: PlainRequest,
  ca?: Buffer,
): Promise<PlainAnswer> {
  const options = ca === undefined ? {} : { ca };
  return await (way.startsWith("HTTP/2")
    ? sendHttp2(url, request, options)
    : sendHttp1(url, request, options));
}

async function sendHttp1(
  url: string,
  { verb = "GET", path, headers, body, isEndless = false }: PlainRequest,
  options: { readonly ca?: Buffer },
): Promise<PlainAnswer> {
  const open = url.startsWith("https:") ? requestSecure : requestClear;
  const sent = open(`${url}${path}`, { ...options, method: verb, headers: { ...headers }, agent: false });
  if (isEndless) sent.flushHeaders();
  else sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

async function sendHttp2(
  url: string,
  { verb = "GET", path, headers, body, isEndless = false }: PlainRequest,
  options: SecureClientSessionOptions,
): Promise<PlainAnswer> {
  const session = connectHttp2(url, options);
  try {
    const stream = session.request(
      { ":method": verb, ":path": path, ...headers },
      { endStream: body === undefined },
    );
    if (body !== undefined && !isEndless) stream.end(body);
    const [received] = (await once(stream, "response")) as [IncomingHttpHeaders & { ":status"?: number }];
    return { status: received[":status"] ?? 0, headers: received, text: await text(stream) };
  } finally {
    session.destroy();
  }
}
