import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import type { PostgresConnection, Sendable } from "./postgres-connection.ts";
import { ConnectionLostError } from "./postgres-error.ts";
import type { SectionConnection } from "./section-connection.ts";

/** Remembers which batches of this process were committed, in its row of `writers`. */
export interface WriterRow {
  /**
   * Notes the batch, in its transaction. The first one also removes the rows of processes that have noted nothing for a day:
   * most of them are gone, and one that is not gets a new row. `onError` is called if that fails.
   */
  note(connection: PostgresConnection, batch: number, onError: (error: Error) => void): void;
  /**
   * Says whether a batch was committed whose answer was lost; undefined if no primary answers in time, or if the row may have
   * been removed.
   */
  wasCommitted(batch: number): Promise<boolean | undefined>;
}

const noteBatch: Sendable = {
  name: "note_batch",
  text: `INSERT INTO writers (process, batch, date_ms) VALUES ($1, $2, $3)
    ON CONFLICT (process) DO UPDATE SET batch = excluded.batch, date_ms = excluded.date_ms`,
};
const removeOldRows: Sendable = {
  name: "remove_old_rows",
  text: "DELETE FROM writers WHERE date_ms < $1",
};
const findBatch: Sendable = { name: "find_batch", text: "SELECT batch FROM writers WHERE process = $1" };
const touchPosition: Sendable = {
  name: "touch_position",
  text: "UPDATE log_position SET writer_epoch = $1 WHERE is_only = 1",
};

/** How long to look for the outcome of a commit. */
const outcomeTimeoutMs = 5000;
const retryPauseMs = 100;
const keepMs = 86_400_000;
/** A process that was stopped for longer does not trust a row that is not there: the clocks of processes differ by little. */
const trustMs = keepMs / 2;

/** Creates the row of a process, whose name must be drawn at its start. */
export function createWriterRow({
  process,
  sections,
  clock,
}: {
  readonly process: string;
  readonly sections: SectionConnection;
  readonly clock: Clock;
}): WriterRow {
  let notedMs: number | undefined;
  /**
   * Under the lock, so that the transaction in question has ended. Something is changed, so that the commit waits for the
   * standby, which then has everything before it as well: what is only on a primary that is about to be replaced does not
   * count as committed.
   */
  const look = async (batch: number, signal: AbortSignal): Promise<boolean | undefined> => {
    const { connection, row } = await sections.begin(outcomeTimeoutMs, signal);
    const cut = () => connection.destroy("it was given up");
    signal.addEventListener("abort", cut);
    try {
      const answer = connection.ask(findBatch, [process]);
      answer.catch(() => {});
      connection.send(touchPosition, [row.timeline], () => {});
      const end = await sections.commit(connection);
      const { rows } = await answer;
      if (end.kind !== "committed") throw new ConnectionLostError("the outcome could not be read");
      const last = (rows as readonly { readonly batch: number }[])[0]?.batch; // the columns of the statement
      if (last === undefined && clock.nowMs() - (notedMs ?? 0) > trustMs) return undefined;
      return (last ?? 0) >= batch;
    } finally {
      signal.removeEventListener("abort", cut);
    }
  };
  return {
    note(connection, batch, onError) {
      const onAnswer = (error: Error | undefined) => {
        if (error !== undefined) onError(error);
      };
      const nowMs = clock.nowMs();
      if (notedMs === undefined) connection.send(removeOldRows, [nowMs - keepMs], onAnswer);
      connection.send(noteBatch, [process, batch, nowMs], onAnswer);
      notedMs = nowMs;
    },
    async wasCommitted(batch) {
      const signal = AbortSignal.timeout(outcomeTimeoutMs);
      while (!signal.aborted) {
        try {
          return await look(batch, signal);
        } catch {
          await pause(retryPauseMs); // until the time is over
        }
      }
      return undefined;
    },
  };
}
