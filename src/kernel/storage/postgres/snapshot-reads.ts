import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, createNow } from "../../base/clock.ts";
import type { ReadTransaction, SqlValue } from "../../base/database.ts";
import { IdleTransactionError, watchIdle } from "./idle-guard.ts";
import { type Position, type PositionRow, positionStatement } from "./position.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { ConnectionLostError, toPostgresReadProblem } from "./postgres-error.ts";
import { createReadConnections, type ReadConnections } from "./read-connections.ts";
import { type Statements, toReadValues } from "./statements.ts";

/**
 * Reads, each on a snapshot that is not older than the call. A read that loses its connection is made once more on another
 * one.
 */
export interface SnapshotReads {
  run<T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T>;
  /** Learns the position; see `Database.refresh`. */
  refresh(): Promise<void>;
  /** Waits for reads under way, then closes the connections. */
  close(): Promise<void>;
}

/** What reads need. */
export interface SnapshotReadsSetup {
  readonly connect: () => Promise<PostgresConnection>;
  readonly maxConnections: number;
  /** How long a read waits for a connection. */
  readonly maxWaitMs: number;
  readonly statements: Statements;
  readonly clock: Clock;
  readonly position: Position;
  /** Returns the newest timeline that this process knows. */
  readonly newestTimeline: () => number;
  /** Throws when nothing may be read at the moment. */
  readonly requireReadable: () => void;
}

/**
 * A transaction that all reads share which begin in one turn of the event loop. It is sent at the end of the turn, so that
 * the snapshot that PostgreSQL takes is younger than the last of them.
 */
class Snapshot {
  connection: PostgresConnection | undefined;
  readers = 0;
  /** Whether it was sent: from then on nobody may join. */
  isSent = false;
  isOver = false;
  error: unknown;
  /** Settles when there is a connection. */
  readonly begun = Promise.withResolvers<PostgresConnection>();
  /** Settles when the position is known, which is before the answer to any other statement. */
  readonly positioned = Promise.withResolvers<void>();
  /** Settles when it has ended. */
  readonly over = Promise.withResolvers<void>();
  stopWatching = (): void => {};
  /** Ends the wait for a connection. */
  timer: NodeJS.Timeout | undefined;

  constructor() {
    // A caller that waits for them gets the error; perhaps none does.
    this.begun.promise.catch(() => {});
    this.positioned.promise.catch(() => {});
  }

  /** Says whether the error is that its connection broke. A server that does not answer would not answer a second time. */
  isLost(error: unknown): boolean {
    return this.connection?.isCut === false && error === this.connection.lost;
  }

  fail(error: unknown): void {
    this.error ??= error;
    this.begun.reject(error);
    this.positioned.reject(error);
  }
}

type Work<T> = (snapshot: Snapshot) => Promise<T>;

/** Creates the reads. */
export function createSnapshotReads(setup: SnapshotReadsSetup): SnapshotReads {
  const snapshots = new Snapshots(setup);
  const attempt = async <T>(work: Work<T>, onLoss?: () => Promise<T>): Promise<T> => {
    setup.requireReadable();
    const snapshot = snapshots.join();
    try {
      return await work(snapshot);
    } catch (error) {
      if (onLoss === undefined || !snapshot.isLost(error)) throw error;
    } finally {
      snapshots.leave(snapshot);
    }
    return await onLoss();
  };
  const inSnapshot = async <T>(work: Work<T>): Promise<T> => {
    try {
      return await attempt(work, async () => {
        await nextTurn(); // other connections that the server has closed too are known to be lost then
        return await attempt(work);
      });
    } catch (error) {
      throw toPostgresReadProblem(error);
    }
  };
  return {
    run: (fn) =>
      inSnapshot(async (snapshot) => {
        const read = new SnapshotRead(setup, snapshot);
        try {
          const result = await fn(read);
          read.requireOpen();
          return result;
        } finally {
          read.isOver = true;
        }
      }),
    refresh: () => inSnapshot((snapshot) => snapshot.positioned.promise),
    close: () => snapshots.close(),
  };
}

/** The snapshots that are open, and the connections that they are made on. */
class Snapshots {
  /** The snapshot that reads of this turn join, or that waits for a connection. */
  #joinable: Snapshot | undefined;
  readonly #open = new Set<Snapshot>();
  #isClosed = false;
  readonly #setup: SnapshotReadsSetup;
  readonly #connections: ReadConnections;

  constructor(setup: SnapshotReadsSetup) {
    this.#setup = setup;
    this.#connections = createReadConnections({
      ...setup,
      onFree: (connection) => this.#onFree(connection),
      onLost: () => this.#onLost(),
      onFailure: (error) => this.#onFailure(error),
    });
  }

  join(): Snapshot {
    let snapshot = this.#joinable;
    if (this.#isClosed) throw new ConnectionLostError("the database was closed");
    if (snapshot === undefined) {
      snapshot = this.#joinable = new Snapshot();
      this.#open.add(snapshot);
      const connection = this.#connections.take();
      if (connection === undefined) this.#limitWait(snapshot);
      else this.#begin(snapshot, connection);
    }
    snapshot.readers++;
    return snapshot;
  }

  leave(snapshot: Snapshot): void {
    if (--snapshot.readers === 0 && snapshot.isSent) this.#end(snapshot);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#open.size > 0) await Promise.all([...this.#open].map(({ over }) => over.promise));
    await this.#connections.close();
  }

  #begin(snapshot: Snapshot, connection: PostgresConnection): void {
    snapshot.connection = connection;
    clearTimeout(snapshot.timer);
    connection.tell("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    connection.send(positionStatement, [], (error, { rows }) => {
      const row = (rows as readonly PositionRow[])[0]; // the columns of the statement
      if (row === undefined) return snapshot.fail(error ?? damaged());
      const { position, newestTimeline } = this.#setup;
      if (connection.timeline < newestTimeline()) {
        connection.destroy("another server is the primary");
        return snapshot.fail(connection.lost);
      }
      position.learn(row, connection.timeline);
      snapshot.positioned.resolve();
    });
    connection.beforeFlush(() => {
      snapshot.isSent = true;
      if (this.#joinable === snapshot) this.#joinable = undefined;
      if (snapshot.readers === 0) this.#end(snapshot);
    });
    snapshot.stopWatching = watchIdle(connection, () => {
      snapshot.error = new IdleTransactionError();
      this.#end(snapshot);
    });
    snapshot.begun.resolve(connection);
  }

  #end(snapshot: Snapshot): void {
    const { connection } = snapshot;
    if (snapshot.isOver || connection === undefined) return;
    snapshot.isOver = true;
    snapshot.stopWatching();
    this.#open.delete(snapshot);
    connection.tell("COMMIT"); // nothing can be lost, so nobody waits for it
    this.#connections.giveBack(connection);
    snapshot.over.resolve();
  }

  #onFree(connection: PostgresConnection): boolean {
    if (this.#joinable === undefined || this.#joinable.connection !== undefined) return false;
    this.#begin(this.#joinable, connection);
    return true;
  }

  /** A snapshot that waits for a connection must not wait for those that are lost. */
  #onLost(): void {
    const snapshot = this.#joinable;
    if (snapshot === undefined || snapshot.connection !== undefined) return;
    const connection = this.#connections.take();
    if (connection !== undefined) this.#begin(snapshot, connection);
  }

  /** Other snapshots may keep all connections busy, or wait themselves for answers that do not come. */
  #limitWait(snapshot: Snapshot): void {
    const giveUp = () =>
      this.#onFailure(new ConnectionLostError("a read has waited too long for a connection"));
    snapshot.timer = setTimeout(giveUp, this.#setup.maxWaitMs).unref();
  }

  #onFailure(error: unknown): void {
    const snapshot = this.#joinable;
    if (snapshot === undefined || snapshot.connection !== undefined) return;
    clearTimeout(snapshot.timer);
    this.#joinable = undefined;
    this.#open.delete(snapshot);
    snapshot.fail(error);
    snapshot.over.resolve();
  }
}

/** One read on a snapshot. A class, because every call creates one. */
class SnapshotRead implements ReadTransaction {
  isOver = false;
  readonly now: ReadTransaction["now"];
  readonly #statements: Statements;
  readonly #snapshot: Snapshot;

  constructor({ statements, clock }: Pick<SnapshotReadsSetup, "statements" | "clock">, snapshot: Snapshot) {
    this.now = createNow(clock);
    this.#statements = statements;
    this.#snapshot = snapshot;
  }

  async get<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters))[0];
  }

  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    this.requireOpen();
    const connection = this.#snapshot.connection ?? (await this.#snapshot.begun.promise);
    const { rows } = await connection.ask(this.#statements.of(sql), toReadValues(parameters));
    // The row type is the caller's claim about the statement; nothing here can check it.
    return rows as readonly Row[];
  }

  requireOpen(): void {
    if (this.isOver) throw new Error("a transaction was used after its end");
    if (this.#snapshot.error instanceof IdleTransactionError) throw this.#snapshot.error;
  }
}

function damaged(): ConnectionLostError {
  return new ConnectionLostError("the table log_position is empty: the database is damaged");
}
