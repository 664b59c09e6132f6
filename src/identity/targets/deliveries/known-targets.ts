import type { EventHead } from "../../events/event.ts";
import type { ActiveTarget } from "../target/repository.ts";
import { typesOf } from "../target/target.ts";

/** The targets that events go to, as a process knows them. */
export interface KnownTargets {
  isEmpty(): boolean;
  has(id: string): boolean;
  ids(): Iterable<string>;
  /** Replaces all of them, and returns those that are new or were changed. */
  replace(active: readonly ActiveTarget[]): readonly string[];
  /** Lists those that want one of the events. */
  wanting(heads: readonly EventHead[]): readonly string[];
}

interface KnownTarget {
  readonly id: string;
  readonly owner: string;
  readonly types: ReadonlySet<string>;
  readonly sequence: number;
}

/** Creates the table, which is empty. */
export function createKnownTargets(instanceId: string): KnownTargets {
  let known: ReadonlyMap<string, KnownTarget> = new Map();
  return {
    isEmpty: () => known.size === 0,
    has: (id) => known.has(id),
    ids: () => known.keys(),
    replace(active) {
      const before = known;
      known = new Map(active.map((target) => [target.id, toKnownTarget(target, before.get(target.id))]));
      return [...known.values()].filter((target) => before.get(target.id) !== target).map(({ id }) => id);
    },
    wanting(heads) {
      if (heads.length === 0) return [];
      const byOwner = Map.groupBy(heads, (head) => head.resource_owner);
      const wants = ({ owner, types }: KnownTarget) =>
        (owner === instanceId ? heads : (byOwner.get(owner) ?? [])).some(({ type }) => types.has(type));
      return [...known.values()].filter(wants).map(({ id }) => id);
    },
  };
}

function toKnownTarget(
  { id, owner, eventTypes, sequence }: ActiveTarget,
  former: KnownTarget | undefined,
): KnownTarget {
  if (former?.sequence === sequence) return former;
  return { id, owner, sequence, types: new Set<string>(typesOf(eventTypes)) };
}
