import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "../../base/database.ts";
import { createCommitFollower } from "../engine/commit-follower.ts";
import type { Seat } from "../seat.ts";
import { createTableWatches, type TableWatches } from "../engine/table-watches.ts";
import { isOfAccess, unwatchedTables } from "../engine/unwatched-tables.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import { createCommitMark } from "./files/commit-mark.ts";
import type { Connection } from "./connection.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { createProbe } from "./files/probe.ts";
import { createPurge, type DoAlone } from "./purge.ts";
import { createReads, type Reads } from "./reads.ts";
import { createSharedPosition, type SharedPosition } from "./shared-position.ts";
import type { SqliteOptions } from "./sqlite-options.ts";
import { isStorageError } from "./storage-error.ts";

/** The longest that a write of a call waits while another process has the turn. */
const maxWaitMs = 5000;
/** Snapshots of other processes that a purge meets end within a few milliseconds. */
const purgeTries = 10;
const purgePauseMs = 2;

/** What it is made of: the connections are open, and the tables are those of this version. */
export interface SharedOptions extends SqliteOptions {
  readonly seat: Seat;
  readonly writer: Connection;
  readonly reader: Connection;
}

/**
 * Makes a database of a file that other processes have open at the same time. Processes take turns at writing, and whatever else changes
 * the files is done in a turn too, so that in it everything is as in a process that is alone.
 */
export function createSharedDatabase(options: SharedOptions): Database {
  const { writer, reader, file, clock, seat } = options;
  const watches = createTableWatches();
  const position = createSharedPosition(watches);
  const checkpoints = createCheckpoints(writer, file, options.onFatal);
  const mark = createCommitMark(file);
  const commits = createCommits(options, { watches, position, checkpoints });
  const reads = createReads(reader, clock, {
    mark: mark.read,
    onSnapshot: () => position.learnAccess(reader),
  });
  commits.onCommit(reads.onCommit);
  const refresh = createRefresh(mark.read, { reader, reads, position });
  commits.onCommit(refresh.onOwnCommit);
  const follower = createCommitFollower(async () => await refresh.run(), position);
  const probe = createProbe(file);
  const purge = createPurge(() => {
    reads.closeIfUnused();
    return checkpoints.purge();
  }, aloneInTurn(seat));
  void purge.run(); // of one that ended between a removal and its purge
  return {
    read: reads.run,
    write: commits.write,
    lastSequence: commits.lastSequence,
    purge: purge.run,
    probe: probe.run,
    onCommit(listener) {
      const end = commits.onCommit(listener);
      const unfollow = follower.follow(listener);
      return () => {
        end();
        unfollow();
      };
    },
    onOwnCommit: commits.onCommit,
    watch: (tables) => watches.watch(requireWatched(tables)),
    watchOwn: watches.watch,
    refresh: refresh.run,
    isFailure: isStorageError,
    waitingWrites: commits.waiting,
    async close() {
      purge.stop();
      follower.close();
      await commits.idle();
      await reads.idle();
      reader.close();
      await aloneInTurn(seat)(checkpoints.purge).catch(() => false); // before SQLite moves the log at the close
      writer.close();
      checkpoints.close();
      mark.close();
      probe.close();
    },
  };
}

interface CommitParts {
  readonly watches: TableWatches;
  readonly position: SharedPosition;
  readonly checkpoints: Checkpoints;
}

/** Creates the writes: each batch is one turn. */
function createCommits(options: SharedOptions, { watches, position, checkpoints }: CommitParts): GroupCommit {
  const { seat, writer } = options;
  /** By the text of the statement: there are only as many as prepared statements. */
  const known = new Map<string, boolean>();
  const isTouching = (sql: string): boolean => {
    let is = known.get(sql);
    if (is === undefined) known.set(sql, (is = isOfAccess(sql)));
    return is;
  };
  let hasTouchedAccess = false;
  return createGroupCommit({
    ...options,
    connection: writer,
    watches: {
      ...watches,
      onStatement(sql) {
        watches.onStatement(sql);
        hasTouchedAccess ||= isTouching(sql);
      },
    },
    async untilAlone() {
      const { isAfterLoss } = await seat.turns.enter();
      if (isAfterLoss) checkpoints.run(); // the other one may have copied the log, and not wiped what it copied
    },
    afterCommit() {
      if (!checkpoints.isDue()) return seat.turns.leave();
      setImmediate(() => {
        checkpoints.run();
        seat.turns.leave();
      });
    },
    shared: {
      slot: seat.slot,
      maxWaitMs,
      onBegin(sequences) {
        hasTouchedAccess = false;
        sequences.learn(position.learn(writer));
      },
      onEnd: () => position.note(writer, hasTouchedAccess),
      onCommitted: position.onOwnCommit,
    },
  });
}

/** Creates what learns of commits of other processes, unless there are none since the last time. */
function createRefresh(
  mark: () => bigint,
  parts: { readonly reader: Connection; readonly reads: Reads; readonly position: SharedPosition },
) {
  const { reader, reads, position } = parts;
  let seen: bigint | undefined;
  let learning: Promise<void> | undefined;
  const learn = async () => {
    const own = reads.run(async () => void position.learn(reader));
    learning = own;
    try {
      await own;
    } catch (error) {
      seen = undefined;
      throw error;
    } finally {
      if (learning === own) learning = undefined;
    }
  };
  return {
    run(): Promise<void> | undefined {
      const now = mark();
      if (now === seen) return learning;
      seen = now;
      return learn();
    },
    /** All others are known at the begin of a write. */
    onOwnCommit() {
      seen = mark();
    },
  };
}

/** Does work in a turn. While it returns false it is done again, because reads of other processes end soon. */
function aloneInTurn({ turns }: Seat): DoAlone {
  return async (work) => {
    await turns.enter();
    try {
      for (let tries = 1; tries < purgeTries; tries++) {
        if (work()) return true;
        await pause(purgePauseMs);
      }
      return work();
    } finally {
      turns.leave();
    }
  };
}

function requireWatched(tables: readonly string[]): readonly string[] {
  const wrong = tables.find((table) => unwatchedTables.has(table));
  if (wrong !== undefined) throw new Error(`${wrong} is written too often to be watched`);
  return tables;
}
