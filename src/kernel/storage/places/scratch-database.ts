import { setImmediate } from "node:timers/promises";
import type { Instant } from "../../base/clock.ts";
import type { ScratchDatabase, WriteTransaction } from "../../base/database.ts";
import type { Connection } from "../sqlite/connection.ts";
import { openEmptyDatabase } from "../sqlite/empty-database.ts";

/**
 * Creates a database in memory, whatever engine the service runs on. It is opened when it is first used. Rows may lack what they refer to,
 * and names may be there twice.
 */
export function createScratchDatabase(): ScratchDatabase {
  let connection: Connection | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const use = async <T>(now: Instant, fn: (tx: WriteTransaction) => Promise<T>): Promise<T> => {
    connection ??= openEmpty();
    connection.run("BEGIN", []);
    try {
      return await fn(toTransaction(connection, now));
    } finally {
      connection.run("ROLLBACK", []);
    }
  };
  return {
    use(now, fn) {
      const turn = last.then(() => use(now, fn));
      last = turn.catch(() => {});
      return turn;
    },
  };
}

function openEmpty(): Connection {
  const connection = openEmptyDatabase(0);
  connection.raw.pragma("foreign_keys = OFF");
  const unique = connection.raw
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE INDEX%'",
    )
    .pluck()
    .all();
  for (const name of unique) connection.raw.exec(`DROP INDEX ${name}`);
  return connection;
}

function toTransaction(connection: Connection, now: Instant): WriteTransaction {
  const refuse = (): never => {
    throw new Error("a scratch database gives no sequences and ids");
  };
  const tx: WriteTransaction = {
    commit: {},
    now: () => now,
    isUndone: () => false,
    get: (sql, parameters = []) => Promise.resolve(connection.get(sql, parameters) as never), // the row that the caller names
    all: (sql, parameters = []) => Promise.resolve(connection.all(sql, parameters) as never),
    run(sql, parameters = []) {
      connection.run(sql, parameters);
      return Promise.resolve();
    },
    change: (sql, parameters = []) => Promise.resolve(connection.run(sql, parameters)),
    reserveSequences: refuse,
    nextId: refuse,
    nested: (fn) => fn(tx),
    pause: async () => {
      await setImmediate();
    },
  };
  return tx;
}
