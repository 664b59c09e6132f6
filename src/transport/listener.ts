import { once } from "node:events";
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import { createServer as createHttp2Server, createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { randomBytes } from "node:crypto";
import { requestInvalid } from "../base/problem.ts";
import type { Connections, RequestHandler } from "./connections.ts";
import { createConnections } from "./connections.ts";
import { toStatusJson } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { sniffHttp2 } from "./sniff.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Certificate chain and key in PEM: then the port speaks TLS only, with ALPN. */
  readonly tls: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  readonly limits: Limits;
  readonly handler: RequestHandler;
}

/** One port for HTTP/1.1 and HTTP/2. */
export interface Listener {
  start(): Promise<{ readonly host: string; readonly port: number }>;
  /** Stops accepting, lets calls in flight end, then cuts; takes `limits.stopTimeoutMs` at the most. */
  stop(): Promise<void>;
}

/** Makes a listener in clear text, which tells the versions apart by the first bytes, or with TLS. */
export function createListener(options: ListenerOptions): Listener {
  const connections = createConnections(options.limits);
  const server =
    options.tls === undefined ? createClear(options, connections) : createSecure(options, connections);
  server.maxConnections = options.limits.maxConnections;
  return {
    async start() {
      server.listen(options.port, options.host);
      await once(server, "listening");
      server.on("error", () => {}); // of accepting single connections, such as EMFILE
      const { address, port } = server.address() as AddressInfo; // it listens on TCP
      return { host: address, port };
    },
    async stop() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      await connections.drain(options.limits.stopTimeoutMs);
      await closed;
    },
  };
}

/**
 * The http.Server listens, because its time-outs work only then; its own listener of connections is taken off, and
 * gets the sockets that speak HTTP/1.1. Those that begin with the preface of HTTP/2 go to a server that never listens.
 */
function createClear({ limits, handler }: ListenerOptions, connections: Connections): HttpServer {
  const http = createHttpServer(httpOptions(limits), connections.around(handler));
  guardHttp(http, limits);
  ignoreExpectations(http);
  const http2 = createHttp2Server(http2Options(limits), connections.around(handler) as never); // the compatibility API
  guardHttp2(http2, connections);
  ignoreExpectations(http2);
  const own = http.listeners("connection");
  http.removeAllListeners("connection");
  http.on("connection", (socket: Socket) => {
    connections.addSocket(socket);
    sniffHttp2(socket, limits.firstBytesTimeoutMs, (isHttp2) => {
      if (isHttp2) {
        connections.marksHttp2(socket);
        socket.allowHalfOpen = false; // what http.Server sets: a session whose caller has ended would stay until it is idle
        http2.emit("connection", socket);
        return;
      }
      for (const listener of own) Reflect.apply(listener, http, [socket]);
      socket.resume(); // the bytes that were put back; the parser gets all others from the handle
    });
  });
  return http;
}

function createSecure(
  { limits, handler, tls }: ListenerOptions,
  connections: Connections,
): Http2SecureServer {
  const server = createSecureServer(
    {
      ...httpOptions(limits),
      ...http2Options(limits),
      allowHTTP1: true,
      minVersion: "TLSv1.2",
      handshakeTimeout: limits.firstBytesTimeoutMs,
      cert: tls?.cert,
      key: tls?.key,
    },
    connections.around(handler) as never, // the compatibility API
  );
  server.on("connection", (socket: Socket) => connections.addHandshake(socket));
  server.on("secureConnection", (socket: TLSSocket) => {
    connections.addSocket(socket);
    if (socket.alpnProtocol === "h2") connections.marksHttp2(socket);
  });
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  guardHttp(server as unknown as HttpServer, limits); // with allowHTTP1 it has the limits of http.Server
  guardHttp2(server, connections);
  ignoreExpectations(server);
  return server;
}

function httpOptions(limits: Limits) {
  return {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
    // A missing Host is answered by dispatch, in the shape of all errors.
    requireHostHeader: false,
  };
}

function http2Options(limits: Limits) {
  return {
    maxSessionMemory: limits.maxSessionMemoryMb,
    // Resets beyond this are an attack (CVE-2023-44487): the session is closed.
    streamResetBurst: 200,
    streamResetRate: 20,
    maxSettings: 32,
    settings: {
      maxConcurrentStreams: limits.maxConcurrentStreams,
      maxHeaderListSize: limits.maxHeaderBytes,
      enablePush: false,
      initialWindowSize: 256 * 1024,
    },
  };
}

function guardHttp(server: HttpServer, limits: Limits): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  server.setTimeout(limits.silenceTimeoutMs);
  server.on("clientError", answerClientError);
}

/** Other expectations than 100-continue are taken as if they were not there (RFC 9110 §10.1.1). */
function ignoreExpectations(server: HttpServer | Http2Server | Http2SecureServer): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
}

function guardHttp2(server: Http2Server | Http2SecureServer, connections: Connections): void {
  server.on("session", (session: ServerHttp2Session) => connections.addSession(session));
  server.on("sessionError", () => {});
  server.on("error", () => {});
}

/** Answers what the parser of HTTP/1.1 refuses, in the shape of all errors, and closes the connection. */
function answerClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const [status, message] = clientErrorText(error.code);
  const body = JSON.stringify(toStatusJson(requestInvalid(message)));
  const head = [
    `HTTP/1.1 ${status}`,
    "connection: close",
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${randomBytes(16).toString("hex")}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function clientErrorText(code: string | undefined): readonly [string, string] {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return ["431 Request Header Fields Too Large", "the headers of the request are too large"];
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return ["408 Request Timeout", "the request did not arrive in time"];
    default:
      return ["400 Bad Request", "the request is not valid HTTP"];
  }
}
