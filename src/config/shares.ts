import { availableParallelism } from "node:os";
import { ConfigError } from "./config-error.ts";
import type { LimitOptions } from "./limits.ts";

const maxWorkers = 64;

/** Reads the number of processes that serve. Throws ConfigError. */
export function parseWorkers(text: string): number {
  const count = text === "auto" ? Math.min(availableParallelism(), maxWorkers) : Number(text);
  if (/^(?:\d{1,2}|auto)$/.test(text) && count >= 1 && count <= maxWorkers) return count;
  throw new ConfigError(`--workers must be a number from 1 to ${maxWorkers}, or auto`);
}

/** What each process has a part of. */
interface Shared {
  readonly workers: number;
  readonly limits: LimitOptions;
}

/** Returns the limits of one process: its part of those that are for all callers together. */
export function shareLimits({ workers, limits }: Shared): LimitOptions {
  const partOf = (whole: number) => Math.ceil(whole / workers);
  return {
    ...limits,
    maxConnections: partOf(limits.maxConnections),
    maxCalls: partOf(limits.maxCalls),
    maxBufferedBytes: Math.max(limits.maxMessageBytes, partOf(limits.maxBufferedBytes)),
    maxWatches: partOf(limits.maxWatches),
    maxWatchesPerOrganization: partOf(limits.maxWatchesPerOrganization),
  };
}

/** With one process, it has so many connections to a database for reads. */
const readConnections = 8;

/** Returns the number of connections of one process for reads. */
export function shareConnections({ workers }: Pick<Shared, "workers">): number {
  return Math.max(2, Math.ceil(readConnections / workers));
}
