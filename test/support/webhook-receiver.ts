import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A delivery as the receiver got it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** A receiver of webhooks on this machine. */
export interface WebhookReceiver {
  readonly url: string;
  /** Everything that came, in its order. */
  readonly received: readonly Received[];
  /** The status that it answers with; by default 204. */
  status: number;
  /** The headers that it answers with. */
  headers: Readonly<Record<string, string>>;
  /** How many connections were opened. */
  readonly connections: () => number;
  /** Resolves with the deliveries once so many have come. */
  got(count: number): Promise<readonly Received[]>;
  /** Answers nothing from now on, until the result is called. */
  hold(): () => void;
  stop(): Promise<void>;
}

/** Starts a receiver. */
export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let connections = 0;
  let held: Promise<void> = Promise.resolve();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      received.push({ headers: request.headers, text, body: JSON.parse(text) as Received["body"] });
      for (const look of waiting) look();
      void held.then(() => response.writeHead(receiver.status, receiver.headers).end("{}"));
    });
  });
  server.on("connection", () => (connections += 1));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`, // it listens on a port
    received,
    status: 204,
    headers: {},
    connections: () => connections,
    got: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve([...received]);
        };
        waiting.add(look);
        look();
      }),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}
