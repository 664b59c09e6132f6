import { tooManyCalls } from "../base/problem.ts";
import type { Exchange } from "./exchanges/exchange.ts";

/**
 * The kind of place that a request takes while it is answered. `call`: one of the places for calls in progress.
 * `open`: one for requests without a token, such as a health check.
 */
export type AdmissionKind = "call" | "open";

/** Gives a place back. Harmless to repeat. */
export type Leave = () => void;

/**
 * Limits the calls in progress. Calls beyond the limit are refused before their bodies are read and their callers
 * looked up, so that admitted calls are done in time.
 */
export interface Admission {
  /** Takes a place among the calls in progress. Raises TOO_MANY_CALLS. */
  admit(): Leave;
  /**
   * Takes a place for a request without a token. It is never refused, because the health of the service must always
   * be visible. Beyond a limit the oldest such request is cut.
   */
  admitOpen(exchange: Pick<Exchange, "cut">): Leave;
}

/**
 * Open requests at the same time. They take milliseconds: a client with this many of them is not reading answers. Cut the
 * oldest: refusing new ones would let anyone make the service look unhealthy.
 */
const maxOpen = 1000;

/** Creates this many places for calls. `onRefused` is called for each call that finds none. */
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
