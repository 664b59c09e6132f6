import { type Clock, createNow } from "../../base/clock.ts";
import type { SqlValue, WriteOptions, WriteTransaction } from "../../base/database.ts";
import { type AnyId, createIdGenerator, type IdGenerator } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { requireInTime } from "../engine/deadlines.ts";
import { createSequences, type Sequences } from "../engine/sequences.ts";
import type { TableWatches } from "../engine/table-watches.ts";
import {
  type BatchEngine,
  createWriteQueue,
  type CommandOutcome,
  toOutcome,
  type WaitingWrite,
  type WriteQueue,
} from "../engine/write-queue.ts";
import type { Connection } from "./connection.ts";
import { readLastSequence } from "./last-sequence.ts";
import type { SharedBatches } from "./shared-batches.ts";
import { createSingleTurn, type SingleTurn } from "./single-turn.ts";
import { isLostWrite, isStorageError, toWriteProblem } from "./storage-error.ts";
import { createWrittenStatements, type WrittenStatements } from "./written-statements.ts";

/** The writes of one connection. */
export interface GroupCommit extends WriteQueue {
  lastSequence(): number;
  onCommit(listener: () => void): () => void;
  /** Resolves when no transaction is open; the next one begins at least one turn of the event loop later. */
  untilNoTransaction(): Promise<void>;
}

const maxBatch = 128;
/**
 * So that a batch does not hold the event loop; a single command of 1,000 events takes 200 ms. Small commands of as many calls as
 * fit into a batch should also end in this time on a slow machine: those that do not wait for a second commit.
 */
const maxBatchMs = 15;

/**
 * Commits writes in groups. A failing command is undone by itself, so that it does not affect the others. All are answered
 * after a single fsync, which takes about 330 µs and would otherwise limit the service to 3,000 writes a second.
 */
export function createGroupCommit(setup: {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFatal: (error: Error) => void;
  readonly watches: TableWatches;
  /** Called after each batch has been committed and answered, or undone. */
  readonly afterCommit: () => void;
  /** Resolves when a batch may begin, which `afterCommit` ends. Absent: at once. */
  readonly untilAlone?: () => Promise<void>;
  /** As in `QueueLimits`. */
  readonly maxWaitingWrites?: number | undefined;
  /** Absent: no other process writes. */
  readonly shared?: SharedBatches | undefined;
}): GroupCommit {
  const { maxWaitingWrites, connection, clock, shared } = setup;
  const sequences = createSequences(readLastSequence(connection), clock);
  const ids = createIdGenerator({
    ...setup,
    floorMs: Math.ceil(sequences.last() / 1000),
    slot: shared?.slot,
  });
  const listeners = new Set<() => void>();
  const gapWaiters: (() => void)[] = [];
  const engine = createEngine({
    ...setup,
    ids,
    sequences,
    singleTurn: createSingleTurn(),
    onDurable: () => listeners.forEach((listener) => listener()),
    afterBatch() {
      setup.afterCommit();
      for (const resolve of gapWaiters.splice(0)) resolve();
    },
  });
  return {
    ...createWriteQueue({
      engine,
      clock,
      limits: { maxBatch, maxBatchMs, maxWaitingWrites, maxWaitMs: shared?.maxWaitMs },
    }),
    lastSequence: sequences.last,
    onCommit(listener) {
      const own = () => listener(); // each call counts, also of the same function
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async untilNoTransaction() {
      await new Promise(setImmediate);
      // A transaction that pauses stays open beyond its turn.
      if (connection.raw.inTransaction)
        await new Promise<void>((resolve) => {
          gapWaiters.push(resolve);
        });
    },
  };
}

/** Makes the transactions of the queue. */
function createEngine(
  setup: Omit<CommandSetup, "commit" | "written"> & {
    readonly onFatal: (error: Error) => void;
    readonly onDurable: () => void;
    readonly afterBatch: () => void;
    readonly untilAlone?: () => Promise<void>;
    readonly shared?: SharedBatches | undefined;
  },
): BatchEngine {
  const { connection, watches, untilAlone, shared, sequences } = setup;
  const open = (): CommandSetup => ({ ...setup, commit: {}, written: createWrittenStatements() });
  let batch = open();
  let fatal: Error | undefined;
  const begin = () => {
    connection.run("BEGIN IMMEDIATE", []);
    shared?.onBegin(sequences);
  };
  return {
    begin() {
      batch = open();
      return untilAlone === undefined ? begin() : untilAlone().then(begin);
    },
    run: (waiting) => runByItself(batch, waiting),
    commit() {
      shared?.onEnd();
      connection.run("COMMIT", []);
      shared?.onCommitted();
    },
    undo(error) {
      if (isLostWrite(error)) fatal = error;
      watches.onTransactionEnd();
      const problem = toWriteProblem(error);
      return () => problem;
    },
    onDurable() {
      watches.onTransactionEnd();
      setup.onDurable();
    },
    afterBatch() {
      if (fatal !== undefined) setup.onFatal(fatal);
      if (connection.raw.inTransaction) connection.run("ROLLBACK", []); // of a batch that was undone
      setup.afterBatch();
    },
  };
}

/** What every command of a batch needs. */
interface CommandSetup {
  /** As in `WriteTransaction`. */
  readonly commit: object;
  readonly written: WrittenStatements;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sequences: Sequences;
  readonly watches: TableWatches;
  readonly singleTurn: SingleTurn;
}

/**
 * Runs a command so that it is undone if it fails: the transaction is made again without it. Where that is not possible, the
 * command has a savepoint.
 */
async function runByItself(setup: CommandSetup, waiting: WaitingWrite): Promise<CommandOutcome> {
  const { connection, clock, singleTurn, written } = setup;
  const tx = new Command(setup, waiting.options);
  const hasSavepoint = !written.isWhole();
  const countBefore = written.count();
  if (hasSavepoint) connection.run("SAVEPOINT command", []);
  try {
    requireInTime(waiting.options, clock);
    const value = await singleTurn.run(() => waiting.fn(tx));
    requireInTime(waiting.options, clock);
    if (hasSavepoint) connection.run("RELEASE command", []);
    waiting.options.onAccepted?.();
    return toOutcome(value);
  } catch (error) {
    // A full disk or an I/O error can end the whole transaction: then no command of the batch has happened.
    tx.hasFailed = true;
    if (!connection.raw.inTransaction || isStorageError(error)) throw error;
    if (hasSavepoint) {
      connection.run("ROLLBACK TO command", []);
      connection.run("RELEASE command", []);
    } else if (written.count() > countBefore) written.makeAgain(connection, countBefore);
    return { kind: "error", error };
  } finally {
    tx.isOver = true;
  }
}

/** The transaction of one command. */
class Command implements WriteTransaction {
  isOver = false;
  hasFailed = false;
  readonly commit: object;
  readonly now: WriteTransaction["now"];
  /** Whether a part is under way. */
  #hasPart = false;
  readonly #setup: CommandSetup;
  readonly #options: WriteOptions;
  readonly #whole: Command | undefined;

  /** `whole` is the transaction that the new one is a part of. */
  constructor(setup: CommandSetup, options: WriteOptions, whole?: Command) {
    this.commit = setup.commit;
    this.now = whole?.now ?? createNow(setup.clock);
    this.#setup = setup;
    this.#options = options;
    this.#whole = whole;
  }

  isUndone(): boolean {
    return this.hasFailed || this.#whole?.isUndone() === true;
  }

  // The row type is the caller's claim about the statement; nothing here can check it.
  async get<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row | undefined> {
    return this.#connection().get(sql, parameters) as Row | undefined;
  }

  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#connection().all(sql, parameters) as Row[];
  }

  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<void> {
    this.#write(sql, parameters);
  }

  async change(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    return this.#write(sql, parameters);
  }

  #write(sql: string, parameters: readonly SqlValue[]): number {
    const connection = this.#connection();
    this.#setup.watches.onStatement(sql);
    const changed = connection.run(sql, parameters);
    this.#setup.written.add(sql, parameters);
    return changed;
  }

  async reserveSequences(count: number): Promise<number> {
    return this.#setup.sequences.reserve(count);
  }

  nextId<T extends AnyId>(): T {
    return this.#setup.ids.next<T>();
  }

  async nested<T>(fn: (part: WriteTransaction) => Promise<T>): Promise<T> {
    const connection = this.#connection();
    const { written } = this.#setup;
    const countBefore = written.count();
    const part = new Command(this.#setup, this.#options, this);
    connection.run("SAVEPOINT part", []);
    this.#hasPart = true;
    try {
      const result = await fn(part);
      connection.run("RELEASE part", []);
      return result;
    } catch (error) {
      part.hasFailed = true;
      if (connection.raw.inTransaction && !isStorageError(error)) {
        connection.run("ROLLBACK TO part", []);
        connection.run("RELEASE part", []);
        written.forgetFrom(countBefore);
      }
      throw error;
    } finally {
      part.isOver = true;
      this.#hasPart = false;
    }
  }

  async pause(): Promise<void> {
    this.#connection(); // only while it is under way
    await this.#setup.singleTurn.pause();
    requireInTime(this.#options, this.#setup.clock);
  }

  #connection(): Connection {
    if (this.isOver) throw new Error("a transaction was used after its end");
    if (this.#hasPart) throw new Error("a transaction was used while a part of it was under way");
    return this.#setup.connection;
  }
}
