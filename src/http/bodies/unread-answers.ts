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
