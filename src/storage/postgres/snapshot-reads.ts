import type { ReadTransaction, SqlValue } from "../../base/database.ts";
import { IdleTransactionError, watchIdle } from "./idle-guard.ts";
import { type Position, type PositionRow, positionStatement } from "./position.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { ConnectionLostError, toPostgresReadProblem } from "./postgres-error.ts";
import { createReadConnections } from "./read-connections.ts";
import { type Statements, toReadValues } from "./statements.ts";

/** Reads, each on a snapshot that is not older than the call. */
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
  readonly statements: Statements;
  readonly position: Position;
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

  constructor() {
    // Whoever waits for them gets the error; perhaps nobody does.
    this.begun.promise.catch(() => {});
    this.positioned.promise.catch(() => {});
  }

  fail(error: unknown): void {
    this.error ??= error;
    this.begun.reject(error);
    this.positioned.reject(error);
  }
}

/** Creates the reads. */
export function createSnapshotReads(setup: SnapshotReadsSetup): SnapshotReads {
  const { position } = setup;
  /** The snapshot that reads of this turn join, or that waits for a connection. */
  let joinable: Snapshot | undefined;
  const open = new Set<Snapshot>();

  const connections = createReadConnections({
    ...setup,
    onFree(connection) {
      if (joinable === undefined || joinable.connection !== undefined) return false;
      begin(joinable, connection);
      return true;
    },
    onFailure(error) {
      if (joinable === undefined || joinable.connection !== undefined) return;
      joinable.fail(error);
      joinable.over.resolve();
      open.delete(joinable);
      joinable = undefined;
    },
  });
  const end = (snapshot: Snapshot) => {
    const { connection } = snapshot;
    if (snapshot.isOver || connection === undefined) return;
    snapshot.isOver = true;
    snapshot.stopWatching();
    snapshot.over.resolve();
    open.delete(snapshot);
    connection.tell("COMMIT"); // nothing can be lost, so nobody waits for it
    connections.giveBack(connection);
  };
  const begin = (snapshot: Snapshot, connection: PostgresConnection) => {
    snapshot.connection = connection;
    connection.tell("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    connection.send(positionStatement, [], (error, { rows }) => {
      if (error !== undefined) return snapshot.fail(error);
      // The columns of the statement.
      position.learn((rows as readonly PositionRow[])[0] ?? damaged(), connection.timeline);
      snapshot.positioned.resolve();
    });
    connection.beforeFlush(() => {
      snapshot.isSent = true;
      if (joinable === snapshot) joinable = undefined;
      if (snapshot.readers === 0) end(snapshot);
    });
    snapshot.stopWatching = watchIdle(connection, () => {
      snapshot.error = new IdleTransactionError();
      end(snapshot);
    });
    snapshot.begun.resolve(connection);
  };
  const join = (): Snapshot => {
    setup.requireReadable();
    let snapshot = joinable;
    if (snapshot === undefined) {
      snapshot = joinable = new Snapshot();
      open.add(snapshot);
      const connection = connections.take();
      if (connection !== undefined) begin(snapshot, connection);
    }
    snapshot.readers++;
    return snapshot;
  };
  const leave = (snapshot: Snapshot) => {
    if (--snapshot.readers === 0 && snapshot.isSent) end(snapshot);
  };
  const inSnapshot = async <T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> => {
    try {
      const snapshot = join();
      try {
        return await work(snapshot);
      } finally {
        leave(snapshot);
      }
    } catch (error) {
      throw toPostgresReadProblem(error);
    }
  };
  return {
    run: (fn) =>
      inSnapshot(async (snapshot) => {
        const read = new SnapshotRead(setup.statements, snapshot);
        try {
          const result = await fn(read);
          read.requireOpen();
          return result;
        } finally {
          read.isOver = true;
        }
      }),
    refresh: () => inSnapshot((snapshot) => snapshot.positioned.promise),
    async close() {
      while (open.size > 0) await Promise.all([...open].map(({ over }) => over.promise));
      await connections.close();
    },
  };
}

/** One read on a snapshot. A class, because every call creates one. */
class SnapshotRead implements ReadTransaction {
  isOver = false;
  readonly #statements: Statements;
  readonly #snapshot: Snapshot;

  constructor(statements: Statements, snapshot: Snapshot) {
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

function damaged(): never {
  throw new ConnectionLostError("the table log_position is empty: the database is damaged");
}
