import type { Database, ReadTransaction } from "../../../kernel/base/database.ts";
import { listProjectsInReach, type ProjectInReach } from "../../../identity/projects/audience-repository.ts";

/** Lists those of the projects that an organization has at this instant; see `listProjectsInReach`. */
export type ListReach = (
  tx: ReadTransaction,
  organizationId: string,
  projectIds: readonly string[],
) => Promise<readonly ProjectInReach[]>;

/** The tables that say which projects an organization owns or is granted, with which roles, and whether they are active. */
const reachTables = [
  "project_grant_roles",
  "stored_organizations",
  "stored_project_grants",
  "stored_projects",
];

/** With the keys of a hundred roles an answer takes a few kilobytes. */
const maxKnown = 1000;

/**
 * Creates a look-up that remembers which projects an organization has, until one of `reachTables` is written to, by whatever
 * process: a program asks for the same projects each time. It is for writes, which see all that was committed before them, and
 * also what the same commit has written so far, of which nothing is remembered. Answers that lack one of the projects are read
 * again each time. Beyond `limit` answers everything is forgotten.
 */
export function createKnownReach(database: Pick<Database, "watch">, limit = maxKnown): ListReach {
  const watch = database.watch(reachTables);
  const known = new Map<string, readonly ProjectInReach[]>();
  let seenAt = watch.written();
  return async (tx, organizationId, projectIds) => {
    if (watch.written() !== seenAt || known.size >= limit) known.clear();
    seenAt = watch.written();
    const key = [organizationId, ...projectIds].join(" ");
    const found = known.get(key);
    if (found !== undefined) return found;
    const projects = await listProjectsInReach(tx, organizationId, projectIds);
    if (projects.length === projectIds.length && watch.committed() === seenAt) known.set(key, projects);
    return projects;
  };
}
