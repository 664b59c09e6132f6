import { mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataFolder } from "../data-folder.ts";

/** There is no room for the copy of a database that a command works on. It says nothing about the database. */
export class NoScratchError extends Error {}

/** Makes folders for copies of a database: in the folder for temporary files, or in the data folder if a copy does not fit there. */
export interface Scratch {
  /** Does the work with an empty folder, in another one if that turns out to be too small. Throws NoScratchError. */
  use<T>(work: (folder: string) => T): T;
  /** Likewise. */
  useLong<T>(work: (folder: string) => Promise<T>): Promise<T>;
  /** Says why there is no room after an error of a full disk; undefined for any other error. */
  whyFull(error: unknown): NoScratchError | undefined;
  /** Removes all folders that were made. */
  dispose(): void;
}

/** What a scratch is for. */
export interface ScratchOptions {
  /** Is part of the names of its folders. */
  readonly name: string;
  /** How many times the size of the database it needs. */
  readonly copies: number;
  /** The folder for temporary files. Default: that of the system, TMPDIR. */
  readonly temporary?: string;
}

/** Creates the scratch of a command, which makes no folder yet. */
export function createScratch(
  folder: DataFolder,
  { name, copies, temporary = tmpdir() }: ScratchOptions,
): Scratch {
  const made = new Set<string>();
  const remove = (path: string): void => {
    rmSync(path, { recursive: true, force: true }); // what is in a copy is nobody else's
    made.delete(path);
  };
  const parents = (): readonly string[] => [temporary, folder.path];
  const bytesOf = (): number => copies * (sizeOf(folder.database) + sizeOf(folder.databaseWal));
  function* tryAll(): Generator<string, void, undefined> {
    const bytes = bytesOf();
    for (const parent of parents()) {
      if (roomIn(parent) < bytes) continue;
      const path = makeIn(parent, name);
      if (path === undefined) continue;
      made.add(path);
      yield path;
      remove(path); // it was too small
    }
  }
  const noRoom = (cause?: unknown): NoScratchError => {
    const [first = "", second = ""] = parents();
    return new NoScratchError(
      `this command works on a copy of the database, which needs ${bytesOf()} bytes; neither ${first} (TMPDIR) nor ${second} has room for it, so nothing was checked or read`,
      { cause },
    );
  };
  return {
    use(work) {
      for (const path of tryAll()) {
        try {
          return work(path);
        } catch (error) {
          if (!isFull(error)) throw error;
        }
      }
      throw noRoom();
    },
    async useLong(work) {
      for (const path of tryAll()) {
        try {
          return await work(path);
        } catch (error) {
          if (!isFull(error)) throw error;
        }
      }
      throw noRoom();
    },
    whyFull: (error) => (isFull(error) ? noRoom(error) : undefined),
    dispose() {
      for (const path of made) remove(path);
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Returns the free bytes for users other than root; 0 if the folder cannot be looked at. */
function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** Makes a folder, readable only by its owner; undefined where that is not possible, such as on a disk that is read only. */
function makeIn(parent: string, name: string): string | undefined {
  try {
    return mkdtempSync(join(parent, `gatehouse-${name}-`));
  } catch {
    return undefined;
  }
}

/** A quota, a limit of the process and a file system of its own size show only when something is written. */
const full = /^(?:ENOSPC|EDQUOT|EFBIG|EROFS|SQLITE_FULL|SQLITE_IOERR_WRITE)$/;

function isFull(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string" && full.test(each.code)) return true;
  return false;
}
