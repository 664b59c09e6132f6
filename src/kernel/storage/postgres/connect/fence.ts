import { ServerRefusedError, ServerUnfitError } from "./errors.ts";
import { requireSynchronousNames } from "./server-checks.ts";
import type { ClusterFacts } from "./server-facts.ts";

/** The row that the columns `sectionFacts` return. */
export interface SectionFacts {
  readonly timeline: number;
  readonly synchronous_standby_names: string;
}

/**
 * Keeps the process from writing to an old primary. A process that has seen a timeline never writes to an earlier one:
 * what it has acknowledged there is missing here. A process that has just started has seen none.
 */
export interface Fence {
  /** Call it for a new connection. Throws ServerUnfitError for an earlier timeline, ServerRefusedError for another cluster. */
  admit(cluster: ClusterFacts): void;
  /**
   * Call it at the beginning of each section. Throws ServerUnfitError for an earlier timeline, and where commits must
   * wait for a standby and do not: then nothing may be written, and the connection is to be left.
   */
  require(facts: SectionFacts): void;
  /** Returns the newest timeline that was seen; 0 before the first connection. */
  timeline(): number;
}

/** Creates a fence that has seen nothing yet. */
export function createFence(options: { readonly isSynchronousRequired: boolean }): Fence {
  let systemIdentifier: string | undefined;
  let newest = 0;
  const see = (timeline: number) => {
    if (timeline < newest) {
      throw new ServerUnfitError(
        `it is an old primary: its timeline is ${timeline}, that of the primary ${newest}`,
      );
    }
    newest = timeline;
  };
  return {
    admit(cluster) {
      if (systemIdentifier !== undefined && cluster.systemIdentifier !== systemIdentifier) {
        throw new ServerRefusedError(
          "it belongs to another cluster than before; restart this process to use it",
        );
      }
      see(cluster.timeline);
      systemIdentifier = cluster.systemIdentifier;
    },
    require(facts) {
      see(facts.timeline);
      if (options.isSynchronousRequired) requireSynchronousNames(facts.synchronous_standby_names);
    },
    timeline: () => newest,
  };
}
