import type { ForeignEvents } from "../engine/commit-follower.ts";
import type { TableWatches } from "../engine/table-watches.ts";
import type { Sendable } from "./postgres-connection.ts";

/** How far the database has come, in the only row of `log_position`. */
export interface PositionRow {
  readonly last_sequence: number;
  /** Raised by each commit that writes to a table which may be watched. */
  readonly access_version: number;
}

/** Reads the row. Every snapshot begins with it. */
export const positionStatement: Sendable = {
  name: "position",
  text: "SELECT last_sequence, access_version FROM log_position",
};

/** What this process knows of the position. */
export interface Position extends ForeignEvents {
  lastSequence(): number;
  /** Takes in what a snapshot or a section has read on this timeline. */
  learn(row: PositionRow, timeline: number): void;
  /** Takes in what this process has committed itself. */
  onOwnCommit(row: PositionRow): void;
}

/** Creates a position that knows nothing yet. */
export function createPosition(watches: TableWatches): Position {
  const listeners = new Set<() => void>();
  let known: PositionRow = { last_sequence: 0, access_version: 0 };
  let newestTimeline = 0;
  const advance = (row: PositionRow) => {
    known = {
      last_sequence: Math.max(known.last_sequence, row.last_sequence),
      access_version: Math.max(known.access_version, row.access_version),
    };
  };
  return {
    lastSequence: () => known.last_sequence,
    learn(row, timeline) {
      if (timeline < newestTimeline) return;
      const isAnew = timeline > newestTimeline;
      // After a failover without synchronous replication the new primary may lack what is known here.
      if (isAnew) known = { last_sequence: known.last_sequence, access_version: row.access_version };
      newestTimeline = timeline;
      const hasEvents = row.last_sequence > known.last_sequence;
      if (isAnew || row.access_version > known.access_version) watches.onForeignCommit();
      advance(row);
      if (hasEvents) for (const listener of listeners) listener();
    },
    onOwnCommit: advance,
    onForeignEvents(listener) {
      const own = () => listener(); // each call counts, also of the same function
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
