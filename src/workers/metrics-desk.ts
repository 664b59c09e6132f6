import type { FromWorker, WorkerMetrics } from "./messages.ts";
import type { Worker } from "./worker.ts";

/** Collects the metrics of all workers for the one that was asked for them. */
export interface MetricsDesk {
  onMessage(worker: Worker, message: MetricsMessage): void;
  /** The worker has ended: nobody waits for it any more. */
  gone(worker: Worker): void;
}

type MetricsMessage = Extract<FromWorker, { readonly kind: "metrics" | "metrics-wanted" }>;

interface Collection {
  readonly asker: Worker;
  readonly id: number;
  readonly missing: Set<number>;
  readonly texts: WorkerMetrics[];
  readonly timer: NodeJS.Timeout;
}

/** A worker that takes longer is left out. */
const maxWaitMs = 1000;

/** Creates the desk. `serving` returns the workers that serve now. */
export function createMetricsDesk(serving: () => readonly Worker[]): MetricsDesk {
  const open = new Set<Collection>();
  const finish = (collection: Collection) => {
    clearTimeout(collection.timer);
    open.delete(collection);
    const { asker, id, texts } = collection;
    asker.send({ kind: "metrics-of-others", id, texts });
  };
  const drop = (collection: Collection, slot: number) => {
    collection.missing.delete(slot);
    if (collection.missing.size === 0) finish(collection);
  };
  return {
    onMessage(worker, message) {
      if (message.kind === "metrics-wanted") {
        const others = serving().filter((other) => other !== worker);
        const collection: Collection = {
          asker: worker,
          id: message.id,
          missing: new Set(others.map(({ slot }) => slot)),
          texts: [],
          timer: setTimeout(() => finish(collection), maxWaitMs),
        };
        open.add(collection);
        for (const other of others) other.send({ kind: "metrics", id: message.id, from: worker.slot });
        if (others.length === 0) finish(collection);
        return;
      }
      for (const collection of open) {
        const isIts = collection.id === message.id && collection.asker.slot === message.from;
        if (!isIts || !collection.missing.has(worker.slot)) continue;
        collection.texts.push({ slot: worker.slot, text: message.text });
        drop(collection, worker.slot);
      }
    },
    gone(worker) {
      for (const collection of open) drop(collection, worker.slot);
    },
  };
}
