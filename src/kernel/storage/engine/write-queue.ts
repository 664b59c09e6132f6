import type { Clock } from "../../base/clock.ts";
import type { WriteOptions, WriteTransaction } from "../../base/database.ts";
import { Problem, tooManyCalls } from "../../base/problem.ts";
import { writeUnavailable } from "./storage-problem.ts";

/** A command that waits for its turn or its commit. */
export interface WaitingWrite {
  readonly fn: (tx: WriteTransaction) => Promise<unknown>;
  readonly options: WriteOptions;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Ends the wait for the turn; undefined if it is not limited. */
  readonly timer: NodeJS.Timeout | undefined;
}

/** How one command ended, before the batch that it is in is durable. */
export type CommandOutcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: unknown };

/** Returns the commands that will probably be the next ones of the batch, in their order: so many at most. */
export type Upcoming = (most: number) => readonly WaitingWrite[];

/** What an engine does with one batch: begin, run each command, commit. If one of the three throws, undo. */
export interface BatchEngine {
  /**
   * Begins the transaction. Until it returns no command is taken from the queue. It may try for as long as `isWanted`
   * returns true: then commands are waiting. `upcoming` is right until the batch ends.
   */
  begin(isWanted: () => boolean, upcoming: Upcoming): Promise<void> | void;
  /** Runs a command so that it is undone if it fails. Throws only if the whole transaction is lost. */
  run(waiting: WaitingWrite, index: number): Promise<CommandOutcome>;
  /** Returns when the transaction is durable. */
  commit(): Promise<void> | void;
  /** Rolls back. Returns the error that each command of the batch is answered with. */
  undo(error: unknown): (index: number) => unknown;
  /** Called when the batch is durable, before its commands are answered. */
  onDurable(): void;
  /** Called when all commands are answered. */
  afterBatch(): void;
}

/** How much goes into one batch, and how much may wait. */
export interface QueueLimits {
  /** Most commands of one batch, so that those it begins with are not kept waiting. */
  readonly maxBatch: number;
  /** No further command joins a batch that has run for this long. */
  readonly maxBatchMs: number;
  /**
   * Maximum number of waiting commands of calls. There can be more of them than calls in progress: when a deadline
   * passes the caller is gone, but the command stays in the queue until it is discarded. Absent: no limit.
   */
  readonly maxWaitingWrites?: number | undefined;
  /** A command of a call that has waited for this long is answered that the storage is unavailable. Absent: never. */
  readonly maxWaitMs?: number | undefined;
}

/** The queue of writes of one database. Those that arrive together are committed together. */
export interface WriteQueue {
  write<T>(fn: (tx: WriteTransaction) => Promise<T>, options?: WriteOptions): Promise<Exclude<T, Error>>;
  /** Returns the number of waiting commands. */
  waiting(): number;
  /** Resolves when nothing is waiting. */
  idle(): Promise<void>;
}

/**
 * Creates the queue. Commands that arrive while a batch is being committed wait and go into the next one together. All of
 * a batch are answered after its commit.
 */
export function createWriteQueue(setup: {
  readonly engine: BatchEngine;
  readonly clock: Clock;
  readonly limits: QueueLimits;
}): WriteQueue {
  const { engine, limits } = setup;
  const { maxWaitingWrites = Number.POSITIVE_INFINITY, maxWaitMs } = limits;
  const queue: WaitingWrite[] = [];
  let draining: Promise<void> | undefined;

  const drain = async () => {
    while (queue.length > 0) {
      await collect(queue, limits.maxBatch);
      await commitBatch(setup, queue);
      engine.afterBatch();
    }
    draining = undefined;
  };

  return {
    write<T>(fn: (tx: WriteTransaction) => Promise<T>, options: WriteOptions = {}) {
      if (queue.length >= maxWaitingWrites && options.signal !== undefined)
        return Promise.reject(tooManyCalls(maxWaitingWrites));
      return new Promise<Exclude<T, Error>>((resolve, reject) => {
        // The value is what fn returned; the queue holds commands of all types.
        const command = { fn, options, resolve: resolve as (value: unknown) => void, reject };
        const isLimited = maxWaitMs !== undefined && options.signal !== undefined;
        const timer = isLimited ? setTimeout(() => giveUp(queue, timer), maxWaitMs).unref() : undefined;
        queue.push({ ...command, timer });
        draining ??= drain();
      });
    },
    waiting: () => queue.length,
    idle: async () => await draining,
  };
}

/** Refuses the command of the timer if it is still waiting. */
function giveUp(queue: WaitingWrite[], timer: WaitingWrite["timer"]): void {
  const index = queue.findIndex((waiting) => waiting.timer === timer);
  if (index === -1) return;
  const [late] = queue.splice(index, 1);
  late?.reject(writeUnavailable(new Error("the write has waited too long for its turn")));
}

/** Takes the first command of the queue; none if nothing waits. */
function takeFirst(queue: WaitingWrite[]): readonly WaitingWrite[] {
  const taken = queue.splice(0, 1);
  for (const { timer } of taken) clearTimeout(timer);
  return taken;
}

/** Lets what is already in the socket buffers join the batch: waits as long as each turn of the event loop brings more. */
async function collect(queue: readonly WaitingWrite[], maxBatch: number): Promise<void> {
  let known: number;
  do {
    known = queue.length;
    await new Promise(setImmediate);
  } while (queue.length > known && queue.length < maxBatch);
}

/** Takes the first commands of the queue and commits them together. */
async function commitBatch(
  { engine, clock, limits }: Parameters<typeof createWriteQueue>[0],
  queue: WaitingWrite[],
): Promise<void> {
  const batch: WaitingWrite[] = [];
  const outcomes: CommandOutcome[] = [];
  let endMs = 0;
  const upcoming: Upcoming = (most) => {
    const leftMs = endMs - clock.nowMs();
    const inTime = countInTime(leftMs, outcomes.length, limits);
    const long = queue.findIndex(({ options }) => options.mayTakeLong);
    const room = Math.min(most, limits.maxBatch - batch.length, long === -1 ? most : long);
    return queue.slice(0, Math.min(room, inTime));
  };
  try {
    const begun = engine.begin(() => queue.length > 0, upcoming);
    if (begun !== undefined) await begun;
    endMs = clock.nowMs() + limits.maxBatchMs;
    batch.push(...takeFirst(queue));
    for (const waiting of batch) {
      outcomes.push(await engine.run(waiting, outcomes.length));
      const hasRoom = batch.length < limits.maxBatch && clock.nowMs() < endMs;
      if (hasRoom && queue[0]?.options.mayTakeLong !== true) batch.push(...takeFirst(queue));
    }
    const committed = engine.commit();
    if (committed !== undefined) await committed;
  } catch (error) {
    // Those that are not in the batch stay in the queue, unless it could not even begin.
    if (batch.length === 0) batch.push(...queue.splice(0, limits.maxBatch));
    const errorOf = engine.undo(error);
    for (const [index, waiting] of batch.entries()) waiting.reject(errorOf(index));
    return;
  }
  engine.onDurable();
  for (const [index, waiting] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome?.kind === "value") waiting.resolve(outcome.value);
    else waiting.reject(outcome?.error);
  }
}

/** Returns how many commands can join a batch behind the current one if each takes as long as those that are done. */
function countInTime(leftMs: number, doneCount: number, { maxBatchMs }: QueueLimits): number {
  const eachMs = (maxBatchMs - leftMs) / Math.max(1, doneCount);
  return leftMs <= 0 ? 0 : Math.ceil(leftMs / Math.max(0, eachMs)) - 1;
}

/** Returns how a command ended that returned: a Problem that it returned is thrown, and its changes are kept. */
export function toOutcome(value: unknown): CommandOutcome {
  return value instanceof Problem ? { kind: "error", error: value } : { kind: "value", value };
}
