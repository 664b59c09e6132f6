import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { busyTimeoutMs, type Connection, isSqliteError } from "./connection.ts";
import { createLogReader } from "./files/log-pages.ts";
import { wipeUnallocatedRegions } from "./unallocated-region.ts";
import { isLostWrite } from "./storage-error.ts";

/** Copies the write-ahead log into the database file, in place of SQLite's automatic checkpoints. */
export interface Checkpoints {
  /**
   * Copies the log once it has grown by about 4 MB, at most a few commits later. Call it after each commit. That takes some 20 ms,
   * so it is done one turn of the event loop later: after the commands of the commit are answered, and before the next one begins.
   */
  afterCommit(): void;
  /** Says whether the log has grown by so much. */
  isDue(): boolean;
  /** Copies the log now, as far as readers let it. */
  run(): void;
  /** Copies all of the log, and leaves no deleted data in either file. Returns false when a reader prevents it. */
  purge(): boolean;
  /** Closes the file. Call it after every connection to the file is closed. */
  close(): void;
}

/** The size in frames at which SQLite makes a checkpoint by default. */
const maxFrames = 1000;

/** A look at the log costs 2.5 µs; this many commits add a few hundred frames. */
const commitsPerLook = 2;

interface LogState {
  readonly busy: number;
  /** Frames in the log. */
  readonly log: number;
  /** Frames that are already in the database file. */
  readonly checkpointed: number;
}

/**
 * Creates the checkpoints of a database, given its writing connection. They are made here so that the unallocated
 * region of every changed page can be wiped (see `unallocated-region.ts`): only the log tells which pages these are,
 * until it is overwritten. If a reader prevents a checkpoint or the disk is full, it is made again later. `onFatal`
 * is called when the disk did not confirm the copy: no later commit would notice, because commits write only to the
 * log.
 */
export function createCheckpoints(
  { raw }: Connection,
  file: string,
  onFatal: (error: Error) => void,
): Checkpoints {
  raw.pragma("wal_autocheckpoint = 0");
  // Open as long as the connections are: closing any descriptor of the file releases SQLite's locks on it
  // (https://www.sqlite.org/howtocorrupt.html, §2.2).
  const descriptor = openSync(file, "r+");
  const pageBytes = Number(raw.pragma("page_size", { simple: true }));
  const [look, copy, truncate] = [prepare(raw, "NOOP"), prepare(raw, "PASSIVE"), prepare(raw, "TRUNCATE")];
  const changed = createLogReader(`${file}-wal`, pageBytes);
  let triedAt = 0;

  /** Says whether all of the log is in the file: pages that a reader uses must not be overwritten. */
  const move = (frames: number): boolean => {
    changed.readUntil(frames);
    const { log, checkpointed } = copy();
    wipeUnallocatedRegions(descriptor, pageBytes, changed.pages);
    fdatasyncSync(descriptor);
    if (checkpointed < log) return false;
    changed.forget();
    return true;
  };

  const isLong = (): boolean => {
    const { log } = look();
    if (log < triedAt) triedAt = 0; // it began again
    return log - triedAt >= maxFrames;
  };
  const moveNow = (): boolean => move((triedAt = look().log));
  const looks = createLooks(() => withoutStorageErrors(onFatal, () => isLong() && moveNow()));

  return {
    afterCommit: looks.afterCommit,
    isDue: () => withoutStorageErrors(onFatal, isLong),
    run: () => void withoutStorageErrors(onFatal, moveNow),
    purge() {
      if (raw.inTransaction) return false;
      raw.pragma("busy_timeout = 0"); // it is tried again instead of waiting for a reader here
      try {
        return withoutStorageErrors(onFatal, () => {
          if (!move(look().log) || truncate().busy !== 0) return false;
          // The pages in memory still have their old unallocated regions, which the next change of a page would write
          // back.
          raw.pragma("shrink_memory");
          triedAt = 0;
          return true;
        });
      } finally {
        raw.pragma(`busy_timeout = ${busyTimeoutMs}`);
      }
    },
    close() {
      looks.stop();
      closeSync(descriptor);
    },
  };
}

function prepare(raw: Connection["raw"], mode: "NOOP" | "PASSIVE" | "TRUNCATE"): () => LogState {
  const statement = raw.prepare<[], LogState>(`PRAGMA wal_checkpoint(${mode})`);
  return () => statement.get() ?? { busy: 1, log: 0, checkpointed: 0 };
}

/** Calls `look` one turn of the event loop after every few commits, until it is stopped. */
function createLooks(look: () => void): { readonly afterCommit: () => void; readonly stop: () => void } {
  let commits = 0;
  let next: NodeJS.Immediate | undefined;
  return {
    afterCommit() {
      if (++commits % commitsPerLook === 0) next = setImmediate(look);
    },
    stop: () => clearImmediate(next),
  };
}

function withoutStorageErrors(onFatal: (error: Error) => void, work: () => boolean): boolean {
  try {
    return work();
  } catch (error) {
    const isOfFile = error instanceof Error && "syscall" in error;
    if (!isSqliteError(error) && !isOfFile) throw error;
    if (isLostWrite(error) || (isOfFile && isUnconfirmed(error))) onFatal(error);
    return false;
  }
}

function isUnconfirmed({ code, syscall }: NodeJS.ErrnoException): boolean {
  return syscall === "fdatasync" || code === "EIO";
}
