import type { PostgresConnection } from "./postgres-connection.ts";

/** How long a transaction may do nothing: others may be waiting for it. */
const maxIdleMs = 1000;

/** The error of work that awaited something other than its statements. */
export class IdleTransactionError extends Error {
  constructor() {
    super("a transaction awaited something other than its statements");
    this.name = "IdleTransactionError";
  }
}

/**
 * Calls `onIdle` when the connection has done nothing for a second: no statement is under way and none was sent. Returns a
 * function that ends this.
 */
export function watchIdle(connection: PostgresConnection, onIdle: () => void): () => void {
  let seen = connection.activity;
  const timer = setInterval(() => {
    const isIdle = connection.inFlight === 0 && connection.activity === seen;
    seen = connection.activity;
    if (isIdle) onIdle();
  }, maxIdleMs).unref();
  return () => clearInterval(timer);
}
