import type { Clock } from "../../base/clock.ts";
import type { Database } from "../../base/database.ts";
import type { Random } from "../../base/random.ts";
import { createTableWatches } from "../engine/table-watches.ts";
import { createWriteQueue, type QueueLimits } from "../engine/write-queue.ts";
import type { Connector } from "./connect/connector.ts";
import { createEmptyCommits } from "./connect/empty-commits.ts";
import { createReadFence, type ReadFence } from "./connect/read-fence.ts";
import type { Purpose } from "./connect/session-settings.ts";
import { createFollower } from "./follower.ts";
import { migratePostgres } from "./migrations/migrate.ts";
import { createPosition, unwatchedTables } from "./position.ts";
import { PostgresConnection } from "./postgres-connection.ts";
import { ConnectionLostError, isPostgresFailure } from "./postgres-error.ts";
import { readRelations, type Relations } from "./relations.ts";
import { createSectionCommits } from "./section-commits.ts";
import { createSectionConnection } from "./section-connection.ts";
import { createSnapshotReads } from "./snapshot-reads.ts";
import { createStatements, type Statements } from "./statements.ts";
import { createVacuum } from "./vacuum.ts";
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
/** A section holds up the writes of all processes, and what it costs to begin and to commit is shared by its commands. */
const sectionLimits = { maxBatch: 64, maxBatchMs: 25, maxWaitMs } satisfies QueueLimits;

/**
 * Opens a database that any number of processes share, and migrates it to the newest version. Throws DatabaseTooNewError
 * and ForeignDatabaseError, and what the connector throws when there is no server to work with.
 */
export async function openPostgresDatabase(options: PostgresOptions): Promise<Database> {
  const statements = createStatements(await prepareSchema(options));
  const parts = createParts(options, statements);
  const { queue, reads } = parts;
  try {
    await parts.start();
  } catch (error) {
    await parts.close();
    throw error;
  }
  return {
    read: reads.run,
    async write(fn, writeOptions) {
      parts.requireFresh();
      return await queue.write(fn, writeOptions);
    },
    async purge() {
      parts.vacuum.request();
    },
    probe: () => withinTime(reads.refresh()),
    onCommit: parts.onCommit,
    watch(tables) {
      const wrong = tables.find((table) => unwatchedTables.has(table));
      if (wrong !== undefined) throw new Error(`${wrong} is written too often to be watched`);
      return parts.watches.watch(tables);
    },
    refresh: reads.refresh,
    isFailure: isPostgresFailure,
    lastSequence: parts.position.lastSequence,
    waitingWrites: queue.waiting,
    close: parts.close,
  };
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

/** Builds everything that a database consists of. */
function createParts(options: PostgresOptions, statements: Statements) {
  const { connector, clock, random } = options;
  const closing = new AbortController();
  let isClosing = false;
  const connect = async (purpose: Purpose, giveUpAfterMs = maxWaitMs, signal = closing.signal) => {
    try {
      return new PostgresConnection(await connector.connect(purpose, { giveUpAfterMs, signal }));
    } catch (error) {
      throw new ConnectionLostError("there is no connection to the database", { cause: error });
    }
  };
  const watches = createTableWatches();
  const position = createPosition(watches);
  const sections = createSectionConnection({
    connect: (giveUpAfterMs, signal) => connect("section", giveUpAfterMs, signal),
    fence: connector.fence,
  });
  const process = Buffer.from(random.bytes(16)).toString("hex");
  const listeners = new Set<() => void>();
  const engine = createSectionCommits({
    ...options,
    sections,
    writer: createWriterRow({ process, sections, clock }),
    statements,
    watches,
    position,
    onDurable: () => listeners.forEach((listener) => listener()),
    isClosing: () => isClosing,
  });
  const { maxWaitingWrites, maxReadConnections = 8 } = options;
  const queue = createWriteQueue({ engine, clock, limits: { ...sectionLimits, maxWaitingWrites } });
  let fence: ReadFence | undefined;
  const requireFresh = () => fence?.require();
  const reads = createSnapshotReads({
    connect: () => connect("read"),
    maxConnections: maxReadConnections,
    statements,
    position,
    requireReadable: requireFresh,
  });
  const follower = createFollower(reads.refresh, position);
  const vacuum = createVacuum(() => connect("vacuum"));
  const emptyCommits = createEmptyCommits({ connector, random });
  return {
    queue,
    reads,
    watches,
    position,
    vacuum,
    requireFresh,
    /** Learns the position, and begins to prove that the primary is the primary if that is wanted. */
    async start(): Promise<void> {
      await reads.refresh();
      if (!options.isSynchronousRequired) return;
      fence = createReadFence({ commit: emptyCommits.commit });
      await fence.ready;
    },
    onCommit(listener: () => void): () => void {
      const own = () => listener(); // each call counts, also of the same function
      listeners.add(own);
      const unfollow = follower.follow(own);
      return () => {
        listeners.delete(own);
        unfollow();
      };
    },
    async close(): Promise<void> {
      isClosing = true;
      follower.close();
      await Promise.all([fence?.close(), queue.idle()]);
      emptyCommits.close();
      closing.abort();
      await vacuum.close();
      await reads.close();
      await sections.close();
    },
  };
}

/** Rejects if the answer takes longer than a second. */
async function withinTime(answer: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new ConnectionLostError("the database does not answer"));
  }, probeTimeoutMs);
  try {
    await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
