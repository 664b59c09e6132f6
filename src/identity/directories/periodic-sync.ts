import type { Leadership } from "../../kernel/base/leadership.ts";
import { createPeriodicWork, type PeriodicWork } from "../periodic-work.ts";
import { listActiveDirectories } from "../providers/repository.ts";
import type { DirectoryProvider } from "./check-password.ts";
import { syncDirectory, type SyncPorts, type SyncResult } from "./sync.ts";

/** What a service syncs directories with. */
export interface PeriodicSyncSetup {
  readonly ports: SyncPorts;
  readonly leadership: Leadership;
  readonly everyMs: number;
  onDone(provider: DirectoryProvider, result: SyncResult): void;
  /** `provider` is undefined if the directories could not be listed. */
  onError(error: unknown, provider: DirectoryProvider | undefined): void;
}

/**
 * Creates the work that syncs all active directories, one after the other, at the start and then again and again. Only the leader does it. A
 * stop ends the sync under way between two portions, or where it waits for a directory.
 */
export function createPeriodicSync({
  ports,
  leadership,
  everyMs,
  onDone,
  onError,
}: PeriodicSyncSetup): Pick<PeriodicWork, "start" | "stop"> {
  const ending = new AbortController();
  const { signal } = ending;
  const syncAll = async (): Promise<void> => {
    for (const provider of await ports.database.read(listActiveDirectories)) {
      if (signal.aborted) return;
      try {
        onDone(provider, await syncDirectory(ports, provider, { isForced: false, isDryRun: false, signal }));
      } catch (error) {
        if (!signal.aborted) onError(error, provider);
      }
    }
  };
  const rounds = createPeriodicWork({
    everyMs,
    work: [syncAll],
    leadership,
    onError: (error) => onError(error, undefined),
  });
  return {
    start: rounds.start,
    async stop() {
      ending.abort();
      await rounds.stop();
    },
  };
}
