import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { Limits } from "../limits.ts";
import type { OpenCounts } from "../metrics/metrics.ts";
import { createPieceBudget, type PieceBudget } from "./piece-budget.ts";
import { createRefusedHeaders, type RefusedHeaders } from "./refused-headers.ts";
import { streamOf } from "./request-stream.ts";
import { type Flood, guardSession } from "./session-guard.ts";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Knows what is open, so that a stop can be orderly and nothing idle stays for ever. */
export interface Connections {
  /** Takes note of a socket that has still to be let in, or to shake hands: until `addSocket` gets it, a stop just closes it. */
  addHandshake(socket: Socket): void;
  /** Takes note of a socket until it closes. */
  addSocket(socket: Socket): void;
  /** Takes note that the socket speaks HTTP/2: how busy it is, its session knows. */
  marksHttp2(socket: Socket): void;
  /** Takes note of an HTTP/2 session and puts it under its limits. */
  addSession(session: ServerHttp2Session): void;
  /** Says whether an answer of HTTP/1.1 has begun on the socket and not ended: nothing else may be written to it. */
  isInAnswer(socket: Socket): boolean;
  /** Says whether the socket has one request of HTTP/1.1 that waits for its answer, and nothing of that has been written. */
  isAsking(socket: Socket): boolean;
  /** Returns the handler with an account of the answers that are under way around it. */
  around(handler: RequestHandler): RequestHandler;
  /** Closes what is idle at once and the rest as it becomes idle; after `timeoutMs` cuts what is left. */
  drain(timeoutMs: number): Promise<void>;
}

interface Connection {
  isHttp2: boolean;
  /** The answers of HTTP/1.1 that are under way. */
  readonly answers: Set<ServerResponse>;
  /** Of HTTP/1.1: of HTTP/2 the session has it. */
  pieces?: PieceBudget;
}

/** What a connection is cut for. */
export interface FloodEvents {
  /** The connection was cut, or ended by itself, for a flood. Called once for each. */
  flooded(socket: Pick<Socket, "remoteAddress">, flood: Flood): void;
  /** Refuses the request of HTTP/1.1 that floods, and ends its connection. */
  refuse(socket: Socket): void;
}

interface Open {
  /** By the peer, which the socket inside TLS and the one around it have in common. */
  readonly handshakes: Map<string, Socket>;
  readonly sockets: Map<Socket, Connection>;
  /** Each with what ends it in order. */
  readonly sessions: Map<ServerHttp2Session, () => void>;
  isDraining: boolean;
  onEmpty: () => void;
}

/** Returns an account with nothing in it. What is open is also counted in `counts`. */
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
 * Ends a session and closes its socket: an orderly end would wait for a peer who may not read. The socket is found by the
 * peer, because the session does not hand it out.
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
 * HTTP/1.1 has no word for "send nothing more" but the answer to the next request. So at a stop those that are on their way
 * on kept connections are still taken, and answered with `connection: close`: a caller whose connection was closed instead
 * could not know whether his call was done.
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
