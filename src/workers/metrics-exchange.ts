import { joinMetrics } from "./join-metrics.ts";
import type { FromWorker, ToWorker, WorkerMetrics, WorkerOrder } from "./messages.ts";

/** Puts the metrics of all workers together, whichever of them is asked. */
export interface MetricsExchange {
  /** Says how the metrics of this worker are read. */
  tell(read: () => Promise<string>): void;
  /** Returns the metrics of all workers, with `own` as those of this one. A worker that does not answer soon is left out. */
  join(own: string): Promise<string>;
}

type MetricsMessage = Extract<ToWorker, { readonly kind: "metrics" | "metrics-of-others" }>;

/** Creates it on a channel. */
export function createMetricsExchange(
  channel: { send(message: FromWorker): void },
  order: () => Promise<WorkerOrder>,
): MetricsExchange & { onMessage(message: MetricsMessage): void } {
  const asking = new Map<number, (texts: readonly WorkerMetrics[]) => void>();
  let lastId = 0;
  let read = async () => "";
  return {
    tell(given) {
      read = given;
    },
    async join(own) {
      const id = ++lastId;
      const others = await new Promise<readonly WorkerMetrics[]>((resolve) => {
        asking.set(id, resolve);
        channel.send({ kind: "metrics-wanted", id });
      });
      const { slot } = await order();
      return joinMetrics([...others, { slot, text: own }]);
    },
    onMessage(message) {
      if (message.kind === "metrics") {
        const { id, from } = message;
        void read().then((text) => channel.send({ kind: "metrics", id, from, text }));
        return;
      }
      asking.get(message.id)?.(message.texts);
      asking.delete(message.id);
    },
  };
}
