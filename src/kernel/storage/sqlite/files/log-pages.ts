import { closeSync, openSync, readSync } from "node:fs";

/** Tells which pages are in the write-ahead log (https://www.sqlite.org/fileformat2.html, §4). */
export interface LogReader {
  /** The pages of the frames that were read since the last `forget`. */
  readonly pages: ReadonlySet<number>;
  /** Reads on to the frame with this number, or starts again at the first frame if the log was restarted. */
  readUntil(frames: number): void;
  /** Forgets the pages, once all of the log has been copied to the database file. */
  forget(): void;
}

const headerBytes = 32;
const frameHeaderBytes = 24;
/** Reading whole frames costs less than a system call for the first bytes of each. */
const framesAtOnce = 64;
/** Two numbers that change when the log is restarted. */
const saltsStart = 16;

/** Creates a reader of the log in `file`, which need not exist yet. */
export function createLogReader(file: string, pageBytes: number): LogReader {
  const pages = new Set<number>();
  const part = Buffer.alloc(framesAtOnce * (frameHeaderBytes + pageBytes));
  let read = 0;
  let readSalts: bigint | undefined;
  const readUntil = (descriptor: number, frames: number) => {
    const header = Buffer.alloc(headerBytes);
    readSync(descriptor, header, 0, headerBytes, 0);
    const salts = header.readBigUInt64BE(saltsStart);
    if (salts !== readSalts) read = 0;
    readSalts = salts;
    const frameBytes = frameHeaderBytes + pageBytes;
    while (read < frames) {
      const count = Math.min(frames - read, framesAtOnce);
      readSync(descriptor, part, 0, count * frameBytes, headerBytes + read * frameBytes);
      for (let index = 0; index < count; index++) pages.add(part.readUInt32BE(index * frameBytes));
      read += count;
    }
  };
  return {
    pages,
    readUntil(frames) {
      if (frames === 0) return;
      // Closing it releases no lock: SQLite locks the database and the index of the log, not the log itself.
      const descriptor = openSync(file, "r");
      try {
        readUntil(descriptor, frames);
      } finally {
        closeSync(descriptor);
      }
    },
    forget: () => pages.clear(),
  };
}
