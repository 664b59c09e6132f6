import { type EventEmitter, once } from "node:events";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import { createServer as createHttpServer, ServerResponse } from "node:http";
import type { Http2SecureServer, Http2Server, ServerHttp2Session } from "node:http2";
import { createServer as createHttp2Server, createSecureServer } from "node:http2";
import { type AddressInfo, Server as NetServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { randomBytes } from "node:crypto";
import { type Problem, requestInvalid } from "../base/problem.ts";
import type { Connections, RequestHandler } from "./connections.ts";
import { createBudget } from "./body.ts";
import { createConnections } from "./connections.ts";
import { createFloodPace, type FloodPace } from "./flood-pace.ts";
import { toStatusJson } from "./errors.ts";
import type { Limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";
import { createOccasional } from "./occasional.ts";
import { headersTooLarge } from "./refusals.ts";
import type { Flood } from "./session-guard.ts";
import { keepStreamsYoung } from "./session-streams.ts";
import { streamOf } from "./node-exchange.ts";
import { sniffHttp2 } from "./sniff.ts";
import { createTurns, type OpenedStream } from "./waiting-streams.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Certificate chain and key in PEM: then the port speaks TLS only, with ALPN. */
  readonly tls: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  readonly limits: Limits;
  /** Serves a request; `giveWay` is to be called when a stream of HTTP/2 has its answer, or may last for ever. */
  readonly onRequest: (request: IncomingMessage, response: ServerResponse, giveWay: () => void) => void;
  /** Serves the streams of HTTP/2 that it takes; false gives one to onRequest. */
  readonly onStream: (opened: OpenedStream) => boolean;
  readonly metrics: Pick<Metrics, "open" | "refused">;
  /** Called for refused connections with how many there were since the last time: at the most once in a minute. */
  readonly onRefused: (count: number) => void;
  /** Called for each connection that is cut for a flood. */
  readonly onFlood: (flood: Flood) => void;
}

/** One port for HTTP/1.1 and HTTP/2. */
export interface Listener {
  start(): Promise<{ readonly host: string; readonly port: number }>;
  /** Takes another certificate for the connections from now on. Throws in clear text, and for one that is not usable. */
  reloadTls(tls: NonNullable<ListenerOptions["tls"]>): void;
  /** Stops accepting, lets calls in flight end, then cuts; takes `limits.stopTimeoutMs` at the most. */
  stop(): Promise<void>;
}

const minVersion = "TLSv1.2";

/** Makes a listener in clear text, which tells the versions apart by the first bytes, or with TLS. */
export function createListener(options: ListenerOptions): Listener {
  const pace = createFloodPace(options.limits.floodPauseMs);
  const connections: Connections = createConnections(options.limits, options.metrics.open, {
    flooded({ remoteAddress }, flood) {
      pace.suspect(remoteAddress);
      options.onFlood(flood);
    },
    refuse: (socket) => refuseFlood(socket, connections),
  });
  const server =
    options.tls === undefined ? createClear(options, connections) : createSecure(options, connections);
  paceConnections(server, pace, connections);
  server.maxConnections = options.limits.maxConnections;
  server.on("drop", createRefusalLog(options));
  return {
    async start() {
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

/**
 * The http.Server listens, because its time-outs work only then; its own listener of connections is taken off, and
 * gets the sockets that speak HTTP/1.1. Those that begin with the preface of HTTP/2 go to a server that never listens.
 */
function createClear(options: ListenerOptions, connections: Connections): HttpServer {
  const { limits } = options;
  const requests = createRequests(options, connections);
  const http = createHttpServer(httpOptions(limits), requests.handle);
  guardHttp(http, limits, connections);
  ignoreExpectations(http);
  const http2 = createHttp2Server(http2Options(limits), requests.handle as never); // the compatibility API
  guardHttp2(http2, connections, requests.takeStreams(http2));
  ignoreExpectations(http2);
  for (const each of [http, http2]) guardConnect(each, requests.handle);
  const own = http.listeners("connection");
  http.removeAllListeners("connection");
  http.on("connection", (socket: Socket) => {
    connections.addSocket(socket);
    sniffHttp2(socket, limits.firstByteTimeoutMs, (isHttp2) => {
      if (isHttp2) {
        connections.marksHttp2(socket);
        socket.allowHalfOpen = false; // a peer who is gone takes his streams with him; http.Server has set it
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
  guardHttp(server as unknown as HttpServer, limits, connections);
  guardHttp2(server, connections, requests.takeStreams(server));
  ignoreExpectations(server);
  guardConnect(server, requests.handle);
  return server;
}

/** Lets connections in at the pace of their addresses. Their listeners hear of them only then, and nothing is read before. */
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

interface Requests {
  readonly handle: RequestHandler;
  /** Returns what is to be told of each session: from then on its streams begin in their turn. */
  takeStreams(server: Http2Server | Http2SecureServer): (session: ServerHttp2Session) => void;
}

/** Asks for each stream before Node's compatibility layer gets it, which makes requests and answers of the others. */
function createRequests(
  { limits, onRequest, onStream }: ListenerOptions,
  connections: Connections,
): Requests {
  const left = new WeakMap<object, OpenedStream>();
  return {
    handle: connections.around((request, response) => {
      if (request.httpVersionMajor === 1) return onRequest(request, response, () => {});
      const stream = streamOf(request);
      if (stream.readableEnded) request.push(null); // an empty body was over before its turn, and nobody heard of it
      onRequest(request, response, () => left.get(stream)?.giveWay());
    }),
    takeStreams(server) {
      const own = server.listeners("stream");
      server.removeAllListeners("stream");
      const start = (opened: OpenedStream): void => {
        if (onStream(opened)) return;
        const { stream, headers, flags, rawHeaders } = opened;
        left.set(stream, opened);
        for (const listener of own) Reflect.apply(listener, server, [stream, headers, flags, rawHeaders]);
      };
      return createTurns({
        maxStreams: limits.maxStreams,
        budget: createBudget(limits.maxBufferedBytes),
        start,
      });
    },
  };
}

/** Time beyond the limits of headers and body in which what was refused is answered and the rest of it thrown away. */
const requestMarginMs = 10_000;
/** A dead peer is found after this time without a byte, and ten tries a second apart. */
const keepAliveDelayMs = 60_000;

function httpOptions(limits: Limits) {
  return {
    ...httpTimeouts(limits),
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: Math.min(1000, limits.headerTimeoutMs),
    // A missing Host is answered by dispatch, in the shape of all errors.
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveDelayMs,
  };
}

function httpTimeouts({ headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs }: Limits) {
  return {
    headersTimeout: headerTimeoutMs,
    // The body has a limit of its own, which answers; this one is for requests that nobody reads.
    requestTimeout: headerTimeoutMs + bodyTimeoutMs + requestMarginMs,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveTimeoutBuffer: 0,
  };
}

function http2Options(limits: Limits) {
  return {
    // Memory of one session in MB; streams beyond it are refused.
    maxSessionMemory: 16,
    // Out of the way: reset-guard.ts counts, and says why it ends a session. What Node rejects are streams that came in one
    // read with as many that were reset, which stay in its table for that long.
    streamResetBurst: 1_000_000,
    streamResetRate: 1_000_000,
    maxSessionRejectedStreams: 100_000,
    maxSessionInvalidFrames: 1000 + limits.maxResets,
    maxSettings: 32,
    settings: {
      maxConcurrentStreams: limits.maxStreams + limits.maxWaitingStreams,
      maxHeaderListSize: limits.maxHeaderBytes,
      enablePush: false,
      initialWindowSize: 256 * 1024,
    },
  };
}

function guardHttp(server: HttpServer, limits: Limits, connections: Connections): void {
  Object.assign(server, httpTimeouts(limits)); // the secure server does not read all of them from its options
  server.maxHeadersCount = 0; // their bytes are limited; Node would leave out, unseen, those beyond a count
  server.on("clientError", (error: Error, channel: Duplex) => {
    const socket = channel as Socket; // both listeners get nothing else
    // In the middle of an answer the caller would take another one for a part of it.
    if (connections.isInAnswer(socket)) socket.destroy();
    else answerClientError(error, socket, limits);
  });
}

/** Other expectations than 100-continue, and upgrades, are taken as if they were not there (RFC 9110 §7.8, §10.1.1). */
function ignoreExpectations(server: HttpServer | Http2Server | Http2SecureServer): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
}

/** Answers the method CONNECT. HTTP/2 comes with an answer to write, HTTP/1.1 with the bare socket. */
function guardConnect(server: EventEmitter, handle: RequestHandler): void {
  server.on("connect", (request: IncomingMessage, channel: Duplex | ServerResponse) => {
    if (channel instanceof Duplex) answerConnect(request, handle);
    else handle(request, channel);
  });
}

/** Gives a CONNECT of HTTP/1.1 to who answers all requests; what follows it on the connection is thrown away. */
function answerConnect(request: IncomingMessage, handle: RequestHandler): void {
  const { socket } = request;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  response.once("finish", () => socket.destroySoon());
  socket.resume();
  handle(request, response);
}

/** Returns what takes note of a refused connection. */
function createRefusalLog({ metrics, onRefused }: ListenerOptions): () => void {
  const log = createOccasional(onRefused);
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
    keepStreamsYoung(session);
    connections.addSession(session);
    takeStreams(session);
  });
  server.on("sessionError", () => {});
  server.on("error", () => {});
}

/** How long the peer has to read the answer to a flood: what he has sent since would take it from him with the connection. */
const floodAnswerMs = 1000;

/** Reads no more of a connection of HTTP/1.1, answers its request if that is still possible, and ends it. */
function refuseFlood(socket: Socket, connections: Connections): void {
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
function answerClientError(error: Error & { code?: string }, socket: Socket, limits: Limits): void {
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
