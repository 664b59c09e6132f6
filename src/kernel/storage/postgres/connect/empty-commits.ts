import type { Client } from "pg";
import type { Random } from "../../../base/random.ts";
import type { Connector } from "./connector.ts";
import { destroySession } from "./open-session.ts";
import { requireSynchronousNames } from "./server-checks.ts";

/** Commits that change no row, on a connection of their own: writes do not hold them up, only a standby that is missing. */
export interface EmptyCommits {
  /**
   * Returns when a commit is durable, on the standby as well. Throws when that takes longer than the limit, and when commits
   * do not wait for a standby.
   */
  commit(): Promise<void>;
  close(): void;
}

const defaultLimitMs = 5000;

/** The first number of the key of the lock below; the second one is the process's. */
const lockClass = 26_473;

/** The warning that comes with the success of a commit for which no standby was waited. */
const warning = "01000";

/**
 * Opens the connection with the first commit, and a new one after a failure.
 *
 * The server goes on waiting for the standby when the connection is gone, without end. So that such commits do not take up
 * all its connections, each begins by a lock, which the one before holds for as long as it waits.
 */
export function createEmptyCommits(options: {
  readonly connector: Pick<Connector, "connect">;
  readonly random: Random;
  /** Absent: 5 s. */
  readonly limitMs?: number;
}): EmptyCommits {
  const { connector, random, limitMs = defaultLimitMs } = options;
  // The message is one in the log of the server that nobody reads: the least for which a commit waits.
  const emptyCommit = `SELECT pg_advisory_xact_lock(${lockClass}, ${random.below(2 ** 31)}),
    pg_logical_emit_message(true, 'gatehouse', ''),
    current_setting('synchronous_standby_names') AS names`;
  const closing = new AbortController();
  let current: Client | undefined;
  let warnings = 0;

  const connect = async (): Promise<Client> => {
    const { client } = await connector.connect("locks", { giveUpAfterMs: limitMs, signal: closing.signal });
    client.on("notice", ({ code }) => {
      if (code === warning) warnings++;
    });
    return client;
  };
  return {
    async commit() {
      const client = (current ??= await connect());
      const before = warnings;
      const limit = setTimeout(() => destroySession(client), limitMs);
      try {
        const { rows } = await client.query<{ names: string }>(emptyCommit);
        requireSynchronousNames(rows[0]?.names ?? "");
        if (warnings > before) throw new Error("a commit did not wait for the standby");
      } catch (error) {
        destroySession(client);
        current = undefined;
        throw error;
      } finally {
        clearTimeout(limit);
      }
    },
    close() {
      closing.abort();
      if (current !== undefined) destroySession(current);
    },
  };
}
