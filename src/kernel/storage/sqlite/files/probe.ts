import { closeSync, openSync, read } from "node:fs";
import { promisify } from "node:util";

/** Finds out whether the file of a database can be read at this moment. */
export interface Probe {
  /** Reads the beginning of the file. Rejects if that fails or if the file is not a database. */
  run(): Promise<void>;
  /** Call it after every connection to the file is closed. */
  close(): void;
}

/** The first bytes of a database file (https://www.sqlite.org/fileformat2.html, §1.3.1). */
const header = "SQLite format 3\0";

/**
 * Creates the probe. It does not ask SQLite, which answers small queries from memory long after the file has become
 * unreadable. Concurrent callers share one answer, so that a disk that hangs does not block all threads.
 */
export function createProbe(file: string): Probe {
  // Open as long as the connections are; see `../checkpoints.ts`.
  const descriptor = openSync(file, "r");
  let running: Promise<void> | undefined;
  const readHeader = async () => {
    try {
      const { buffer } = await promisify(read)(descriptor, Buffer.alloc(header.length), 0, header.length, 0);
      if (buffer.toString("latin1") !== header) throw new Error(`${file} is no longer a database`);
    } finally {
      running = undefined;
    }
  };
  return {
    run: () => (running ??= readHeader()),
    close: () => closeSync(descriptor),
  };
}
