import { afterEach } from "@jest/globals";
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import type { TestCertificate } from "./certificate.ts";

/** A server on a free port of a loopback address. */
export interface LoopbackServer {
  readonly port: number;
  /** How many connections were made to it so far. */
  connectionCount(): number;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

/** Closes what the returned function is given, after each case. */
export function useServers(): <T extends Pick<LoopbackServer, "close">>(server: T) => T {
  const servers: Pick<LoopbackServer, "close">[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  return (server) => {
    servers.push(server);
    return server;
  };
}

export async function startHttp(handler: RequestListener, host = "127.0.0.1"): Promise<LoopbackServer> {
  return await start(createHttp(handler), host);
}

/** Starts a server whose handler gets the whole body. */
export async function startReceiver(
  handler: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<LoopbackServer> {
  return await startHttp((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handler(request, Buffer.concat(chunks).toString("utf8"), response));
  });
}

export async function startHttps(
  certificate: TestCertificate,
  handler: RequestListener,
): Promise<LoopbackServer> {
  return await start(createHttps({ ...certificate }, handler), "127.0.0.1");
}

/** Starts a server that does with the bytes of a connection what `handler` does. */
export async function startTcp(
  handler: (socket: Socket) => void,
  host = "127.0.0.1",
): Promise<LoopbackServer> {
  return await start(createTcp(handler), host);
}

async function start(server: Server, host: string): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  let count = 0;
  let onClosed: (() => void) | undefined;
  server.on("connection", (socket: Socket) => {
    count++;
    sockets.add(socket);
    socket.on("error", () => undefined); // the other end may have gone
    socket.on("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) onClosed?.();
    });
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(0, host, listening.resolve);
  await listening.promise;
  return {
    port: (server.address() as AddressInfo).port,
    connectionCount: () => count,
    allClosed: async () => {
      const closed = Promise.withResolvers<void>();
      onClosed = closed.resolve;
      if (sockets.size === 0) closed.resolve();
      await closed.promise;
    },
    close: async () => {
      const closed = Promise.withResolvers<void>();
      server.close(() => {
        closed.resolve();
      });
      for (const socket of sockets) socket.destroy();
      await closed.promise;
    },
  };
}
