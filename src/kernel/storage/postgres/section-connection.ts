import type { Fence, SectionFacts } from "./connect/fence.ts";
import { sectionFacts } from "./connect/server-facts.ts";
import type { PositionRow } from "./position.ts";
import type { PostgresConnection, Sendable } from "./postgres-connection.ts";
import { ConnectionLostError, lockNotAvailable, PostgresError } from "./postgres-error.ts";

/** The locked row of `log_position`, and what the fence wants to know. */
export interface SectionRow extends PositionRow, SectionFacts {
  /** The last id that was given, as text: it is beyond 2^53. */
  readonly last_id: string;
}

/** How a COMMIT ended: "unknown" if the connection was lost, or left, before PostgreSQL said so. */
export interface CommitEnd {
  readonly kind: "committed" | "rolled back" | "unknown";
  readonly error?: Error | undefined;
}

/** The connection that sections are made on, one after another. */
export interface SectionConnection {
  /**
   * Begins a transaction and locks the only row of `log_position`, which every writer of every process does first: so
   * sections happen one after another, and what a command reads stays true until it is committed. READ COMMITTED, so
   * that statements see what was committed while this one waited for the lock.
   */
  begin(
    giveUpAfterMs: number,
    signal?: AbortSignal,
  ): Promise<{ connection: PostgresConnection; row: SectionRow }>;
  commit(connection: PostgresConnection): Promise<CommitEnd>;
  close(): Promise<void>;
}

const lockPosition: Sendable = {
  name: "lock_position",
  text: `SELECT last_sequence, access_version, last_id::TEXT AS last_id, ${sectionFacts}
    FROM log_position WHERE is_only = 1 FOR UPDATE`,
};

/** How long a COMMIT may take, also when it waits for a standby. It is never cancelled, which could be taken for success. */
const commitTimeoutMs = 5000;

/** Creates the connection; it is made when it is needed. */
export function createSectionConnection(setup: {
  readonly connect: (giveUpAfterMs: number, signal?: AbortSignal) => Promise<PostgresConnection>;
  readonly fence: Fence;
}): SectionConnection {
  let current: PostgresConnection | undefined;
  return {
    async begin(giveUpAfterMs, signal) {
      if (current?.lost !== undefined) current = undefined;
      const connection = (current ??= await setup.connect(giveUpAfterMs, signal));
      const cut = () => connection.destroy("it was given up");
      signal?.addEventListener("abort", cut);
      try {
        connection.tell("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
        const { rows } = await connection.ask(lockPosition);
        // The columns of the statement.
        const row = (rows as readonly SectionRow[])[0];
        if (row === undefined) throw new ConnectionLostError("the table log_position is empty");
        setup.fence.require(row);
        return { connection, row };
      } catch (error) {
        if (error instanceof PostgresError && error.code === lockNotAvailable) connection.tell("ROLLBACK");
        else connection.destroy("a section could not begin");
        throw new ConnectionLostError("a section could not begin", { cause: error });
      } finally {
        signal?.removeEventListener("abort", cut);
      }
    },
    commit,
    async close() {
      await current?.end();
    },
  };
}

async function commit(connection: PostgresConnection): Promise<CommitEnd> {
  const { warnings } = connection;
  const timer = setTimeout(() => connection.destroy("COMMIT was not answered in time"), commitTimeoutMs);
  try {
    const { command } = await connection.ask({ text: "COMMIT" });
    if (command !== "COMMIT") return { kind: "rolled back" }; // PostgreSQL answers so when a statement had failed
    if (connection.warnings === warnings) return { kind: "committed" };
    // "canceling wait for synchronous replication": committed here, but perhaps on no standby.
    connection.destroy("PostgreSQL warned at COMMIT");
    return { kind: "unknown", error: connection.lost };
  } catch (error) {
    if (error instanceof PostgresError && /^(?:23|40001|40002)/.test(error.code))
      return { kind: "rolled back", error };
    connection.destroy("COMMIT failed");
    return { kind: "unknown", error: connection.lost };
  } finally {
    clearTimeout(timer);
  }
}
