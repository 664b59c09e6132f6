import type { PostgresConnection } from "./postgres-connection.ts";

/** Removes what was deleted or replaced from tables with personal data, as far as PostgreSQL can. */
export interface Vacuum {
  /** Asks for a run in the background, which begins at once or when the current one has ended. */
  request(): void;
  /** Waits for the run under way; no other begins. */
  close(): Promise<void>;
}

/** The tables with personal data, and answers, which may hold some. */
const tables = ["stored_users", "second_factors", "secrets", "idempotent_answers"];

/** The key of the lock under which one process at a time does this: "gh" in ASCII, and a number. */
const lock = "26472, 3";

/** A run reads the indexes of the tables from end to end. */
const minPauseMs = 10_000;

/**
 * Creates the runs. They are a best effort: a row goes only when no snapshot can see it any more, and the write-ahead
 * log, its archive, standbys and backups keep it longer. What must be gone at once is encrypted, and its key
 * destroyed. A run that fails is made again at the next request.
 */
export function createVacuum(connect: () => Promise<PostgresConnection>): Vacuum {
  let isWanted = false;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    if (running !== undefined || timer !== undefined || !isWanted || isClosed) return;
    isWanted = false;
    running = runOnce(connect)
      .catch(() => {}) // the next request tries again
      .then(() => {
        running = undefined;
        timer = setTimeout(() => {
          timer = undefined;
          start();
        }, minPauseMs).unref();
      });
  };
  return {
    request() {
      isWanted = true;
      start();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

async function runOnce(connect: () => Promise<PostgresConnection>): Promise<void> {
  const connection = await connect();
  try {
    await connection.ask({ text: `SELECT pg_advisory_lock(${lock})` });
    for (const table of tables) await connection.ask({ text: `VACUUM (INDEX_CLEANUP ON) ${table}` });
  } finally {
    await connection.end();
  }
}
