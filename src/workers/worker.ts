import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import type { FromWorker, ToWorker, WorkerOrder } from "./messages.ts";

/** A process that serves, as the process that has begun it sees it. */
export interface Worker {
  readonly slot: number;
  readonly pid: number;
  /** Instant of the last message, by the clock of the process. */
  heardMs: number;
  isServing: boolean;
  send(message: ToWorker): void;
  sendConnection(id: number, socket: Socket): void;
  /** Ends it at once. */
  kill(): void;
  readonly ended: Promise<WorkerEnd>;
}

/** How a worker has ended. */
export interface WorkerEnd {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** Gives the order to a process that was begun with a channel. */
export function createWorker(
  child: ChildProcess,
  setup: {
    readonly order: WorkerOrder;
    readonly nowMs: () => number;
    readonly onMessage: (worker: Worker, message: FromWorker) => void;
  },
): Worker {
  const ignore = () => {}; // the end of the process tells
  const worker: Worker = {
    slot: setup.order.slot,
    pid: child.pid ?? 0,
    heardMs: setup.nowMs(),
    isServing: false,
    send: (message) => void (child.connected && child.send(message, ignore)),
    sendConnection(id, socket) {
      // Node would follow the connection in the other process, and ask it at the stop.
      Reflect.set(socket, "server", undefined);
      const message: ToWorker = { kind: "connection", id };
      if (child.connected) child.send(message, socket, { keepOpen: true }, ignore);
    },
    kill: () => void child.kill("SIGKILL"),
    ended: endOf(child),
  };
  child.on("message", (message) => {
    worker.heardMs = setup.nowMs();
    setup.onMessage(worker, message as FromWorker); // only our own program is at the other end
  });
  worker.send({ kind: "order", order: setup.order });
  return worker;
}

async function endOf(child: ChildProcess): Promise<WorkerEnd> {
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null]; // as Node documents it
    return { code: code ?? undefined, signal: signal ?? undefined };
  } catch {
    return { code: undefined, signal: undefined }; // it could not begin
  }
}
