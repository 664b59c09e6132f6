import type { Clock } from "../../base/clock.ts";
import type { SqlValue, WriteOptions, WriteTransaction } from "../../base/database.ts";
import { type AnyId, createIdGenerator, type IdGenerator } from "../../base/ids.ts";
import { Problem, tooManyCalls } from "../../base/problem.ts";
import type { Random } from "../../base/random.ts";
import type { Connection } from "./connection.ts";
import { isLostWrite, isStorageError, toWriteProblem } from "./storage-error.ts";
import type { TableWatches } from "./table-watches.ts";
import { createSequences, type Sequences } from "../sequences.ts";
import { createSingleTurn, type SingleTurn } from "./single-turn.ts";

/** The queue of commands of one connection. Those that arrive together are committed together. */
export interface GroupCommit {
  write<T>(fn: (tx: WriteTransaction) => Promise<T>, options?: WriteOptions): Promise<Exclude<T, Error>>;
  lastSequence(): number;
  onCommit(listener: () => void): () => void;
  /** Returns the number of waiting commands. */
  waiting(): number;
  /** Resolves when nothing is waiting. */
  idle(): Promise<void>;
  /** Resolves when no transaction is open; the next one begins at least one turn of the event loop later. */
  untilNoTransaction(): Promise<void>;
}

interface Waiting {
  readonly fn: (tx: WriteTransaction) => Promise<unknown>;
  readonly options: WriteOptions;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How one command ended, before the batch that it is in is durable. */
type Outcome =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: unknown };

/** Most commands of one batch, so that those it begins with are not kept waiting. */
const maxBatch = 128;
/**
 * No further command joins a batch that has run for this long, so that it does not hold the event loop; a single command
 * of 1,000 events takes 200 ms. With half this time, commits of many concurrent calls cost each a sixth more.
 */
const maxBatchMs = 10;

/**
 * Commits writes in groups. Commands that arrive while a batch is being committed wait and go into the next
 * transaction together, each in its own savepoint, so that a failing command does not affect the others. All are
 * answered after a single fsync, which takes about 330 µs and would otherwise limit the service to 3,000 writes a
 * second.
 */
export function createGroupCommit(setup: {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFatal: (error: Error) => void;
  readonly watches: TableWatches;
  /** Called after each batch has been committed and answered. */
  readonly afterCommit: () => void;
  /**
   * Maximum number of waiting commands of calls. There can be more of them than calls in progress: when a deadline
   * passes the caller is gone, but the command stays in the queue until it is discarded.
   */
  readonly maxWaitingWrites?: number | undefined;
}): GroupCommit {
  const { maxWaitingWrites = Number.POSITIVE_INFINITY, connection } = setup;
  const sequences = createSequences(readLastSequence(connection), setup.clock);
  const ids = createIdGenerator({ ...setup, floorMs: Math.ceil(sequences.last() / 1000) });
  const singleTurn = createSingleTurn();
  const queue: Waiting[] = [];
  const listeners = new Set<() => void>();
  const onDurable = () => listeners.forEach((listener) => listener());
  const gapWaiters: (() => void)[] = [];
  let draining: Promise<void> | undefined;

  const drain = async () => {
    while (queue.length > 0) {
      await collect(queue);
      await commitBatch({ ...setup, ids, sequences, singleTurn, onDurable }, queue);
      setup.afterCommit();
      for (const resolve of gapWaiters.splice(0)) resolve();
    }
    draining = undefined;
  };

  return {
    write<T>(fn: (tx: WriteTransaction) => Promise<T>, options: WriteOptions = {}) {
      if (queue.length >= maxWaitingWrites && options.signal !== undefined)
        return Promise.reject(tooManyCalls(maxWaitingWrites));
      return new Promise<Exclude<T, Error>>((resolve, reject) => {
        // The value is what fn returned; the queue holds commands of all types.
        queue.push({ fn, options, resolve: resolve as (value: unknown) => void, reject });
        draining ??= drain();
      });
    },
    lastSequence: sequences.last,
    onCommit(listener) {
      const own = () => listener(); // each call counts, also of the same function
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    waiting: () => queue.length,
    idle: async () => await draining,
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

/** Lets what is already in the socket buffers join the batch: waits as long as each turn of the event loop brings more. */
async function collect(queue: readonly Waiting[]): Promise<void> {
  let known: number;
  do {
    known = queue.length;
    await new Promise(setImmediate);
  } while (queue.length > known && queue.length < maxBatch);
}

/** Takes the first commands of the queue and commits them together. */
async function commitBatch(
  shared: Omit<CommandSetup, "commit"> & {
    readonly onFatal: (error: Error) => void;
    readonly onDurable: () => void;
  },
  queue: Waiting[],
): Promise<void> {
  const setup = { ...shared, commit: {} };
  const { connection, clock, watches } = setup;
  const endMs = clock.nowMs() + maxBatchMs;
  const batch = queue.splice(0, 1);
  const outcomes: Outcome[] = [];
  try {
    connection.run("BEGIN IMMEDIATE", []);
    for (const waiting of batch) {
      outcomes.push(await runByItself(setup, waiting, { isFirst: outcomes.length === 0 }));
      if (batch.length < maxBatch && clock.nowMs() < endMs) batch.push(...queue.splice(0, 1));
    }
    connection.run("COMMIT", []);
  } catch (error) {
    for (const waiting of batch) waiting.reject(toWriteProblem(error));
    if (isLostWrite(error)) setup.onFatal(error);
    if (connection.raw.inTransaction) connection.run("ROLLBACK", []);
    watches.onTransactionEnd();
    return;
  }
  watches.onTransactionEnd();
  setup.onDurable();
  for (const [index, waiting] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome?.kind === "value") waiting.resolve(outcome.value);
    else waiting.reject(outcome?.error);
  }
}

const beginAnew = ["ROLLBACK", "BEGIN IMMEDIATE"];
const undoCommand = ["ROLLBACK TO command", "RELEASE command"];

/** What every command of a batch needs. */
interface CommandSetup {
  /** As in `WriteTransaction`. */
  readonly commit: object;
  readonly connection: Connection;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly sequences: Sequences;
  readonly watches: TableWatches;
  readonly singleTurn: SingleTurn;
}

/**
 * Runs a command so that it is undone if it fails. The first command of a transaction does without a savepoint, which
 * would keep every page that it changes in memory: a large command on its own is always the first.
 */
async function runByItself(
  setup: CommandSetup,
  waiting: Waiting,
  { isFirst }: { readonly isFirst: boolean },
): Promise<Outcome> {
  const { connection, clock, singleTurn } = setup;
  const tx = new Command(setup, waiting.options);
  if (!isFirst) connection.run("SAVEPOINT command", []);
  try {
    requireInTime(waiting.options, clock);
    const value = await singleTurn.run(() => waiting.fn(tx));
    requireInTime(waiting.options, clock);
    if (!isFirst) connection.run("RELEASE command", []);
    waiting.options.onAccepted?.();
    return value instanceof Problem ? { kind: "error", error: value } : { kind: "value", value };
  } catch (error) {
    // A full disk or an I/O error can end the whole transaction: then no command of the batch has happened.
    if (!connection.raw.inTransaction || isStorageError(error)) throw error;
    for (const statement of isFirst ? beginAnew : undoCommand) connection.run(statement, []);
    return { kind: "error", error };
  } finally {
    tx.isOver = true;
  }
}

/** The transaction of one command. */
class Command implements WriteTransaction {
  isOver = false;
  readonly commit: object;
  readonly #setup: CommandSetup;
  readonly #options: WriteOptions;

  constructor(setup: CommandSetup, options: WriteOptions) {
    this.commit = setup.commit;
    this.#setup = setup;
    this.#options = options;
  }

  // The row type is the caller's claim about the statement; nothing here can check it.
  async get<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row | undefined> {
    return this.#connection().get(sql, parameters) as Row | undefined;
  }

  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    return this.#connection().all(sql, parameters) as Row[];
  }

  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<void> {
    await this.change(sql, parameters);
  }

  async change(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    const connection = this.#connection();
    this.#setup.watches.onStatement(sql);
    return connection.run(sql, parameters);
  }

  async reserveSequences(count: number): Promise<number> {
    return this.#setup.sequences.reserve(count);
  }

  nextId<T extends AnyId>(): T {
    return this.#setup.ids.next<T>();
  }

  async nested<T>(fn: (part: WriteTransaction) => Promise<T>): Promise<T> {
    const connection = this.#connection();
    const part = new Command(this.#setup, this.#options);
    connection.run("SAVEPOINT part", []);
    try {
      const result = await fn(part);
      connection.run("RELEASE part", []);
      return result;
    } catch (error) {
      if (connection.raw.inTransaction && !isStorageError(error)) {
        connection.run("ROLLBACK TO part", []);
        connection.run("RELEASE part", []);
      }
      throw error;
    } finally {
      part.isOver = true;
    }
  }

  async pause(): Promise<void> {
    this.#connection(); // only while it is under way
    await this.#setup.singleTurn.pause();
    requireInTime(this.#options, this.#setup.clock);
  }

  #connection(): Connection {
    if (this.isOver) throw new Error("a transaction was used after its end");
    return this.#setup.connection;
  }
}

function readLastSequence(connection: Connection): number {
  const row = connection.get("SELECT COALESCE(MAX(sequence), 0) AS last FROM events", []);
  return (row as { last: number }).last; // the shape of the statement above
}

function requireInTime(options: WriteOptions, clock: Clock): void {
  const isLate = options.deadlineMs !== undefined && clock.nowMs() >= options.deadlineMs;
  if (isLate || options.signal?.aborted === true) {
    throw new Problem({
      kind: isLate ? "deadline" : "cancelled",
      reason: isLate ? "DEADLINE_EXCEEDED" : "CANCELLED",
      message: isLate
        ? "the deadline of the call has passed; nothing was changed"
        : "the caller cancelled the call; nothing was changed",
    });
  }
}
