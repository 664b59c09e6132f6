import type { Database, ReadTransaction } from "../../../kernel/base/database.ts";
import { type ApiTarget, listApiTargets } from "../../../identity/applications/api/target-repository.ts";
import { earliest, type Instant } from "../../../kernel/base/clock.ts";
import { hasEnded } from "../../../identity/rights-in-time/period.ts";
import { listProjectsInReach, type ProjectInReach } from "../../../identity/projects/audience-repository.ts";
import { limitScopes, type ListReach, type ListTargets, standOf } from "./reach.ts";
import { readScopes, type RequestedScopes } from "./scopes.ts";

/** Reads the scopes of a service user; see `readReachableScopes`. */
export type ReadReachable = (
  tx: ReadTransaction,
  text: string,
  organizationId: string,
) => Promise<RequestedScopes>;

/** What was read before, for writes. */
export interface KnownReach {
  readonly scopes: ReadReachable;
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
/** A longer question is not remembered. */
const maxLength = 2000;

/**
 * Creates look-ups that remember which projects an organization has, what scopes come to by that, and which APIs are named, until a
 * project grant among them ends or one of their tables is written to, by whatever process: a program asks for the same each time. They
 * are for writes, which see all that was committed before them, and also what the same commit has written so far, of which nothing is
 * remembered. Answers that lack one of the projects or APIs are read again each time. Beyond `limit` answers everything is forgotten.
 */
export function createKnownReach(database: Pick<Database, "watch">, limit = maxKnown): KnownReach {
  const scopes = createMemory<RequestedScopes>(database.watch(reachTables), limit);
  const projects = createMemory<readonly ProjectInReach[]>(database.watch(reachTables), limit);
  const apis = createMemory<readonly ApiTarget[]>(database.watch(targetTables), limit);
  return {
    scopes: (tx, text, organizationId) =>
      scopes(tx, `${organizationId} ${text}`, async () => {
        const { scopes: value, isLess } = await readScopesInReach(tx, text, organizationId);
        return { value, endDate: value.endDate, isWhole: !isLess };
      }),
    list: (tx, organizationId, projectIds) =>
      projects(tx, [organizationId, ...projectIds].join(" "), async () => {
        const value = await listProjectsInReach(tx, organizationId, projectIds);
        const endDate = earliest(value.map((project) => project.endDate));
        return { value, endDate, isWhole: value.length === projectIds.length };
      }),
    targets: (tx, asked) =>
      "keys" in asked
        ? apis(tx, asked.keys.join(" "), async () => {
            const value = await listApiTargets(tx, asked);
            return { value, endDate: undefined, isWhole: value.length === asked.keys.length };
          })
        : listApiTargets(tx, asked),
  };
}

/** Reads the scopes of a service user, without the projects that its organization does not have. Raises what `readScopes` raises. */
export const readReachableScopes: ReadReachable = async (tx, text, organizationId) =>
  (await readScopesInReach(tx, text, organizationId)).scopes;

async function readScopesInReach(tx: ReadTransaction, text: string, organizationId: string) {
  const asked = readScopes(text, { organizationId });
  const stand = standOf(undefined, organizationId);
  const { scopes } = await limitScopes(tx, asked, { homeId: organizationId, stand });
  return { scopes, isLess: scopes.projectIds.length < asked.projectIds.length };
}

interface Answer<T> {
  readonly value: T;
  /** When it is no longer true, without a write; undefined: never. */
  readonly endDate: Instant | undefined;
  /** Whether it has all that was asked for. */
  readonly isWhole: boolean;
}

/** Creates a memory of whole answers. */
function createMemory<T>(watch: ReturnType<Database["watch"]>, limit: number) {
  const known = new Map<string, Answer<T>>();
  let seenAt = watch.written();
  return async (tx: ReadTransaction, key: string, read: () => Promise<Answer<T>>): Promise<T> => {
    const written = watch.written();
    if (written !== seenAt || known.size >= limit) known.clear();
    seenAt = written;
    const found = known.get(key);
    if (found !== undefined && !hasEnded(found, () => tx.now())) return found.value;
    const answer = await read();
    if (answer.isWhole && key.length <= maxLength && watch.committed() === seenAt) known.set(key, answer);
    return answer.value;
  };
}
