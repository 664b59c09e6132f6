import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Received } from "./webhook-receiver.ts";

/** A hook on this machine. */
export interface HookReceiver {
  readonly url: string;
  /** Every call, in the order in which they came. */
  readonly calls: Received[];
  /** Answers a call; by default 204. */
  answer: (response: ServerResponse, call: Received) => void;
  stop(): Promise<void>;
}

/** Makes an answer of JSON. */
export function withJson(body: object, status = 200): HookReceiver["answer"] {
  return (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Answers with nothing to say. */
export const silent: HookReceiver["answer"] = (response) => response.writeHead(204).end();

/** Starts a hook. */
export async function startHookReceiver(): Promise<HookReceiver> {
  const calls: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const call = { headers: request.headers, text, body: JSON.parse(text) as Received["body"] };
      calls.push(call);
      receiver.answer(response, call);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: HookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, // it listens on a port
    calls,
    answer: silent,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}
