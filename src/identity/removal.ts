import type { Call } from "../kernel/base/call.ts";
import { changedDetails, type Details } from "../kernel/base/details.ts";
import type { NewEvent } from "../kernel/events/event.ts";
import type { TakenObjects } from "../kernel/events/taken-along.ts";
import {
  type CommandTransaction,
  type Decide,
  type FeatureContext,
  requireTarget,
  write,
} from "./context.ts";

/** What a removal answers. */
export interface Removal {
  readonly details: Details;
  /** What went along, by type. */
  readonly removed: readonly TakenObjects[];
}

/**
 * Removes one object: loads it, compares it with the version that the call expects, decides, counts the objects that are removed
 * with it, and records the events. No events mean that there was nothing to remove. Raises what `write` and `requireTarget` raise.
 */
export function remove<T extends { readonly details: Details }>(
  context: FeatureContext,
  call: Call,
  {
    load,
    decide,
    end,
  }: {
    readonly load: (command: CommandTransaction) => Promise<T>;
    /** Decides on the events that remove the object. Must not change anything that callers could list. */
    readonly decide: Decide<T>;
    /** What must end with the object and does not follow from its events: changes it, and returns further events. */
    readonly end?: Decide<T>;
  },
): Promise<Removal> {
  return write(context, call, async (command) => {
    const object = requireTarget(command.call, await load(command));
    const removals = await decide(object, command);
    if (removals.length === 0) return { details: object.details, removed: [] };
    const { date, removed } = await recordRemovals(context, command, {
      removals,
      end: async () => (await end?.(object, command)) ?? [],
    });
    return { details: changedDetails(object.details, date), removed };
  });
}

/**
 * Records the events of a removal and counts the objects that are removed with it, as `remove` does. Returns the instant of the
 * events, too.
 */
export async function recordRemovals(
  { log, clock }: Pick<FeatureContext, "log" | "clock">,
  { tx, append }: Pick<CommandTransaction, "tx" | "append">,
  {
    removals,
    end = async () => [],
  }: {
    readonly removals: readonly NewEvent[];
    readonly end?: () => Promise<readonly NewEvent[]>;
  },
): Promise<{ readonly date: number; readonly removed: readonly TakenObjects[] }> {
  const begun = await log.taken.begin(tx, removals, clock.nowMs());
  const date = await append([...removals, ...(await end())]);
  return { date, removed: await begun.end(tx) };
}
