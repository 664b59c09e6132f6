import { createDeadlines } from "./deadlines.ts";

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
  const deadlines = createDeadlines(timeoutMs);
  /** What gives them up, in the order in which they were written. */
  const waiting = new Set<() => void>();
  let heldBytes = 0;
  return {
    hold(bytes, cut) {
      const giveUp = (): void => {
        release();
        cut();
      };
      const deadline = deadlines.set(giveUp);
      const release = (): void => {
        if (!waiting.delete(giveUp)) return;
        deadline.clear();
        heldBytes -= bytes;
      };
      waiting.add(giveUp);
      heldBytes += bytes;
      if (heldBytes > maxBytes) {
        for (const giveUpOldest of waiting) {
          if (heldBytes <= maxBytes || waiting.size === 1) break;
          giveUpOldest();
        }
      }
      return release;
    },
  };
}
