import type { PostgresConnection } from "./postgres-connection.ts";

/** The connections that reads share. One is used by one snapshot at a time, and none to a primary that was replaced. */
export interface ReadConnections {
  /** Returns a free connection, or undefined. Then `onFree` is called with one as soon as there is one. */
  take(): PostgresConnection | undefined;
  /** Gives a connection back. */
  giveBack(connection: PostgresConnection): void;
  close(): Promise<void>;
}

/** What the connections need. */
export interface ReadConnectionsSetup {
  readonly connect: () => Promise<PostgresConnection>;
  readonly maxConnections: number;
  /** Returns the newest timeline that this process knows. */
  readonly newestTimeline: () => number;
  /** Called when a connection has become free; returns whether it was taken. */
  readonly onFree: (connection: PostgresConnection) => boolean;
  /** Called when a connection was lost that was not free: somebody may have waited for it. */
  readonly onLost: () => void;
  /** Called when no connection could be made. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the connections; they are made when they are needed, and kept. */
export function createReadConnections(setup: ReadConnectionsSetup): ReadConnections {
  const { connect, maxConnections, newestTimeline, onFree, onLost, onFailure } = setup;
  const all = new Set<PostgresConnection>();
  const free: PostgresConnection[] = [];
  let connecting: Promise<void> | undefined;
  let isClosed = false;
  /** Cuts a connection to a primary that was replaced. */
  const leaveIfReplaced = (connection: PostgresConnection) => {
    if (connection.timeline < newestTimeline()) connection.destroy("another server is the primary");
  };
  const giveBack = (connection: PostgresConnection) => {
    leaveIfReplaced(connection);
    if (connection.lost !== undefined) return;
    if (isClosed) void connection.end();
    else if (!onFree(connection)) free.push(connection);
  };
  const open = async () => {
    try {
      const connection = await connect();
      all.add(connection);
      connection.onLoss(() => {
        all.delete(connection);
        const index = free.indexOf(connection);
        if (index === -1) onLost();
        else free.splice(index, 1);
        // Where one has no answer, the others have none: the next reads look for a way that is open.
        if (connection.isCut)
          for (const each of free.splice(0)) each.destroy("another connection was given up");
      });
      connecting = undefined;
      giveBack(connection);
    } catch (error) {
      connecting = undefined;
      onFailure(error);
    }
  };
  return {
    take() {
      for (const each of free.slice()) leaveIfReplaced(each);
      const connection = free.pop();
      if (connection === undefined && all.size < maxConnections && !isClosed) connecting ??= open();
      return connection;
    },
    giveBack,
    async close() {
      isClosed = true;
      await connecting;
      await Promise.all([...all].map((connection) => connection.end()));
    },
  };
}
