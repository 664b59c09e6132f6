import type { Socket } from "node:net";
import type { Leadership } from "../kernel/base/leadership.ts";
import type { Door } from "../kernel/http/door.ts";
import type { Seat } from "../kernel/storage/seat.ts";
import { createWriteTurns } from "../kernel/storage/write-turns.ts";
import { createMetricsExchange, type MetricsExchange } from "./metrics-exchange.ts";
import type { FromWorker, ToWorker, WorkerOrder } from "./messages.ts";

/** What connects a worker with the process that has begun it. */
export interface WorkerLink {
  readonly order: WorkerOrder;
  readonly seat: Seat;
  readonly door: Door;
  readonly metrics: MetricsExchange;
  /** Resolves when this worker is to stop, with the reason. */
  readonly stop: Promise<string>;
  isStopAsked(): boolean;
  /** Calls it when files are to be read again. */
  onReload(reload: () => void): void;
  /** Says that this worker serves. */
  tellServing(signUpUrl: string | undefined): void;
  /** Lets this process end by itself. */
  close(): void;
  /** Says from now on how many connections are open. */
  count(open: () => number): void;
}

/** The end of the channel that a worker has. */
export interface WorkerChannel {
  send(message: FromWorker): void;
  onMessage(listener: (message: ToWorker, socket: Socket | undefined) => void): void;
  onEnd(listener: () => void): void;
  close(): void;
}

/**
 * Waits for the order of the process that has begun this one, and connects with it. When that process is gone, this one is to stop, and
 * changes nothing any more.
 */
export async function openWorkerLink(channel: WorkerChannel): Promise<WorkerLink> {
  const begun = Promise.withResolvers<WorkerOrder>();
  const stop = createStop();
  const turns = createWriteTurns({
    want: () => channel.send({ kind: "turn-want" }),
    free: () => channel.send({ kind: "turn-free" }),
  });
  const leading = createLeading();
  let open = () => 0;
  let reload = () => {};
  const connections = createConnectionsOf(channel, () => open());
  const metrics = createMetricsExchange(channel, () => begun.promise);
  channel.onMessage((message, socket) => {
    switch (message.kind) {
      case "order":
        return begun.resolve(message.order);
      case "connection":
        return connections.onConnection(message.id, socket);
      case "turn":
        return turns.onTurn(message);
      case "turn-wanted":
        return turns.onWanted();
      case "lead":
        return leading.begin();
      case "ping":
        return channel.send({ kind: "pong", open: open() });
      case "reload":
        return reload();
      case "stop":
        return stop.ask("stop");
      case "metrics":
      case "metrics-of-others":
        return metrics.onMessage(message);
    }
  });
  channel.onEnd(() => {
    leading.end();
    turns.end();
    stop.ask("the process that begins workers has ended");
  });
  const order = await begun.promise;
  return {
    order,
    seat: { slot: order.slot, turns, leadership: leading },
    door: { host: order.host, port: order.port, open: connections.open, close: connections.close },
    metrics,
    stop: stop.asked,
    isStopAsked: stop.isAsked,
    onReload(given) {
      reload = given;
    },
    tellServing: (signUpUrl) => channel.send({ kind: "serving", signUpUrl }),
    close: channel.close,
    count(given) {
      open = given;
    },
  };
}

/** Connects with the process that has begun this one with a channel; undefined if it was begun by hand. */
export function channelOfProcess(): WorkerChannel | undefined {
  if (process.send === undefined) return undefined;
  const send = process.send.bind(process);
  return {
    send(message) {
      // What cannot be sent concerns nobody: the other process has ended.
      if (process.connected) send(message, undefined, undefined, () => {});
    },
    onMessage(listener) {
      // What only the process that begins workers sends.
      process.on("message", (message, socket) => listener(message as ToWorker, socket as Socket | undefined));
    },
    onEnd: (listener) => void process.once("disconnect", listener),
    close: () => process.disconnect?.(),
  };
}

function createStop() {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  let isAsked = false;
  return {
    asked,
    isAsked: () => isAsked,
    ask(reason: string) {
      isAsked = true;
      resolve(reason);
    },
  };
}

function createLeading(): Leadership & { begin(): void; end(): void } {
  const term = new AbortController();
  let isLeading = false;
  return {
    term: () => (isLeading ? term.signal : undefined),
    begin() {
      isLeading = true;
    },
    end() {
      isLeading = false;
      term.abort();
    },
  };
}

function createConnectionsOf(channel: WorkerChannel, open: () => number) {
  let take = (socket: Socket): void => void socket.destroy();
  return {
    onConnection(id: number, socket: Socket | undefined) {
      if (socket !== undefined) take(socket); // its client may be gone
      channel.send({ kind: "taken", id, open: open() });
    },
    open(given: (socket: Socket) => void) {
      take = given;
    },
    close() {
      take = (socket) => void socket.destroy();
    },
  };
}
