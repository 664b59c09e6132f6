import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { RecordedEvent } from "../../kernel/events/event.ts";
import type { FeatureContext } from "../context.ts";
import { type Count, type Counted, countEvent } from "./activity.ts";
import { addActiveUsers, addCount, wholeInstance } from "./repository.ts";
import { addToSketch, type Sketch } from "./sketch.ts";

/** Counts what the events of this process say about activity, and stores the numbers from time to time. */
export interface ActivityCounter {
  /** Counts an event of a write that is under way, unless the write is undone. */
  observe(tx: WriteTransaction, event: RecordedEvent): void;
  /** Adds what was counted to the tables. If that fails, it stays counted. */
  store(context: Pick<FeatureContext, "database">): Promise<void>;
}

interface Pending {
  readonly tx: WriteTransaction;
  readonly counted: Counted;
}

/** Creates the counter of a process. */
export function createActivityCounter(): ActivityCounter {
  let pending: Pending[] = [];
  return {
    observe(tx, event) {
      const counted = countEvent(event);
      if (counted !== undefined) pending.push({ tx, counted });
    },
    async store({ database }) {
      if (pending.length === 0) return;
      let taken: Pending[] = [];
      try {
        await database.write(async (tx) => {
          // Writes go one after the other: by now it is known of all others whether they were undone.
          taken = pending;
          pending = [];
          await put(tx, taken);
        });
      } catch (error) {
        pending = taken.concat(pending);
        throw error;
      }
    },
  };
}

const hourMs = 3_600_000;
/** How long the time is of which the active users are counted together. */
export const spanHours = 6;

async function put(tx: WriteTransaction, taken: readonly Pending[]): Promise<void> {
  const counts = new Map<
    string,
    { readonly owner: string; readonly hour: number; readonly of: Count; count: number }
  >();
  const sketches = new Map<
    string,
    { readonly owner: string; readonly span: number; readonly sketch: Sketch }
  >();
  for (const { counted } of taken.filter((each) => !each.tx.isUndone())) {
    const hour = Math.floor(counted.dateMs / hourMs);
    for (const owner of [counted.organizationId, wholeInstance]) {
      for (const of of counted.counts) {
        // There may be many applications, so their hours are those that days begin with.
        const at = of.kind === "application" ? hour - (hour % 24) : hour;
        const key = JSON.stringify([owner, at, of.kind, of.subject]);
        const entry = counts.get(key) ?? { owner, hour: at, of, count: 0 };
        entry.count += 1;
        counts.set(key, entry);
      }
      if (counted.userId === undefined) continue;
      const span = Math.floor(hour / spanHours);
      const key = JSON.stringify([owner, span]);
      const entry = sketches.get(key) ?? { owner, span, sketch: new Map() };
      addToSketch(entry.sketch, counted.userId);
      sketches.set(key, entry);
    }
  }
  for (const entry of counts.values()) await addCount(tx, entry);
  for (const entry of sketches.values()) await addActiveUsers(tx, entry);
}
