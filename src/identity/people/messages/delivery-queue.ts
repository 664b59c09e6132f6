import { Problem } from "../../../kernel/base/problem.ts";

/** Deliveries at a provider: a few at once, and others that wait in order. */
export interface DeliveryQueue {
  /** Raises OVERLOADED when no more messages are taken at this moment. Ask before anything is stored that a message is about. */
  requireRoom(): void;
  /**
   * Starts a delivery, or lets it wait. It is taken even when the queue is full: what was counted before it became so is not lost.
   * `work` does not reject.
   */
  add(work: () => Promise<void>): void;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

/** How many deliveries run at once, and how many wait. */
export interface DeliveryBounds {
  readonly maxRunning: number;
  readonly maxWaiting: number;
}

/** A provider that answers in half a second takes 40 messages in each second; one that hangs, one in each second. */
export const deliveryBounds: DeliveryBounds = { maxRunning: 20, maxWaiting: 200 };

/** Creates the queue of a provider, in which nothing waits. */
export function createDeliveryQueue({ maxRunning, maxWaiting }: DeliveryBounds): DeliveryQueue {
  const running = new Set<Promise<void>>();
  const waiting: (() => Promise<void>)[] = [];
  const begin = (work: () => Promise<void>): void => {
    const delivery = work().finally(() => {
      running.delete(delivery);
      const next = waiting.shift();
      if (next !== undefined) begin(next);
    });
    running.add(delivery);
  };
  return {
    requireRoom() {
      if (running.size >= maxRunning && waiting.length >= maxWaiting) throw tooManyMessages();
    },
    add(work) {
      if (running.size < maxRunning) begin(work);
      else waiting.push(work);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

function tooManyMessages(): Problem {
  return new Problem({
    kind: "unavailable",
    reason: "OVERLOADED",
    message: "too many messages are being delivered; nothing was done; try again later",
    retryAfterMs: 1000,
  });
}
