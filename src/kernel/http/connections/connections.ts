import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Limits } from "./limits.ts";
import type { OpenCounts } from "../metrics/metrics.ts";
import { createPieceBudget, type PieceBudget } from "./piece-budget.ts";
import { createRefusedHeaders, type RefusedHeaders } from "./refused-headers.ts";
import { streamOf } from "./request-stream.ts";
import { type Flood, guardSession } from "./session-guard.ts";

/** Serves a request of Node, of either version of HTTP. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Keeps track of open connections and sessions, so that a stop can be orderly and no idle one stays forever. */
export interface Connections {
  /**
   * Adds a socket that still waits for its turn or its TLS handshake. A stop simply closes it until `addSocket` takes
   * it over.
   */
  addHandshake(socket: Socket): void;
  /** Adds a socket until it closes. */
  addSocket(socket: Socket): void;
  /** Marks a socket that speaks HTTP/2: its session knows how busy it is. */
  marksHttp2(socket: Socket): void;
  /** Adds an HTTP/2 session, and guards its limits. */
  addSession(session: ServerHttp2Session): void;
  /** Says whether an HTTP/1.1 answer on the socket has begun and not ended: nothing else may be written to it then. */
  isInAnswer(socket: Socket): boolean;
  /** Says whether exactly one HTTP/1.1 request on the socket waits for its answer, and none of that has been written. */
  isAsking(socket: Socket): boolean;
  /** Wraps the handler, so that the answers under way are counted. */
  around(handler: RequestHandler): RequestHandler;
  /**
   * Closes idle connections at once and the others as they become idle. After `timeoutMs` it cuts the remaining ones.
   */
  drain(timeoutMs: number): Promise<void>;
}

interface Connection {
  isHttp2: boolean;
  /** The HTTP/1.1 answers under way. */
  readonly answers: Set<ServerResponse>;
  /** On HTTP/1.1 only: with HTTP/2 the session has the budget. */
  pieces?: PieceBudget;
}

/** Receives the floods of connections. */
export interface FloodEvents {
  /** The connection was cut, or ended by itself, because of a flood. Called once for each connection. */
  flooded(socket: Pick<Socket, "remoteAddress">, flood: Flood): void;
  /** Refuses the HTTP/1.1 request that floods, and ends its connection. */
  refuse(socket: Socket): void;
}

interface Open {
  /** By peer, because the socket inside TLS and the one around it have the same peer. */
  readonly handshakes: Map<string, Socket>;
  readonly sockets: Map<Socket, Connection>;
  /** Each with the function that ends it in an orderly way. */
  readonly sessions: Map<ServerHttp2Session, () => void>;
  isDraining: boolean;
  onEmpty: () => void;
}

/** Creates an empty account, which also keeps `counts` up to date. */
export function createConnections(limits: Limits, counts: OpenCounts, floods: FloodEvents): Connections {
  const refusedHeaders = createRefusedHeaders();
  const open: Open = {
    handshakes: new Map(),
    sockets: new Map(),
    sessions: new Map(),
    isDraining: false,
    onEmpty: () => {},
  };
  return {
    addHandshake(socket) {
      const peer = peerOf(socket);
      open.handshakes.set(peer, socket);
      socket.on("error", () => {}); // a broken connection is nobody's failure
      counts.connections++;
      socket.once("close", () => {
        counts.connections--;
        if (open.handshakes.get(peer) === socket) open.handshakes.delete(peer);
      });
    },
    addSocket(socket) {
      open.handshakes.delete(peerOf(socket));
      open.sockets.set(socket, { isHttp2: false, answers: new Set() });
      socket.on("error", () => {}); // a broken connection is nobody's failure
      socket.once("close", () => {
        open.sockets.delete(socket);
        if (open.sockets.size === 0) open.onEmpty();
      });
    },
    marksHttp2(socket) {
      const connection = open.sockets.get(socket);
      if (connection !== undefined) connection.isHttp2 = true;
    },
    addSession: (session) => addSession(open, session, { limits, refusedHeaders, counts, floods }),
    isInAnswer(socket) {
      const { answers = [] } = open.sockets.get(socket) ?? {};
      return [...answers].some((answer) => answer.headersSent && !answer.writableEnded);
    },
    isAsking(socket) {
      const { answers = [] } = open.sockets.get(socket) ?? {};
      const [first, ...others] = answers;
      return first !== undefined && !first.headersSent && others.length === 0;
    },
    around: (handler) => (request, response) => {
      if (streamOf(request) === undefined) {
        account(open, request.socket, response);
        piecesOf(open, request.socket, floods)?.count(request);
      }
      handler(request, response);
    },
    drain: (timeoutMs) => drain(open, timeoutMs),
  };
}

interface Surroundings {
  readonly limits: Limits;
  readonly refusedHeaders: RefusedHeaders;
  readonly counts: OpenCounts;
  readonly floods: FloodEvents;
}

function addSession(
  open: Open,
  session: ServerHttp2Session,
  { limits, refusedHeaders, counts, floods }: Surroundings,
): void {
  const peer = peerOf(session.socket);
  const { remoteAddress } = session.socket;
  const close = guardSession(
    session,
    { limits, refusedHeaders },
    {
      cut: () => cut(open, session, peer),
      flooded: (flood) => floods.flooded({ remoteAddress }, flood),
      streamOpened: () => counts.streams++,
      streamClosed: () => counts.streams--,
    },
  );
  open.sessions.set(session, close);
  session.once("close", () => open.sessions.delete(session));
  if (open.isDraining) close();
}

/**
 * Ends a session and closes its socket: an orderly end would wait for a peer that may not read. The socket is found by the peer,
 * because the session does not hand it out.
 */
function cut({ sockets }: Open, session: ServerHttp2Session, peer: string): void {
  session.destroy();
  for (const socket of sockets.keys()) if (peerOf(socket) === peer) setImmediate(() => socket.destroy());
}

function peerOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}

function account(open: Open, socket: Socket, response: ServerResponse): void {
  const answers = open.sockets.get(socket)?.answers ?? new Set();
  answers.add(response);
  if (open.isDraining) response.shouldKeepAlive = false;
  response.once("close", () => {
    answers.delete(response);
    if (open.isDraining && answers.size === 0) socket.destroySoon();
  });
}

function piecesOf(open: Open, socket: Socket, floods: FloodEvents): PieceBudget | undefined {
  const connection = open.sockets.get(socket);
  if (connection === undefined) return undefined;
  connection.pieces ??= createPieceBudget(() => {
    floods.flooded(socket, "small-pieces");
    floods.refuse(socket);
  });
  return connection.pieces;
}

/**
 * In HTTP/1.1 only the answer to the next request can say "send nothing more". So at a stop, requests that are already on their
 * way on kept connections are still taken and answered with `connection: close`: a caller whose connection was closed instead
 * could not know whether the call was done.
 */
const lastRequestsMs = 100;

function drain(open: Open, timeoutMs: number): Promise<void> {
  open.isDraining = true;
  for (const socket of open.handshakes.values()) socket.destroy();
  for (const close of open.sessions.values()) close();
  for (const { answers } of open.sockets.values())
    for (const answer of answers) answer.shouldKeepAlive = false;
  if (open.sockets.size === 0) return Promise.resolve();
  const idle = setTimeout(() => {
    for (const [socket, { isHttp2, answers }] of open.sockets)
      if (!isHttp2 && answers.size === 0) socket.destroy();
  }, lastRequestsMs);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const session of open.sessions.keys()) session.destroy();
      for (const socket of open.sockets.keys()) socket.destroy();
    }, timeoutMs);
    open.onEmpty = () => {
      clearTimeout(idle);
      clearTimeout(timer);
      resolve();
    };
  });
}
