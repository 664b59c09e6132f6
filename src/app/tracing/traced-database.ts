import type { Database } from "../../kernel/base/database.ts";
import type { Tracing } from "../../kernel/base/tracing/tracing.ts";

/** Returns the database with a span for each change. */
export function traceCommits(database: Database, tracing: Tracing): Database {
  return {
    read: (fn) => database.read(fn),
    write: (fn, options) => tracing.commit(() => database.write(fn, options)),
    purge: () => database.purge(),
    probe: () => database.probe(),
    onCommit: (listener) => database.onCommit(listener),
    onOwnCommit: (listener) => database.onOwnCommit(listener),
    watch: (tables) => database.watch(tables),
    watchOwn: (tables) => database.watchOwn(tables),
    refresh: () => database.refresh(),
    isFailure: (error) => database.isFailure(error),
    lastSequence: () => database.lastSequence(),
    waitingWrites: () => database.waitingWrites(),
    close: () => database.close(),
  };
}
