import { tooManyCalls } from "../base/problem.ts";
import type { Exchange } from "./exchanges/exchange.ts";

/**
 * The kind of place that a request takes while it is answered. `call`: one of those for calls under way. `open`: one of those
 * for what takes no token, such as the question whether the service is healthy.
 */
export type AdmissionKind = "call" | "open";

/** Gives a place back. Harmless to repeat. */
export type Leave = () => void;

/**
 * Bounds the calls under way. Those beyond the bound are refused before their bodies are read and their callers looked up, so
 * that those that were admitted are done in time.
 */
export interface Admission {
  /** Takes a place among the calls under way. Raises TOO_MANY_CALLS. */
  admit(): Leave;
  /**
   * Takes a place for a request without a token, which is never refused: the health of the service must be seen whatever goes
   * on. Beyond a number of them the oldest is cut.
   */
  admitOpen(exchange: Pick<Exchange, "cut">): Leave;
}

/**
 * Open requests at the same time. They take milliseconds: a client with this many of them is not reading answers. Cut the
 * oldest: refusing new ones would let anyone make the service look unhealthy.
 */
const maxOpen = 1000;

/** Creates places for so many calls. `onRefused` is called for each call that finds none. */
export function createAdmission(maxCalls: number, onRefused: () => void): Admission {
  let underWay = 0;
  const open = new Set<Pick<Exchange, "cut">>();
  return {
    admit() {
      if (underWay >= maxCalls) {
        onRefused();
        throw tooManyCalls(maxCalls);
      }
      underWay++;
      let isInside = true;
      return () => {
        if (isInside) underWay--;
        isInside = false;
      };
    },
    admitOpen(exchange) {
      const [oldest] = open.size >= maxOpen ? open : [];
      if (oldest !== undefined) {
        open.delete(oldest);
        oldest.cut();
      }
      open.add(exchange);
      return () => void open.delete(exchange);
    },
  };
}
