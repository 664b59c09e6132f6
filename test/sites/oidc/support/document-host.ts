import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the host answers at a path. */
export interface HostAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A web server on loopback with documents that describe clients. */
export interface DocumentHost {
  readonly origin: string;
  /** Puts the document of a client there, in place of a former one, and returns its client id. */
  put(path: string, members?: Readonly<Record<string, unknown>>, headers?: HostAnswer["headers"]): string;
  /** Puts anything there. Returns its URL. */
  answer(path: string, answer: HostAnswer): string;
  /** How often the path was asked for. */
  count(path: string): number;
  stop(): void;
}

/** The redirect URI of documents that name no other one. */
export const documentRedirect = "https://agent.example/callback";

/** Starts a host. */
export async function openDocumentHost(): Promise<DocumentHost> {
  const answers = new Map<string, HostAnswer>();
  const counts = new Map<string, number>();
  const server = createServer(({ url = "" }: IncomingMessage, response) => {
    counts.set(url, (counts.get(url) ?? 0) + 1);
    const { status = 200, headers = {}, body = "" } = answers.get(url) ?? { status: 404 };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens at a port
  const answer = (path: string, given: HostAnswer): string => {
    answers.set(path, given);
    return origin + path;
  };
  return {
    origin,
    answer,
    put: (path, members = {}, headers = {}) =>
      answer(path, {
        headers,
        body: JSON.stringify({
          client_id: origin + path,
          client_name: "Agent",
          redirect_uris: [documentRedirect],
          grant_types: ["authorization_code", "refresh_token"],
          token_endpoint_auth_method: "none",
          ...members,
        }),
      }),
    count: (path) => counts.get(path) ?? 0,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
