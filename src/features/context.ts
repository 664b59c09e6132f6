import { type Call, originOf } from "../base/call.ts";
import type { Clock } from "../base/clock.ts";
import type { Database, ReadTransaction, WriteTransaction } from "../base/database.ts";
import type { IdGenerator } from "../base/ids.ts";
import type { Keyring } from "../base/keyring.ts";
import type { Random } from "../base/random.ts";
import type { NewEvent } from "../events/event.ts";
import type { EventLog } from "../events/event-log.ts";

/** What the commands of every feature work with; built once, in `installation.ts`. */
export interface FeatureContext {
  readonly database: Database;
  readonly log: EventLog;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly random: Random;
  readonly keyring: Keyring;
}

/** What a command does inside of its write. */
export interface CommandTransaction {
  /** The call with what the caller holds at this moment. */
  readonly call: Call;
  readonly tx: WriteTransaction;
  /** Records the events of the command, at most once, and returns its instant (microseconds since 1970). */
  readonly append: (events: readonly NewEvent[]) => Promise<number>;
}

/**
 * Runs a command atomically within the deadline of its call, after the caller and his permission were judged again. Nothing stays if it throws; if it returns a Problem, its
 * changes stay and the Problem is thrown.
 */
export function write<T>(
  context: FeatureContext,
  call: Call,
  fn: (command: CommandTransaction) => Promise<T>,
): Promise<Exclude<T, Error>> {
  return context.database.write(
    async (tx) => {
      const held = (await call.confirm?.(tx)) ?? call.caller.held;
      return await fn({
        tx,
        call: { ...call, caller: { ...call.caller, held } },
        append: (events) => context.log.append(tx, originOf(call), events),
      });
    },
    { deadlineMs: call.deadlineMs, signal: call.signal },
  );
}

/** Reads the sequence up to which every table is true: that of the last event. */
export async function processedSequence(tx: ReadTransaction): Promise<number> {
  const row = await tx.get<{ last: number }>("SELECT COALESCE(MAX(sequence), 0) AS last FROM events");
  return row?.last ?? 0;
}
