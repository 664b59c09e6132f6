import { hash } from "node:crypto";
import Sqlite from "better-sqlite3";

/** Remembers any number of texts, in a bounded amount of memory. */
export interface SeenTexts {
  /** Remembers a text of that kind, and returns what it was noted with before; undefined: it is new, and noted with this. */
  note(kind: string, text: string, place: string): string | undefined;
  close(): void;
}

/** KiB of memory. */
const cacheKib = 12_288;

/**
 * Creates a memory of texts. Beyond the bound they stand in a temporary file without a name, in the folder for temporary files, which is
 * gone with the process; by their digests, so that no text is in it.
 */
export function createSeenTexts(): SeenTexts {
  const raw = new Sqlite("");
  raw.pragma(`cache_size = -${cacheKib}`);
  raw.pragma("journal_mode = OFF");
  raw.pragma("synchronous = OFF");
  raw.exec(
    "CREATE TABLE seen (digest BLOB NOT NULL PRIMARY KEY, place TEXT NOT NULL) STRICT, WITHOUT ROWID; BEGIN",
  );
  const insert = raw.prepare(
    "INSERT INTO seen (digest, place) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
  );
  const find = raw.prepare<[Uint8Array], string>("SELECT place FROM seen WHERE digest = ?").pluck();
  return {
    note(kind, text, place) {
      const digest = hash("sha256", `${kind}\n${text}`, "buffer").subarray(0, 16);
      return insert.run(digest, place).changes === 1 ? undefined : find.get(digest);
    },
    close: () => raw.close(),
  };
}
