import type { Database, ReadTransaction } from "../../../kernel/base/database.ts";
import {
  type ApiTarget,
  type AskedTargets,
  listApiTargets,
} from "../../../identity/applications/api/target-repository.ts";
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
 * Creates look-ups that remember which projects an organization has, and which APIs are named, until one of their tables is written to,
 * by whatever process: a program asks for the same each time. They are for writes, which see all that was committed before them, and
 * also what the same commit has written so far, of which nothing is remembered. Answers that lack one of the projects or APIs are read
 * again each time. Beyond `limit` answers everything is forgotten.
 */
export function createKnownReach(database: Pick<Database, "watch">, limit = maxKnown): KnownReach {
  const projects = createMemory<ProjectInReach>(database.watch(reachTables), limit);
  const apis = createMemory<ApiTarget>(database.watch(targetTables), limit);
  return {
    list: (tx, organizationId, projectIds) =>
      projects([organizationId, ...projectIds].join(" "), projectIds.length, () =>
        listProjectsInReach(tx, organizationId, projectIds),
      ),
    targets: (tx, asked) =>
      "keys" in asked
        ? apis(asked.keys.join(" "), asked.keys.length, () => listApiTargets(tx, asked))
        : listApiTargets(tx, asked),
  };
}

/** Creates a memory of answers that are complete with `count` items. */
function createMemory<T>(watch: ReturnType<Database["watch"]>, limit: number) {
  const known = new Map<string, readonly T[]>();
  let seenAt = watch.written();
  return async (key: string, count: number, read: () => Promise<readonly T[]>): Promise<readonly T[]> => {
    if (watch.written() !== seenAt || known.size >= limit) known.clear();
    seenAt = watch.written();
    const found = known.get(key);
    if (found !== undefined) return found;
    const items = await read();
    if (items.length === count && watch.committed() === seenAt) known.set(key, items);
    return items;
  };
}
