import type { Leadership } from "../base/leadership.ts";

/** Turns of processes that write to the same files. One process at a time has the turn. */
export interface WriteTurns {
  /**
   * Resolves when this process may write, and nothing else in it does, until `leave`. `isAfterLoss`: the process that had the turn before has
   * ended in it, so something may be half done. Rejects when there are no more turns.
   */
  enter(): Promise<{ readonly isAfterLoss: boolean }>;
  /** Ends the turn. Does nothing without one. */
  leave(): void;
}

/** What distinguishes a process from the others that share a data folder with it. The process that has begun them gives it. */
export interface Seat {
  /** A number below 64 that no other process has. */
  readonly slot: number;
  readonly turns: WriteTurns;
  readonly leadership: Leadership;
}
