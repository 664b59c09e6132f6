import type { Clock } from "../../kernel/base/clock.ts";
import type { Database, ReadTransaction, ScratchDatabase } from "../../kernel/base/database.ts";
import type { EventLog } from "../../kernel/events/event-log.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import { createFairQueue } from "../events/fair-queue.ts";
import { type AsOf, beforeFirstEvent, instantOf, maxEvents, requirePast } from "./as-of.ts";
import { gatherEvents, type Selection } from "./gather.ts";
import { findLastSequence } from "./repository.ts";

/** The tables as they were at a moment, as far as they are about one user. */
export interface Past {
  /**
   * Reads tables that hold what the selection rests on, as it was then, and are empty otherwise. `sequence` is that of the last event
   * until then. Each read of the log lasts a few milliseconds, and other calls have their turns between them. Raises FIELD_INVALID for a
   * moment in the future or before the first event, and PAST_TOO_LONG.
   */
  read<T>(
    asked: { readonly asOf: AsOf; readonly selection: Selection },
    fn: (tx: ReadTransaction, sequence: number) => Promise<T>,
  ): Promise<T>;
}

/** Returns the past of a service. Throws where there is none, as in commands of the command line. */
export function pastOf({ past }: { readonly past?: Past | undefined }): Past {
  if (past === undefined) throw new Error("nothing of the past can be read here");
  return past;
}

/** So many events are applied before others have a turn. */
const atOnce = 50;

/** Creates the past of a service. Answers are made one after the other. */
export function createPast({
  database,
  clock,
  log,
  scratch,
  limit = maxEvents,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly scratch: ScratchDatabase;
  /** As `maxEvents`, for tests. */
  readonly limit?: number;
}): Past {
  const queue = createFairQueue();
  return {
    async read({ asOf, selection }, fn) {
      const lastSequence = await database.read(processedSequence);
      requirePast(asOf, { ms: clock.nowMs(), lastSequence });
      const upTo = await database.read((tx) => findLastSequence(tx, asOf.micros));
      if (upTo === undefined) throw beforeFirstEvent(asOf);
      const ports = {
        read: <T>(read: (tx: ReadTransaction) => Promise<T>) => queue.run(() => database.read(read)),
        decode: log.decode,
        limit,
      };
      const events = await gatherEvents(ports, selection, upTo);
      return await scratch.use(instantOf(asOf), async (tx) => {
        for (let start = 0; start < events.length; start += atOnce) {
          await queue.run(async () => {
            for (const event of events.slice(start, start + atOnce)) await log.replay(tx, event);
          });
        }
        return await fn(tx, upTo);
      });
    },
  };
}
