import type { Clock } from "../../base/clock.ts";
import type { Database } from "../../base/database.ts";
import type { Random } from "../../base/random.ts";
import { type CommitFollower, createCommitFollower } from "../engine/commit-follower.ts";
import { createTableWatches } from "../engine/table-watches.ts";
import { unwatchedTables } from "../engine/unwatched-tables.ts";
import { createWriteQueue, type QueueLimits, type WriteQueue } from "../engine/write-queue.ts";
import type { Connector } from "./connect/connector.ts";
import { createEmptyCommits, type EmptyCommits } from "./connect/empty-commits.ts";
import { createReadFence, type ReadFence } from "./connect/read-fence.ts";
import type { Purpose } from "./connect/session-settings.ts";
import { migratePostgres } from "./migrations/migrate.ts";
import { createPosition } from "./position.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { ConnectionLostError, isPostgresFailure } from "./postgres-error.ts";
import { readRelations, type Relations } from "./relations.ts";
import { SectionCommits } from "./section-commits.ts";
import { createSectionConnection, type SectionConnection } from "./section-connection.ts";
import { createSnapshotReads, type SnapshotReads } from "./snapshot-reads.ts";
import { createStatements, type Statements } from "./statements.ts";
import { createVacuum, type Vacuum } from "./vacuum.ts";
import { createWriterRow } from "./writer-row.ts";

/** What a database on PostgreSQL is opened with. */
export interface PostgresOptions {
  readonly connector: Connector;
  readonly clock: Clock;
  /** Where ids come from. */
  readonly random: Random;
  /** Whether every commit must wait for a standby; then reads are refused while none answers. */
  readonly isSynchronousRequired: boolean;
  /** Maximum number of waiting writes of calls. Absent: no limit. */
  readonly maxWaitingWrites?: number | undefined;
  /** Maximum number of connections for reads. Default: 8. */
  readonly maxReadConnections?: number | undefined;
}

/** The longest that a write or a read waits for a primary. */
const maxWaitMs = 5000;
const probeTimeoutMs = 1000;
/** A start waits longer: everything may be starting at the same time. */
const startTimeoutMs = 30_000;
/**
 * A section holds up the writes of all processes, and what it costs to begin and to commit is shared by its commands. With 64 of
 * them or 10 ms, two processes half a millisecond from the database made a third as many changes, with a longer p99.
 */
const sectionLimits = { maxBatch: 128, maxBatchMs: 100, maxWaitMs } satisfies QueueLimits;

/**
 * Opens a database that any number of processes share, and migrates it to the newest version. Throws DatabaseTooNewError
 * and ForeignDatabaseError, and what the connector throws when there is no server to work with.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  const database = new PostgresDatabase(options, createStatements(await prepareSchema(options)));
  try {
    await database.start();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database.port();
}

/** Migrates the database and returns what there is in it. */
async function prepareSchema({ connector, clock }: PostgresOptions): Promise<Relations> {
  const session = await connector.connect("migration", { giveUpAfterMs: startTimeoutMs });
  const connection = new PostgresConnection(session);
  try {
    await migratePostgres(session.client, clock.nowMs());
    return await readRelations(connection);
  } finally {
    await connection.end();
  }
}

/** Everything that a database consists of. */
class PostgresDatabase {
  readonly #options: PostgresOptions;
  readonly #watches = createTableWatches();
  readonly #position = createPosition(this.#watches);
  readonly #listeners = new Set<() => void>();
  readonly #sections: SectionConnection;
  readonly #queue: WriteQueue;
  readonly #reads: SnapshotReads;
  readonly #follower: CommitFollower;
  readonly #vacuum: Vacuum;
  readonly #emptyCommits: EmptyCommits;
  readonly #closing = new AbortController();
  #isClosing = false;
  #fence: ReadFence | undefined;

  constructor(options: PostgresOptions, statements: Statements) {
    const { connector, clock, random, maxWaitingWrites, maxReadConnections = 8 } = options;
    this.#options = options;
    this.#sections = createSectionConnection({
      connect: (giveUpAfterMs, signal) => this.#connect("section", giveUpAfterMs, signal),
      fence: connector.fence,
    });
    const process = Buffer.from(random.bytes(16)).toString("hex");
    const engine = new SectionCommits({
      sections: this.#sections,
      writer: createWriterRow({ process, sections: this.#sections, clock }),
      statements,
      watches: this.#watches,
      position: this.#position,
      clock,
      random,
      onDurable: () => this.#listeners.forEach((listener) => listener()),
      isClosing: () => this.#isClosing,
    });
    this.#queue = createWriteQueue({ engine, clock, limits: { ...sectionLimits, maxWaitingWrites } });
    this.#reads = createSnapshotReads({
      connect: () => this.#connect("read"),
      newestTimeline: connector.fence.timeline,
      maxConnections: maxReadConnections,
      maxWaitMs,
      statements,
      clock,
      position: this.#position,
      requireReadable: () => this.#fence?.require("read"),
    });
    this.#follower = createCommitFollower(this.#reads.refresh, this.#position);
    this.#vacuum = createVacuum({
      connect: () => connector.connect("vacuum", { giveUpAfterMs: maxWaitMs, signal: this.#closing.signal }),
    });
    this.#emptyCommits = createEmptyCommits({ connector, random });
  }

  /** Learns the position, and begins to prove that the primary is the primary if that is wanted. */
  async start(): Promise<void> {
    await this.#reads.refresh();
    if (!this.#options.isSynchronousRequired) return;
    this.#fence = createReadFence({ commit: this.#emptyCommits.commit });
    await this.#fence.ready;
  }

  port(): Database {
    const [queue, reads] = [this.#queue, this.#reads];
    return {
      read: reads.run,
      write: async (fn, options) => {
        this.#fence?.require("write");
        return await queue.write(fn, options);
      },
      purge: async () => this.#vacuum.request(),
      probe: () => withinTime(reads.refresh()),
      onCommit: (listener) => this.#onCommit(listener),
      onOwnCommit: (listener) => this.#onOwnCommit(() => listener()), // each call counts, also of the same function
      watch: (tables) => {
        const wrong = tables.find((table) => unwatchedTables.has(table));
        if (wrong !== undefined) throw new Error(`${wrong} is written too often to be watched`);
        return this.#watches.watch(tables);
      },
      watchOwn: this.#watches.watch,
      refresh: reads.refresh,
      isFailure: isPostgresFailure,
      lastSequence: this.#position.lastSequence,
      waitingWrites: queue.waiting,
      close: () => this.close(),
    };
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#follower.close();
    await Promise.all([this.#fence?.close(), this.#queue.idle()]);
    this.#emptyCommits.close();
    this.#closing.abort();
    await this.#vacuum.close();
    await this.#reads.close();
    await this.#sections.close();
  }

  async #connect(
    purpose: Purpose,
    giveUpAfterMs = maxWaitMs,
    signal = this.#closing.signal,
  ): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(
        await this.#options.connector.connect(purpose, { giveUpAfterMs, signal }),
      );
    } catch (error) {
      throw new ConnectionLostError("there is no connection to the database", { cause: error });
    }
  }

  #onCommit(listener: () => void): () => void {
    const own = () => listener(); // each call counts, also of the same function
    const end = this.#onOwnCommit(own);
    const unfollow = this.#follower.follow(own);
    return () => {
      end();
      unfollow();
    };
  }

  #onOwnCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

/** Rejects if the answer takes longer than a second. */
async function withinTime(answer: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // If it was this process that stood still, the answer is there, and comes before the next turn.
    setImmediate(() => late.reject(new ConnectionLostError("the database does not answer")));
  }, probeTimeoutMs);
  try {
    await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
