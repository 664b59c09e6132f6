import { tooManyCalls } from "../base/problem.ts";
import type { Exchange } from "./exchanges/exchange.ts";

/**
 * The room for calls under way. Beyond it calls are refused before their bodies are read and their callers looked up, so that
 * those inside are done in time.
 */
export interface CallRoom {
  /** Lets a call in. Raises TOO_MANY_CALLS. */
  enter(exchange: Exchange): void;
  /**
   * Lets a call in that takes no token: whether the service is healthy is to be seen whatever goes on. Beyond a number the
   * oldest of them is cut.
   */
  enterAside(exchange: Exchange): void;
  /** Gives the place back. Harmless for a call that has none. */
  leave(exchange: Exchange): void;
}

/**
 * Calls without a token at the same time. They take milliseconds; who leaves as many of them open does not wait for answers.
 * Were they refused beyond this, anybody could have the service taken for a sick one.
 */
const maxAside = 1000;

/** Returns an empty room for so many calls. `onRefused` is called for each that finds no place. */
export function createCallRoom(maxCalls: number, onRefused: () => void): CallRoom {
  let inside = 0;
  const aside = new Set<Exchange>();
  return {
    enter(exchange) {
      if (inside >= maxCalls) {
        onRefused();
        throw tooManyCalls(maxCalls);
      }
      inside++;
      exchange.isInside = true;
    },
    enterAside(exchange) {
      if (aside.size >= maxAside) {
        const [oldest] = aside;
        if (oldest !== undefined) {
          aside.delete(oldest);
          oldest.cut();
        }
      }
      aside.add(exchange);
    },
    leave(exchange) {
      if (!exchange.isInside) return void aside.delete(exchange);
      exchange.isInside = false;
      inside--;
    },
  };
}
