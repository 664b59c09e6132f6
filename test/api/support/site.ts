import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A web server on loopback that gives what a test puts there. */
export interface Site {
  /** Without a path behind it: `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The connections that were made to it so far. */
  connections(): number;
  /** Gives the answer from now on at a new path, and returns its URL. */
  serve(answer: SiteAnswer): string;
  stop(): void;
}

export interface SiteAnswer {
  /** Default: 200. */
  readonly status?: number;
  readonly body?: string | Uint8Array;
  /** Where it redirects to. */
  readonly location?: string;
  /** Sends the body without saying its length first. */
  readonly isChunked?: boolean;
}

/** Starts a server on a free port. What no test has put there is 404. */
export async function openSite(): Promise<Site> {
  const pages = new Map<string, SiteAnswer>();
  let connections = 0;
  const server = createServer((request, response) => reply(pages.get(request.url ?? ""), request, response));
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    connections: () => connections,
    serve(answer) {
      const path = `/page-${pages.size}`;
      pages.set(path, answer);
      return origin + path;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function reply(page: SiteAnswer | undefined, _request: IncomingMessage, response: ServerResponse): void {
  const { status = 200, body = "", location, isChunked = false } = page ?? { status: 404 };
  response.statusCode = status;
  if (location !== undefined) response.setHeader("location", location);
  if (isChunked) {
    response.write(body);
    response.end();
  } else {
    response.setHeader("content-length", Buffer.byteLength(body));
    response.end(body);
  }
}
