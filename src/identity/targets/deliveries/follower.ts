import type { Database, TableWatch } from "../../../kernel/base/database.ts";
import { processedSequence } from "../../../kernel/events/processed-sequence.ts";
import { listEventHeads } from "../../events/repository.ts";
import { listActiveTargets } from "../target/repository.ts";
import type { KnownTargets } from "./known-targets.ts";

/** Learns which targets there are, and of new events for them. */
export interface TargetFollower {
  /** Looks for both. Returns whether there may be more. Rejects with errors of the storage; the next look begins from the start then. */
  look(): Promise<boolean>;
  /** Says, without a query, whether a commit may concern a target. */
  mayHaveNews(): boolean;
  /** Says, without a query, whether it has looked since the last change of a target, as far as this process knows. */
  isCurrent(): boolean;
}

/** What a follower tells. */
interface News {
  /** These targets are new, or were changed. */
  readonly onTargets: (ids: readonly string[]) => void;
  /** There may be events for these. */
  readonly onEvents: (ids: readonly string[]) => void;
}

const headsAtOnce = 500;

/** Creates a follower that knows no target. It reads each new event once for all targets, and nothing while there are none. */
export function createTargetFollower(
  database: Pick<Database, "read">,
  watch: TableWatch,
  { targets, onTargets, onEvents }: News & { readonly targets: KnownTargets },
): TargetFollower {
  let seen: number | undefined;
  let head: number | undefined;
  const lookForTargets = async (): Promise<void> => {
    const revision = watch.committed();
    if (revision === seen) return;
    const changed = targets.replace(await database.read(listActiveTargets));
    seen = revision;
    if (targets.isEmpty()) head = undefined;
    onTargets(changed);
  };
  const lookForEvents = async (): Promise<boolean> => {
    if (targets.isEmpty()) return false;
    const after = head;
    if (after === undefined) {
      head = await database.read(processedSequence);
      onEvents([...targets.ids()]);
      return false;
    }
    const heads = await database.read((tx) => listEventHeads(tx, after, headsAtOnce));
    head = heads.at(-1)?.sequence ?? after;
    onEvents(targets.wanting(heads));
    return heads.length === headsAtOnce;
  };
  return {
    async look() {
      try {
        await lookForTargets();
        return await lookForEvents();
      } catch (error) {
        [seen, head] = [undefined, undefined];
        throw error;
      }
    },
    mayHaveNews: () => !targets.isEmpty() || watch.committed() !== seen,
    isCurrent: () => watch.committed() === seen,
  };
}
