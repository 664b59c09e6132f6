import type { Connection } from "./connection.ts";

/** Returns the sequence of the newest event; 0 without events. */
export function readLastSequence(connection: Connection): number {
  const row = connection.get("SELECT COALESCE(MAX(sequence), 0) AS last FROM events", []);
  return (row as { last: number }).last; // the shape of the statement above
}
