import { setImmediate } from "node:timers/promises";
import type pg from "pg";
import { systemClock, toInstant } from "../../../base/clock.ts";
import type { SqlValue, WriteTransaction } from "../../../base/database.ts";
import { toPostgresError } from "../postgres-error.ts";

/** The transaction of a command on a connection of its own, without the queue and the time limits of calls. */
export interface LongTransaction extends WriteTransaction {
  /** Waits for every statement that was sent. Throws the first error. */
  settled(): Promise<void>;
}

/** How many statements are sent before the first one is answered. */
const maxInFlight = 64;

/**
 * Creates the transaction on a connection on which BEGIN was sent. It records no events: sequences and ids are given by
 * the section of a call only.
 */
export function createLongTransaction(client: pg.Client): LongTransaction {
  const statements = createStatements(client);
  const { ask, settled } = statements;
  const transaction: LongTransaction = {
    commit: {},
    now: () => toInstant(systemClock.nowMs()), // asked of what answers calls
    isUndone: () => false, // asked of what has recorded events
    get: async <Row>(sql: string, parameters?: readonly SqlValue[]) =>
      (await ask(sql, parameters)).rows[0] as Row | undefined, // the caller's claim about the statement
    all: async <Row>(sql: string, parameters?: readonly SqlValue[]) =>
      (await ask(sql, parameters)).rows as Row[],
    run: statements.send,
    change: async (sql, parameters) => (await ask(sql, parameters)).rowCount ?? 0,
    reserveSequences: async () => refuseToRecord(),
    nextId: () => refuseToRecord(),
    async nested(fn) {
      await settled();
      await statements.command("SAVEPOINT part");
      try {
        const result = await fn(transaction);
        await settled();
        await statements.command("RELEASE SAVEPOINT part");
        return result;
      } catch (error) {
        await statements.forgetFailure();
        await statements.command("ROLLBACK TO SAVEPOINT part");
        throw error;
      }
    },
    async pause() {
      await setImmediate();
    },
    settled,
  };
  return transaction;
}

/** Sends statements, each text prepared once. After one has failed, all others fail with the same error. */
function createStatements(client: pg.Client) {
  const names = new Map<string, string>();
  let failure: Error | undefined;
  let last: Promise<void> = Promise.resolve();
  let inFlight = 0;
  const requireSound = () => {
    if (failure !== undefined) throw failure;
  };
  const ask = async (sql: string, parameters: readonly SqlValue[] = []): Promise<pg.QueryResult> => {
    requireSound();
    const name = names.get(sql) ?? `long ${names.size}`;
    names.set(sql, name);
    try {
      const result = await client.query({ name, text: toPostgresText(sql), values: [...parameters] });
      requireSound(); // an earlier statement failed, and this one only because of it
      return result;
    } catch (error) {
      failure ??= toPostgresError(error);
      throw failure;
    }
  };
  return {
    ask,
    async send(sql: string, parameters?: readonly SqlValue[]): Promise<void> {
      requireSound();
      inFlight += 1;
      const over = () => void (inFlight -= 1);
      last = ask(sql, parameters).then(over, over); // `failure` keeps an error for the next statement
      if (inFlight >= maxInFlight) await last;
    },
    async settled(): Promise<void> {
      await last;
      requireSound();
    },
    /** Waits for what was sent. */
    async forgetFailure(): Promise<void> {
      await last;
      failure = undefined;
    },
    /** Sends a statement that is no part of the work. */
    async command(text: string): Promise<void> {
      try {
        await client.query(text);
      } catch (error) {
        throw toPostgresError(error);
      }
    },
  };
}

/** Numbers the parameters. A `?` in a statement is always one. */
function toPostgresText(sql: string): string {
  let index = 1;
  return sql.replaceAll("?", () => `$${index++}`);
}

function refuseToRecord(): never {
  throw new Error("a long transaction records no events");
}
