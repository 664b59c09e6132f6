import { createDeadlines } from "./deadlines.ts";

/** Limits the answers, and parts of answers, that wait for their readers. */
export interface UnreadAnswers {
  /**
   * Counts bytes that were written to an answer. Calls `cut` when they are not read in time, or when too many bytes of all answers
   * wait and these are the oldest. Call the returned function once they are read.
   */
  hold(bytes: number, cut: () => void): () => void;
}

/** Creates the account of all answers. `maxBytes` is for all of them together. */
export function createUnreadAnswers(timeoutMs: number, maxBytes: number): UnreadAnswers {
  const deadlines = createDeadlines(timeoutMs);
  const account = { heldBytes: 0 };
  return {
    hold(bytes, cut) {
      let isHeld = true;
      const release = (): void => {
        if (!isHeld) return;
        isHeld = false;
        deadline.clear();
        account.heldBytes -= bytes;
      };
      const deadline = deadlines.set(() => {
        release();
        cut();
      });
      account.heldBytes += bytes;
      while (account.heldBytes > maxBytes) {
        const oldest = deadlines.first();
        if (oldest === undefined || oldest === deadline) break;
        oldest.miss();
      }
      return release;
    },
  };
}
