/** Tells of events of other processes that have become known. */
export interface ForeignEvents {
  /** Calls `listener` when events of other processes have become known. Returns a function that ends this. */
  onForeignEvents(listener: () => void): () => void;
}

/** Looks for commits of other processes while somebody wants to know of them. */
export interface CommitFollower {
  /** Calls `listener` when there are events of other processes. Returns a function that ends this. */
  follow(listener: () => void): () => void;
  close(): void;
}

/**
 * Creates the follower. It asks for the position at an interval: a notification of PostgreSQL would be lost with its
 * connection, and would need a lock at every commit.
 */
export function createCommitFollower(
  refresh: () => Promise<void>,
  position: ForeignEvents,
  everyMs = 50,
): CommitFollower {
  let followers = 0;
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;
  const ask = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      await refresh();
    } catch {
      // The next look tries again.
    } finally {
      isAsking = false;
    }
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    follow(listener) {
      const unfollow = position.onForeignEvents(listener);
      followers += 1;
      timer ??= setInterval(() => void ask(), everyMs).unref();
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        unfollow();
        if (--followers === 0) stop();
      };
    },
    close: stop,
  };
}
