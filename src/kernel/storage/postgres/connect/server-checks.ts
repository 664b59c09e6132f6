import { maxClockSkewMs } from "../../../base/clock.ts";
import { ServerRefusedError, ServerUnfitError } from "./errors.ts";
import type { ServerFacts } from "./server-facts.ts";

/** What is demanded of a server. */
export interface ServerDemands {
  /** Allows settings with which a crash of the server may lose or damage data. */
  readonly isDev: boolean;
  /** Demands that each commit waits for a standby. */
  readonly isSynchronousRequired: boolean;
}

/** How `--require-synchronous` is set: `auto` is yes if the URL names more than one host. */
export type SynchronousOption = "auto" | "yes" | "no";

const notedSkewMs = 1000;

const oldestVersion = 15;
const encoding = "UTF8";

/** Returns whether commits must wait for a standby. */
export function isSynchronousRequired(option: SynchronousOption, hosts: readonly unknown[]): boolean {
  return option === "auto" ? hosts.length > 1 : option === "yes";
}

/**
 * Throws ServerUnfitError for a server that is not the primary, or whose commits wait for no standby though they must,
 * and ServerRefusedError for one that cannot hold the data safely.
 */
export function requireFitServer(facts: ServerFacts, demands: ServerDemands): void {
  if (facts.version < oldestVersion * 10_000) {
    const version = `${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`;
    throw new ServerRefusedError(`PostgreSQL ${version} is too old; ${oldestVersion} or newer is required`);
  }
  if (facts.isInRecovery) throw new ServerUnfitError("it is a standby");
  if (facts.isReadOnly) throw new ServerUnfitError("it accepts no changes (transaction_read_only)");
  if (facts.encoding !== encoding) {
    throw new ServerRefusedError(
      `the encoding of the database is ${facts.encoding}; make one with ENCODING '${encoding}'`,
    );
  }
  if (!demands.isDev && !facts.fsync) throw riskyError("fsync");
  if (!demands.isDev && !facts.fullPageWrites) throw riskyError("full_page_writes");
  if (demands.isSynchronousRequired) {
    requireSynchronousNames(facts.synchronousStandbyNames);
    if (["off", "local"].includes(facts.synchronousCommit)) {
      throw new ServerUnfitError(`synchronous_commit is ${facts.synchronousCommit}; it must be on`);
    }
  }
}

/** Throws ServerUnfitError if commits wait for no standby. */
export function requireSynchronousNames(names: string): void {
  if (names.trim() === "") {
    throw new ServerUnfitError(
      "its commits wait for no standby (synchronous_standby_names is empty); --require-synchronous=no allows that",
    );
  }
}

/** How the clock of a server differs from ours: positive when it is ahead. */
export interface ClockSkew {
  readonly skewMs: number;
  readonly isNoteworthy: boolean;
  readonly isExcessive: boolean;
}

/** Compares the clock of the server with ours, which was read before and after the question. */
export function skewOf(serverMs: number, beforeMs: number, afterMs: number): ClockSkew {
  const skewMs = serverMs < beforeMs ? serverMs - beforeMs : Math.max(0, serverMs - afterMs);
  const size = Math.abs(skewMs);
  return { skewMs, isNoteworthy: size > notedSkewMs, isExcessive: size > maxClockSkewMs };
}

function riskyError(setting: string): ServerRefusedError {
  return new ServerRefusedError(
    `${setting} is off: a crash of the server may damage the data; only --dev allows it`,
  );
}
