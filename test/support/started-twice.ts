import type { Database, WriteTransaction } from "../../src/kernel/base/database.ts";

/**
 * Starts each write that may start early once more before, as an engine may, without an answer: whatever that does besides its
 * transaction is done twice then.
 */
export function startedTwice(database: Database): Database {
  return {
    ...database,
    write: (fn, options) =>
      database.write(async (tx) => {
        if (options?.mayStartEarly === true) void fn(withoutAnswers(tx)).catch(() => {});
        return await fn(tx);
      }, options),
  };
}

function withoutAnswers(tx: WriteTransaction): WriteTransaction {
  const never = () => new Promise<never>(() => {});
  return {
    commit: tx.commit,
    now: tx.now,
    nextId: () => tx.nextId(),
    isUndone: () => false,
    get: never,
    all: never,
    run: never,
    change: never,
    reserveSequences: never,
    nested: never,
    pause: never,
  };
}
