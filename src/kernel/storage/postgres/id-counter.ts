import type { Clock } from "../../base/clock.ts";
import { type AnyId, idAt, type IdGenerator, toId } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";

/** Ids that follow each other are at most this far apart: about 30 in a millisecond until they run ahead of the clock. */
const maxStep = 2 ** 17;

/** Gives ids of one section. */
export interface IdCounter extends IdGenerator {
  /** Returns the last id that was given. */
  last(): bigint;
}

/**
 * Returns a generator of ids after `lastGiven`, the last id that any process has given: the larger of that and now, plus
 * a random step. So ids are unique among all processes, and do not tell how many there are.
 */
export function createIdCounter(
  lastGiven: bigint,
  { clock, random }: { clock: Clock; random: Random },
): IdCounter {
  let last = lastGiven;
  return {
    last: () => last,
    next<T extends AnyId>(): T {
      const now = idAt(clock.nowMs());
      last = (now > last ? now : last) + BigInt(1 + random.below(maxStep));
      return toId<T>(last.toString());
    },
  };
}
