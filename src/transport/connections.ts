import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { Socket } from "node:net";
import type { Limits } from "./limits.ts";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Knows what is open, so that a stop can be orderly and nothing idle stays for ever. */
export interface Connections {
  /** Takes note of a socket whose TLS handshake begins: until `addSocket` gets what comes of it, a stop just closes it. */
  addHandshake(socket: Socket): void;
  /** Takes note of a socket until it closes. */
  addSocket(socket: Socket): void;
  /** Takes note that the socket speaks HTTP/2: how busy it is, its session knows. */
  marksHttp2(socket: Socket): void;
  /** Takes note of an HTTP/2 session and puts it under its limits. */
  addSession(session: ServerHttp2Session): void;
  /** Returns the handler with an account of the answers that are under way around it. */
  around(handler: RequestHandler): RequestHandler;
  /** Closes what is idle at once and the rest as it becomes idle; after `timeoutMs` cuts what is left. */
  drain(timeoutMs: number): Promise<void>;
}

interface Connection {
  isHttp2: boolean;
  /** The answers of HTTP/1.1 that are under way. */
  readonly answers: Set<ServerResponse>;
}

interface Open {
  /** By the peer, which the socket inside TLS and the one around it have in common. */
  readonly handshakes: Map<string, Socket>;
  readonly sockets: Map<Socket, Connection>;
  readonly sessions: Set<ServerHttp2Session>;
  isDraining: boolean;
  onEmpty: () => void;
}

export function createConnections(limits: Limits): Connections {
  const open: Open = {
    handshakes: new Map(),
    sockets: new Map(),
    sessions: new Set(),
    isDraining: false,
    onEmpty: () => {},
  };
  return {
    addHandshake(socket) {
      const peer = peerOf(socket);
      open.handshakes.set(peer, socket);
      socket.once("close", () => {
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
    addSession(session) {
      open.sessions.add(session);
      session.once("close", () => open.sessions.delete(session));
      guardSession(session, limits);
      if (open.isDraining) session.close();
    },
    around: (handler) => (request, response) => {
      if (request.httpVersionMajor === 1) account(open, request.socket, response);
      handler(request, response);
    },
    drain: (timeoutMs) => drain(open, timeoutMs),
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
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

function drain(open: Open, timeoutMs: number): Promise<void> {
  open.isDraining = true;
  for (const socket of open.handshakes.values()) socket.destroy();
  for (const session of open.sessions) session.close();
  for (const [socket, { isHttp2, answers }] of open.sockets) {
    if (!isHttp2 && answers.size === 0) socket.destroy();
    for (const answer of answers) answer.shouldKeepAlive = false;
  }
  if (open.sockets.size === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      for (const session of open.sessions) session.destroy();
      for (const socket of open.sockets.keys()) socket.destroy();
    }, timeoutMs);
    open.onEmpty = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

/** Closes sessions that never say who they are, that have nothing to do, and streams that fall silent. */
function guardSession(session: ServerHttp2Session, limits: Limits): void {
  let streams = 0;
  const settings = setTimeout(() => session.destroy(), limits.settingsTimeoutMs);
  let idle = setTimeout(() => session.close(), limits.idleSessionTimeoutMs);
  session.once("remoteSettings", () => clearTimeout(settings));
  session.on("error", () => {});
  session.on("stream", (stream: ServerHttp2Stream) => {
    streams++;
    clearTimeout(idle);
    stream.on("error", () => {});
    stream.setTimeout(limits.silenceTimeoutMs, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.once("close", () => {
      streams--;
      if (streams === 0 && !session.closed)
        idle = setTimeout(() => session.close(), limits.idleSessionTimeoutMs);
    });
  });
  session.once("close", () => {
    clearTimeout(settings);
    clearTimeout(idle);
  });
}
