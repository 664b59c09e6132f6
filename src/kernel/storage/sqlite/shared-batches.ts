import type { Sequences } from "../engine/sequences.ts";

/** What surrounds the batches of a process that is not the only one that writes. */
export interface SharedBatches {
  /** As in `createIdGenerator`. */
  readonly slot: number;
  /** As in `QueueLimits`. */
  readonly maxWaitMs: number;
  /** Called in each transaction before anything else. */
  onBegin(sequences: Sequences): void;
  /** Called in each transaction when everything has been done. */
  onEnd(): void;
  /** Called after each commit. */
  onCommitted(): void;
}
