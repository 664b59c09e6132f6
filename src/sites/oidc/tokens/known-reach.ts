import type { Database, ReadTransaction } from "../../../kernel/base/database.ts";
import {
  type ApiTarget,
  type AskedTargets,
  listApiTargets,
} from "../../../identity/applications/api/target-repository.ts";
import type { Instant } from "../../../kernel/base/clock.ts";
import { hasEnded } from "../../../identity/rights-in-time/period.ts";
import { listProjectsInReach, type ProjectInReach } from "../../../identity/projects/audience-repository.ts";

/** Lists those of the projects that an organization has at this instant; see `listProjectsInReach`. */
export type ListReach = (
  tx: ReadTransaction,
  organizationId: string,
  projectIds: readonly string[],
) => Promise<readonly ProjectInReach[]>;

/** Lists APIs; see `listApiTargets`. */
export type ListTargets = (tx: ReadTransaction, asked: AskedTargets) => Promise<readonly ApiTarget[]>;

/** What was read before, for writes. */
export interface KnownReach {
  readonly list: ListReach;
  readonly targets: ListTargets;
}

/** The tables that say which projects an organization owns or is granted, with which roles, and whether they are active. */
const reachTables = [
  "project_grant_roles",
  "stored_organizations",
  "stored_project_grants",
  "stored_projects",
];
/** The tables that say what an API is. */
const targetTables = ["stored_applications", "stored_organizations", "stored_projects"];

/** With the keys of a hundred roles an answer takes a few kilobytes. */
const maxKnown = 1000;

/**
/**
 * Creates look-ups that remember which projects an organization has, and which APIs are named, until a project grant among them ends or
 * one of their tables is written to, by whatever process: a program asks for the same each time. They are for writes, which see all that
 * was committed before them, and also what the same commit has written so far, of which nothing is remembered. Answers that lack one of
 * the projects or APIs are read again each time. Beyond `limit` answers everything is forgotten.
 */
export function createKnownReach(database: Pick<Database, "watch">, limit = maxKnown): KnownReach {
  const projects = createMemory<ProjectInReach>(database.watch(reachTables), limit, ({ endDate }) => endDate);
  const apis = createMemory<ApiTarget>(database.watch(targetTables), limit, () => undefined);
  return {
    list: (tx, organizationId, projectIds) =>
      projects(tx, [organizationId, ...projectIds].join(" "), {
        count: projectIds.length,
        read: () => listProjectsInReach(tx, organizationId, projectIds),
      }),
    targets: (tx, asked) =>
      "keys" in asked
        ? apis(tx, asked.keys.join(" "), { count: asked.keys.length, read: () => listApiTargets(tx, asked) })
        : listApiTargets(tx, asked),
  };
}

/** Creates a memory of answers that are complete with `count` items, until one of these ends. */
function createMemory<T>(
  watch: ReturnType<Database["watch"]>,
  limit: number,
  endOf: (item: T) => Instant | undefined,
) {
  const known = new Map<string, readonly T[]>();
  let seenAt = watch.written();
  return async (
    tx: ReadTransaction,
    key: string,
    { count, read }: { readonly count: number; readonly read: () => Promise<readonly T[]> },
  ): Promise<readonly T[]> => {
    if (watch.written() !== seenAt || known.size >= limit) known.clear();
    seenAt = watch.written();
    const found = known.get(key);
    if (found?.every((item) => !hasEnded({ endDate: endOf(item) }, tx.now())) === true) return found;
    const items = await read();
    if (items.length === count && watch.committed() === seenAt) known.set(key, items);
    return items;
  };
}
