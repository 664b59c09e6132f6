import { type EventEmitter, once } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer as createHttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import { createServer as createHttp2Server, createSecureServer } from "node:http2";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { Connections, RequestHandler } from "./connections/connections.ts";
import { createConnections } from "./connections/connections.ts";
import { createFloodPace, type FloodPace } from "./connections/flood-pace.ts";
import type { UnreadableRequests } from "./connections/unreadable-request.ts";
import type { Limits } from "./connections/limits.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { http2Options, httpOptions, httpTimeouts } from "./connections/node-options.ts";
import type { Door } from "./door.ts";
import { createReportThrottle } from "./report-throttle.ts";
import { expectContinue } from "./exchanges/expectation.ts";
import { createRequests, type RequestHandlers } from "./exchanges/requests.ts";
import type { Flood } from "./connections/session-guard.ts";
import { replaceStreamTables } from "./connections/session-stream-table.ts";
import { detectHttp2 } from "./connections/detect-http2.ts";

/** The address of the port, and the observers of what happens on it. */
export interface ListenerOptions extends RequestHandlers {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Certificate chain and key in PEM. With them the port speaks only TLS, with ALPN. */
  readonly tls: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** Where connections come from instead of the address. */
  readonly door?: Door | undefined;
  readonly limits: Limits;
  readonly metrics: Pick<Metrics, "open" | "refused">;
  readonly unreadable: UnreadableRequests;
  /** Called with the number of connections refused since the last time, at most once a minute. */
  readonly onRefused: (count: number) => void;
  /** Called for each connection that was cut for a flood. */
  readonly onFlood: (flood: Flood) => void;
}

/** Listens on one port for HTTP/1.1 and HTTP/2. */
export interface Listener {
  start(): Promise<{ readonly host: string; readonly port: number }>;
  /** Uses another certificate for new connections. Throws without TLS, and for a certificate that cannot be used. */
  reloadTls(tls: NonNullable<ListenerOptions["tls"]>): void;
  /**
   * Accepts no more connections, lets calls in progress end, then cuts the rest. Takes at most
   * `limits.stopTimeoutMs`.
   */
  stop(): Promise<void>;
}

const minVersion = "TLSv1.2";

/** Creates a listener with TLS, or one without, which recognises the version of HTTP by the first bytes. */
export function createListener(options: ListenerOptions): Listener {
  const pace = createFloodPace(options.limits.floodPauseMs);
  const connections: Connections = createConnections(options.limits, options.metrics.open, {
    flooded({ remoteAddress }, flood) {
      pace.suspect(remoteAddress);
      options.onFlood(flood);
    },
    refuse: (socket) => options.unreadable.refuseFlood(socket, connections),
  });
  const server =
    options.tls === undefined ? createClear(options, connections) : createSecure(options, connections);
  paceConnections(server, pace, connections);
  server.maxConnections = options.limits.maxConnections;
  server.on("drop", createRefusalLog(options));
  return {
    async start() {
      if (options.door !== undefined) return openDoor(options.door, server, options);
      server.listen(options.port, options.host);
      await once(server, "listening");
      server.on("error", () => {}); // of accepting single connections, such as EMFILE
      const { address, port } = server.address() as AddressInfo; // it listens on TCP
      return { host: address, port };
    },
    reloadTls(tls) {
      if (!("setSecureContext" in server)) throw new Error("the listener speaks clear text");
      server.setSecureContext({ minVersion, cert: tls.cert, key: tls.key });
    },
    async stop() {
      if (options.door !== undefined) {
        options.door.close();
        await connections.drain(options.limits.stopTimeoutMs);
        server.close(); // ends the timer of its time-outs
        return;
      }
      if (!server.listening) return;
      const closed = once(server, "close");
      // Not that of http.Server, which closes idle connections at once.
      Reflect.apply(NetServer.prototype.close, server, []);
      await connections.drain(options.limits.stopTimeoutMs);
      await closed;
      server.close(); // ends the timer of its time-outs
    },
  };
}

/** Lets connections in that another process has accepted, as if the server had. */
function openDoor(door: Door, server: NetServer, { limits, metrics }: ListenerOptions) {
  server.emit("listening"); // begins the timer of the time-outs of an http.Server
  door.open((socket) => {
    if (metrics.open.connections >= limits.maxConnections) {
      socket.destroy();
      server.emit("drop");
      return;
    }
    // The same as of sockets that the server accepts.
    socket.allowHalfOpen = (server as { readonly allowHalfOpen?: boolean }).allowHalfOpen === true;
    socket.setNoDelay(true);
    server.emit("connection", socket);
  });
  return { host: door.host, port: door.port };
}

/**
 * Creates the port in clear text. The http.Server listens, because its timeouts work only then. Its own listener of connections
 * is taken off and gets only the sockets that speak HTTP/1.1; those that begin with the preface of HTTP/2 go to a server that
 * never listens.
 */
function createClear(options: ListenerOptions, connections: Connections): HttpServer {
  const { limits } = options;
  const requests = createRequests(options, connections);
  const http = createHttpServer(httpOptions(limits), requests.handle);
  guardHttp(http, options, connections);
  takeExpectations(http);
  const http2 = createHttp2Server(http2Options(limits), requests.handle as never); // the compatibility API
  guardHttp2(http2, connections, requests.takeStreams(http2));
  takeExpectations(http2);
  for (const each of [http, http2]) guardConnect(each, requests.handle);
  const own = http.listeners("connection");
  http.removeAllListeners("connection");
  http.on("connection", (socket: Socket) => {
    connections.addSocket(socket);
    detectHttp2(socket, limits.firstByteTimeoutMs, (isHttp2) => {
      if (isHttp2) {
        connections.marksHttp2(socket);
        socket.allowHalfOpen = false; // the streams of a peer that is gone end with it; http.Server has set this
        http2.emit("connection", socket);
        return;
      }
      for (const listener of own) Reflect.apply(listener, http, [socket]);
      socket.resume(); // the bytes that were put back; the parser gets all others from the handle
    });
  });
  return http;
}

function createSecure(options: ListenerOptions, connections: Connections): Http2SecureServer {
  const { limits, tls } = options;
  const requests = createRequests(options, connections);
  const server = createSecureServer(
    {
      ...httpOptions(limits),
      ...http2Options(limits),
      allowHTTP1: true,
      minVersion,
      handshakeTimeout: limits.firstByteTimeoutMs,
      cert: tls?.cert,
      key: tls?.key,
    },
    requests.handle as never, // the compatibility API
  );
  server.on("secureConnection", (socket: TLSSocket) => {
    connections.addSocket(socket);
    if (socket.alpnProtocol === "h2") connections.marksHttp2(socket);
  });
  server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  // With allowHTTP1 it has the limits of http.Server.
  guardHttp(server as unknown as HttpServer, options, connections);
  guardHttp2(server, connections, requests.takeStreams(server));
  takeExpectations(server);
  guardConnect(server, requests.handle);
  return server;
}

/** Lets connections in at the pace of their addresses. Until then they are not announced and nothing is read. */
function paceConnections(
  server: NetServer & { pauseOnConnect?: boolean },
  pace: FloodPace,
  connections: Connections,
): void {
  server.pauseOnConnect = true; // servers of HTTP do not hand on the option of net.Server
  const own = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    connections.addHandshake(socket);
    pace.admit(socket.remoteAddress, () => {
      if (!socket.destroyed) for (const listener of own) Reflect.apply(listener, server, [socket]);
    });
  });
}

function guardHttp(
  server: HttpServer,
  { limits, unreadable }: Pick<ListenerOptions, "limits" | "unreadable">,
  connections: Connections,
): void {
  Object.assign(server, httpTimeouts(limits)); // the secure server does not read all of them from its options
  server.maxHeadersCount = 0; // their bytes are limited; Node would leave out, unseen, those beyond a count
  server.on("clientError", (error: Error, channel: Duplex) => {
    unreadable.refuse(error, channel as Socket, connections); // both listeners get nothing else
  });
}

/**
 * Takes requests with other expectations than 100-continue, or with an upgrade, as if without (RFC 9110 §7.8, §10.1.1). Node would
 * answer 100 at once; the exchange does so as soon as somebody reads the body.
 */
function takeExpectations(server: HttpServer | Http2Server | Http2SecureServer): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    expectContinue(request);
    server.emit("request", request, response);
  });
}

/** Passes CONNECT to the request handler. HTTP/2 has an answer to write, HTTP/1.1 only the bare socket. */
function guardConnect(server: EventEmitter, handle: RequestHandler): void {
  server.on("connect", (request: IncomingMessage, channel: Duplex | ServerResponse) => {
    if (channel instanceof Duplex) answerConnect(request, handle);
    else handle(request, channel);
  });
}

/** Passes an HTTP/1.1 CONNECT to the request handler, and drops the bytes after it. */
function answerConnect(request: IncomingMessage, handle: RequestHandler): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  response.once("finish", () => socket.destroySoon());
  socket.resume();
  handle(request, response);
}

/** Counts refused connections in the metrics, and reports them now and then. */
function createRefusalLog({ metrics, onRefused }: ListenerOptions): () => void {
  const log = createReportThrottle(onRefused);
  return () => {
    metrics.refused();
    log();
  };
}

function guardHttp2(
  server: Http2Server | Http2SecureServer,
  connections: Connections,
  takeStreams: (session: ServerHttp2Session) => void,
): void {
  server.on("session", (session: ServerHttp2Session) => {
    replaceStreamTables(session);
    connections.addSession(session);
    takeStreams(session);
  });
  server.on("sessionError", () => {});
  server.on("error", () => {});
}
