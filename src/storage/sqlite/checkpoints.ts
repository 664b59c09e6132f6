import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { busyTimeoutMs, type Connection, isSqliteError } from "./connection.ts";
import { createLogReader } from "./log-pages.ts";
import { clearGaps } from "./page-gaps.ts";
import { isLostWrite } from "./storage-error.ts";

/** Moves the write-ahead log into the database file. SQLite does not do it by itself any more. */
export interface Checkpoints {
  /** Moves the log once it has grown by about 4 MB, a few commits later at the most; to be called after each commit. */
  afterCommit(): void;
  /** Moves all of the log, and leaves nothing deleted in either file. Returns false when a reader holds it up. */
  purge(): boolean;
  /** Lets go of the file; to be called after every connection to it was closed. */
  close(): void;
}

/** As many frames as SQLite itself lets the log grow to by default. */
const maxFrames = 1000;

/** A look at the log costs 2.5 µs; so many commits add some hundred frames. */
const commitsPerLook = 2;

interface LogState {
  readonly busy: number;
  /** Frames in the log. */
  readonly log: number;
  /** How many of them are in the database file. */
  readonly checkpointed: number;
}

/**
 * Creates the checkpoints of a database whose writing connection this is. They are made here so that the gaps of every page
 * that has changed are cleared with it (see `page-gaps.ts`): which pages those are only the log tells, until it is
 * overwritten. When a reader is in the way or the disk is full, the checkpoint is made again later. `onFatal` is called when
 * the disk did not confirm what was to be moved: no later commit would tell, for those write to the log only.
 */
export function createCheckpoints(
  { raw }: Connection,
  file: string,
  onFatal: (error: Error) => void,
): Checkpoints {
  raw.pragma("wal_autocheckpoint = 0");
  // Open as long as the connections are: closing any descriptor of the file lets go of SQLite's locks on it
  // (https://www.sqlite.org/howtocorrupt.html, §2.2).
  const descriptor = openSync(file, "r+");
  const pageBytes = Number(raw.pragma("page_size", { simple: true }));
  const pragma = (mode: "NOOP" | "PASSIVE" | "TRUNCATE") => {
    const statement = raw.prepare<[], LogState>(`PRAGMA wal_checkpoint(${mode})`);
    return () => statement.get() ?? { busy: 1, log: 0, checkpointed: 0 };
  };
  const [look, copy, truncate] = [pragma("NOOP"), pragma("PASSIVE"), pragma("TRUNCATE")];
  const changed = createLogReader(`${file}-wal`, pageBytes);
  let triedAt = 0;
  let commits = 0;

  /** Says whether all of the log is in the file: what a reader looks at may not be overwritten. */
  const move = (frames: number): boolean => {
    changed.readUntil(frames);
    const { log, checkpointed } = copy();
    clearGaps(descriptor, pageBytes, changed.pages);
    fdatasyncSync(descriptor);
    if (checkpointed < log) return false;
    changed.forget();
    return true;
  };

  return {
    afterCommit() {
      if (++commits % commitsPerLook !== 0) return;
      withoutStorageErrors(onFatal, () => {
        const { log } = look();
        if (log < triedAt) triedAt = 0; // it began anew
        if (log - triedAt < maxFrames) return false;
        triedAt = log;
        return move(log);
      });
    },
    purge() {
      if (raw.inTransaction) return false;
      raw.pragma("busy_timeout = 0"); // it is tried again instead of waiting for a reader here
      try {
        return withoutStorageErrors(onFatal, () => {
          if (!move(look().log) || truncate().busy !== 0) return false;
          // The pages in memory have gaps that are not cleared, which the next change of a page would bring back.
          raw.pragma("shrink_memory");
          triedAt = 0;
          return true;
        });
      } finally {
        raw.pragma(`busy_timeout = ${busyTimeoutMs}`);
      }
    },
    close: () => closeSync(descriptor),
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
