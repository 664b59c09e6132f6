import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request as requestClear, type ServerResponse } from "node:http";
import { connect } from "node:http2";
import { createServer, request as requestSecurely } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { exchange } from "../../../api/support/http2-exchange.ts";
import { createHttpClient, type HttpAnswer, type HttpRequest } from "../../../support/http-client.ts";

/** A way on which requests reach a service. */
export interface Way {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** A proxy that ends TLS. */
export interface TlsProxy {
  /** `https://localhost:<port>`. */
  readonly origin: string;
  /** Where it sends what it gets: set once the service listens. */
  forwardTo(port: number): void;
  stop(): Promise<void>;
}

const fixtures = join(import.meta.dirname, "../../../process/fixtures");
const certificate = readFileSync(join(fixtures, "tls-cert.pem"));

/** Requests over HTTP/1.1. */
export function openHttp1Way(url: string): Way {
  const client = createHttpClient(url);
  return { send: (request) => client.send(request), close: async () => client.close() };
}

/** Requests on one connection of HTTP/2 without TLS. */
export function openHttp2Way(url: string): Way {
  const session = connect(url);
  return {
    async send({ method, path, headers, body }) {
      const { host, connection: _connection, ...others } = headers;
      const sent = {
        ":method": method,
        ":path": path,
        ...(host === undefined ? {} : { ":authority": host }),
        ...others,
      };
      const { headers: received, bytes } = await exchange(session, sent, body);
      return {
        status: Number(received[":status"]),
        headers: toHeaders(received),
        text: bytes.toString(),
      };
    },
    async close() {
      session.close();
      await once(session, "close");
    },
  };
}

/**
 * Starts a proxy that ends TLS, and that is set up as badly as can be: it names another host than the browser asked for, in every
 * header that says so.
 */
export async function startTlsProxy(): Promise<TlsProxy> {
  let target = 0;
  const key = readFileSync(join(fixtures, "tls-key.pem"));
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const headers = {
      ...request.headers,
      host: "wrong.example",
      forwarded: "host=wrong.example;proto=http",
      "x-forwarded-host": "wrong.example",
      "x-forwarded-proto": "http",
    };
    const { method, url } = request;
    const sent = requestClear({ hostname: "127.0.0.1", port: target, method, path: url, headers });
    sent.end(await buffer(request));
    const [answer] = await once(sent, "response"); // an IncomingMessage
    response.writeHead(answer.statusCode, answer.headersDistinct);
    answer.pipe(response);
  };
  const server = createServer(
    { cert: certificate, key },
    (request, response) => void forward(request, response),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    origin: `https://localhost:${port}`,
    forwardTo(service) {
      target = service;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Requests over TLS to something that has the certificate of the tests. */
export function openTlsWay(origin: string): Way {
  return {
    async send({ method, path, headers, body }) {
      const sent = requestSecurely(new URL(path, origin), { method, headers, ca: certificate, agent: false });
      sent.end(body);
      const [answer] = await once(sent, "response"); // an IncomingMessage
      return {
        status: answer.statusCode,
        headers: toHeaders(answer.headersDistinct),
        text: await text(answer),
      };
    },
    close: async () => undefined,
  };
}

/** Returns a `fetch` that goes this way, whatever origin it is asked for: a library thinks that it speaks to the issuer. */
export function toFetch({ send }: Way) {
  return async (
    input: string,
    init: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: unknown;
    },
  ): Promise<Response> => {
    const { pathname, search, host } = new URL(input);
    const {
      status,
      headers,
      text: body,
    } = await send({
      method: init.method,
      path: pathname + search,
      headers: { ...init.headers, host },
      ...(init.body instanceof URLSearchParams || typeof init.body === "string"
        ? { body: init.body.toString() }
        : {}),
    });
    return new Response(status === 204 || status === 304 ? null : body, { status, headers });
  };
}

function toHeaders(received: Readonly<Record<string, string | string[] | number | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (name.startsWith(":")) continue;
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined) headers.append(name, String(one));
  }
  return headers;
}
