/** Answers, and parts of them, that wait for their readers. */
export interface UnreadAnswers {
  /**
   * Takes note of bytes that are written to an answer, and cuts it when they are not read in time, or when too many bytes of
   * all answers wait and these are the oldest. Returns what is to be called once they are read.
   */
  hold(bytes: number, cut: () => void): () => void;
}

/** Returns an account of all answers. `maxBytes` is for all of them together. */
export function createUnreadAnswers(timeoutMs: number, maxBytes: number): UnreadAnswers {
  /** In the order in which they were written. */
  const waiting = new Map<() => void, () => void>();
  let heldBytes = 0;
  return {
    hold(bytes, cut) {
      const release = (): void => {
        if (!waiting.delete(release)) return;
        clearTimeout(timer);
        heldBytes -= bytes;
      };
      const giveUp = (): void => {
        release();
        cut();
      };
      const timer = setTimeout(giveUp, timeoutMs);
      waiting.set(release, giveUp);
      heldBytes += bytes;
      for (const giveUpOldest of waiting.values()) {
        if (heldBytes <= maxBytes || waiting.size === 1) break;
        giveUpOldest();
      }
      return release;
    },
  };
}
