import type { Problem } from "../../base/problem.ts";
import { overloaded } from "../errors/refusals.ts";

/** Bytes that many bodies may hold together. */
export interface Budget {
  open(): Share;
}

/** The part of a budget that one body has taken. */
export interface Share {
  /** Takes bytes; false when fewer are left. */
  take(bytes: number): boolean;
  /** Gives back all bytes that were taken. */
  close(): void;
}

/** Creates a full budget. */
export function createBudget(maxBytes: number): Budget {
  let heldBytes = 0;
  return {
    open() {
      let own = 0;
      return {
        take(bytes) {
          if (heldBytes + bytes > maxBytes) return false;
          own += bytes;
          heldBytes += bytes;
          return true;
        },
        close() {
          heldBytes -= own;
          own = 0;
        },
      };
    },
  };
}

/** Refuses a body for which the budget has no bytes left. */
export function tooMuchHeld(): Problem {
  return overloaded("too many request bodies are being received at the moment");
}
