import type { ReadTransaction } from "../../../base/database.ts";
import type { LiveDatabase } from "../../place.ts";
import { NoPrimaryError } from "../connect/errors.ts";
import { pauseFor } from "../connect/pause.ts";
import type { Connector, Session } from "../connect/connector.ts";
import { destroySession } from "../connect/open-session.ts";
import { ConnectionLostError } from "../postgres-error.ts";
import { createLongTransaction, type LongTransaction } from "./long-transaction.ts";

interface Opened {
  readonly session: Session;
  readonly tx: LongTransaction;
}

/**
 * Follows the committed data on a connection of its own, across failovers: when the connection is lost, it connects again.
 * `requireKnown` is called for each connection and throws for a database that cannot be read.
 */
export function followPostgres(
  connector: Connector,
  options: { readonly giveUpAfterMs: number; readonly requireKnown: (session: Session) => Promise<void> },
): LiveDatabase {
  let opened: Opened | undefined;
  let seen: number | undefined;
  const leave = () => {
    if (opened !== undefined) destroySession(opened.session.client);
    opened = undefined;
  };
  const open = async (): Promise<Opened> => {
    if (opened !== undefined) return opened;
    const session = await connector.connect("read", options);
    opened = { session, tx: createLongTransaction(session.client) };
    await options.requireKnown(session);
    return opened;
  };
  const readOnce = async <T>(fn: (tx: ReadTransaction) => Promise<T>): Promise<T> => {
    const { tx } = await open();
    await tx.change("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    seen = await positionOf(tx);
    const result = await fn(tx);
    await tx.change("COMMIT");
    return result;
  };
  /** Leaves a connection on which something failed; says whether it was lost, so that another one may do. */
  const isOver = (error: unknown): boolean => {
    leave();
    return error instanceof ConnectionLostError || error instanceof NoPrimaryError;
  };
  return {
    async read(fn) {
      try {
        return await readOnce(fn);
      } catch (error) {
        if (!isOver(error)) throw error;
        return await readOnce(fn);
      }
    },
    async changed(everyMs, signal) {
      while (!signal.aborted) {
        await pauseFor(everyMs, signal);
        try {
          const { tx } = await open();
          if ((await positionOf(tx)) !== seen) return;
        } catch (error) {
          if (!isOver(error)) throw error;
        }
      }
    },
    async close() {
      leave();
    },
  };
}

async function positionOf(tx: ReadTransaction): Promise<number> {
  const row = await tx.get<{ last_sequence: number }>("SELECT last_sequence FROM log_position");
  return row?.last_sequence ?? 0;
}
