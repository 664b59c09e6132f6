import { advisoryLocks } from "./connect/advisory-locks.ts";
import type { Session } from "./connect/connector.ts";
import { destroySession } from "./connect/open-session.ts";

/** Removes what was deleted or replaced from tables with personal data, as far as PostgreSQL can. */
export interface Vacuum {
  /** Asks for a run in the background, which begins at once or a while after the current one has ended. */
  request(): void;
  /** Leaves the run under way; no other begins. The server finishes the table that it is at. */
  close(): Promise<void>;
}

/** The tables with personal data, with keys, and with encrypted answers, logins and names, which hold some. */
const tables = [
  "stored_users",
  "user_words",
  "second_factors",
  "metadata",
  "passkeys",
  "idp_links",
  "security_notices",
  "sessions",
  "secrets",
  "idempotent_answers",
  "interactions",
  "provider_visits",
  "jwt_logins",
  "pushed_requests",
  "saml_participations",
  "saml_logouts",
  "logout_notices",
];

/** A run reads the indexes of the tables from end to end. */
const defaultPauseMs = 10_000;

/**
 * Creates the runs. They are a best effort: a row goes only when no snapshot can see it any more, and the write-ahead
 * log, its archive, standbys and backups keep it longer. What must be gone at once is encrypted, and its key
 * destroyed. A run that fails, or that another process holds up for too long, is made again after the pause.
 */
export function createVacuum(options: {
  readonly connect: () => Promise<Session>;
  /** Between two runs. Absent: 10 s. */
  readonly pauseMs?: number;
}): Vacuum {
  const { connect, pauseMs = defaultPauseMs } = options;
  let isWanted = false;
  let isClosed = false;
  let session: Session | undefined;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const runOnce = async () => {
    try {
      session = await connect();
      if (!isClosed) await vacuumAll(session);
    } catch {
      isWanted = true;
    } finally {
      if (session !== undefined) destroySession(session.client);
      session = undefined;
    }
  };
  const start = () => {
    if (running !== undefined || timer !== undefined || !isWanted || isClosed) return;
    isWanted = false;
    running = runOnce().then(() => {
      running = undefined;
      timer = setTimeout(() => {
        timer = undefined;
        start();
      }, pauseMs).unref();
    });
  };
  return {
    request() {
      isWanted = true;
      start();
    },
    async close() {
      isClosed = true;
      if (session !== undefined) destroySession(session.client);
      await running;
      clearTimeout(timer);
    },
  };
}

/** Vacuums one table after the other, however long each takes. One process at a time does this. */
async function vacuumAll({ client }: Session): Promise<void> {
  await client.query(`SELECT pg_advisory_lock(${advisoryLocks.vacuum})`);
  for (const table of tables) await client.query(`VACUUM (INDEX_CLEANUP ON) ${table}`);
}
