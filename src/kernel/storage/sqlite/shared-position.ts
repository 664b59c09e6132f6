import type { ForeignEvents } from "../engine/commit-follower.ts";
import type { TableWatches } from "../engine/table-watches.ts";
import type { Connection } from "./connection.ts";
import { readLastSequence } from "./last-sequence.ts";

/** What this process knows of how far the database has come, which other processes write to as well. */
export interface SharedPosition extends ForeignEvents {
  /** Learns in a transaction whether others have changed what may be remembered. */
  learnAccess(connection: Connection): void;
  /** The same, and whether they have recorded events. Returns the last sequence. */
  learn(connection: Connection): number;
  /** Called in a transaction of this process, at its end. `isOfAccess`: it has changed what may be remembered. */
  note(connection: Connection, isOfAccess: boolean): void;
  /** Called after its commit. */
  onOwnCommit(): void;
}

interface Row {
  readonly sequence: number;
  readonly access: number;
}

/**
 * Creates a position that knows nothing yet. The number that changes with everything that may be remembered is the `user_version` of
 * the database, which is part of its transactions and which nothing else uses.
 */
export function createSharedPosition(watches: TableWatches): SharedPosition {
  const listeners = new Set<() => void>();
  let known: Row = { sequence: 0, access: 0 };
  let noted: Row | undefined;
  const learnAccess = (connection: Connection) => {
    const access = readAccess(connection);
    if (access === known.access) return;
    known = { ...known, access };
    watches.onForeignCommit();
  };
  return {
    learnAccess,
    learn(connection) {
      learnAccess(connection);
      const sequence = readLastSequence(connection);
      if (sequence > known.sequence) {
        known = { ...known, sequence };
        for (const listener of listeners) listener();
      }
      return sequence;
    },
    note(connection, isOfAccess) {
      const access = isOfAccess ? (known.access + 1) | 0 : known.access; // a signed number of 32 bits
      if (isOfAccess) connection.raw.pragma(`user_version = ${access}`);
      noted = { sequence: readLastSequence(connection), access };
    },
    onOwnCommit() {
      known = noted ?? known;
    },
    onForeignEvents(listener) {
      const own = () => listener(); // each call counts, also of the same function
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

function readAccess(connection: Connection): number {
  const row = connection.get("PRAGMA user_version", []);
  return (row as { user_version: number }).user_version; // the shape of the statement above
}
