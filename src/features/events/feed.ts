import type { Database, ReadTransaction } from "../../base/database.ts";
import { processedSequence } from "../../events/processed-sequence.ts";
import type { EventHead } from "./event.ts";
import { listEventHeads } from "./repository.ts";

/** Who wants to know when there is something new. Both are called often, and must be quick. */
export interface Follower {
  wants(head: EventHead): boolean;
  wake(): void;
}

/** Wakes followers when events are committed that they want. May also wake them for nothing. */
export interface EventFeed {
  /** Begins at once: whatever is committed from now on and is wanted wakes the follower. Returns what ends it. */
  follow(follower: Follower): () => void;
}

const headsAtOnce = 500;

/** Creates a feed. It reads each new event once, however many follow, and nothing while nobody does. */
export function createEventFeed(database: Pick<Database, "read" | "onCommit">): EventFeed {
  const followers = new Set<Follower>();
  /** Everything up to here was shown to the followers; undefined: not known. */
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
