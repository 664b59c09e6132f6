import type { Database, ReadTransaction } from "../../kernel/base/database.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { EventHead } from "./event.ts";
import { listEventHeads } from "./repository.ts";

/** A receiver of news about events. Both functions are called often and must be quick. */
export interface Follower {
  wants(head: EventHead): boolean;
  wake(): void;
}

/** Wakes followers when events that they want are committed. May also wake them for nothing. */
export interface EventFeed {
  /**
   * Starts at once: every wanted event that is committed from now on wakes the follower. Returns a function that ends
   * it.
   */
  follow(follower: Follower): () => void;
}

const headsAtOnce = 500;

/** Creates a feed. It reads each new event once, however many followers there are, and nothing without followers. */
export function createEventFeed(database: Pick<Database, "read" | "onCommit">): EventFeed {
  const followers = new Set<Follower>();
  /** Followers have seen everything up to this sequence; undefined when unknown. */
  let last: number | undefined;
  let isReading = false;
  let hasNews = false;
  let endListening = () => {};

  const show = async (): Promise<void> => {
    const after = last;
    const { heads, position } = await database.read((tx) => readBehind(tx, after));
    last = position;
    if (heads.length >= headsAtOnce) hasNews = true;
    for (const follower of followers)
      if (after === undefined || heads.some((head) => follower.wants(head))) follower.wake();
  };
  const look = async (): Promise<void> => {
    hasNews = true;
    if (isReading) return;
    isReading = true;
    while (hasNews && followers.size > 0) {
      hasNews = false;
      try {
        await show();
      } catch {
        last = undefined; // they find out by themselves what is wrong
        for (const follower of followers) follower.wake();
      }
      await new Promise(setImmediate); // lets other calls in, and the next commits come together
    }
    isReading = false;
  };
  return {
    follow(follower) {
      if (followers.size === 0) {
        last = undefined;
        endListening = database.onCommit(() => void look());
      }
      followers.add(follower);
      return () => {
        followers.delete(follower);
        if (followers.size === 0) endListening();
      };
    },
  };
}

async function readBehind(
  tx: ReadTransaction,
  after: number | undefined,
): Promise<{ readonly heads: readonly EventHead[]; readonly position: number }> {
  if (after === undefined) return { heads: [], position: await processedSequence(tx) };
  const heads = await listEventHeads(tx, after, headsAtOnce);
  return { heads, position: heads.at(-1)?.sequence ?? after };
}
