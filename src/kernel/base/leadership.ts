/**
 * Chooses, among all processes that serve one database, the one that does the work in the background. There may be none for
 * some seconds, and for a moment there may be two: such work must be harmless to do twice.
 */
export interface Leadership {
  /**
   * Returns a signal that lasts as long as this process is the leader, and is aborted when it may no longer be; undefined
   * while it is not the leader. Ask again from time to time.
   */
  term(): AbortSignal | undefined;
}

/** Creates the leadership of a process that is the only one. */
export function createSoleLeadership(): Leadership {
  const { signal } = new AbortController();
  return { term: () => signal };
}
