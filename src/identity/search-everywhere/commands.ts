import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type PermissionScopes, scopesWithPermission } from "../../kernel/base/permission.ts";
import { searchedApplications } from "../applications/search-repository.ts";
import type { FeatureContext } from "../context.ts";
import { searchedGroups } from "../groups/search-repository.ts";
import { searchedOrganizations } from "../organizations/search-repository.ts";
import { searchedUsers } from "../people/user/search-repository.ts";
import { searchedProjects } from "../projects/search-repository.ts";
import { find, findAmong, leadSearch } from "../search/find.ts";
import type { Searched } from "../search/searched.ts";
import { type FoundObject, type HitKind, hitPermissions, isWithin, sortHits } from "./found-object.ts";
import { listHits } from "./repository.ts";

/** What is looked for. */
export interface SearchQuery {
  readonly search: string;
  /** Hits of each kind; 0: 8. */
  readonly limit: number;
}

/** Finds objects of all kinds. */
export interface SearchCommands {
  /** Finds organizations, then projects, applications, users and groups, of those that the caller may read. */
  search(call: Call, query: SearchQuery): Promise<readonly FoundObject[]>;
}

const searched: Readonly<Record<HitKind, Searched>> = {
  ORGANIZATION: searchedOrganizations,
  PROJECT: searchedProjects,
  APPLICATION: searchedApplications,
  USER: searchedUsers,
  GROUP: searchedGroups,
};

const kinds = Object.keys(hitPermissions) as readonly HitKind[]; // it has no other keys
const defaultLimit = 8;
/** So many objects of each scope are compared by their names. */
const compared = 64;

/** Creates the commands of a search in everything. */
export function createSearchCommands(context: Pick<FeatureContext, "database">): SearchCommands {
  return {
    search: (call, { search: text, limit }) =>
      context.database.read(async (tx) => {
        const { held } = call.caller;
        const named = scopesWithPermission(held, "organization.read");
        const hits: FoundObject[] = [];
        for (const kind of kinds) {
          const scopes = scopesWithPermission(held, hitPermissions[kind]);
          const found = await findInScopes(tx, kind, { text, scopes });
          hits.push(...sortHits(found, text).slice(0, limit === 0 ? defaultLimit : limit));
        }
        return hits.map((hit) => withoutSecretName(hit, named));
      }),
  };
}

async function findInScopes(
  tx: ReadTransaction,
  kind: HitKind,
  { text, scopes }: { readonly text: string; readonly scopes: PermissionScopes },
): Promise<readonly FoundObject[]> {
  const known = new Map<string, FoundObject>();
  const keep = async (ids: readonly string[]) => {
    const hits = (await listHits(tx, kind, ids)).filter((hit) => isWithin(scopes, hit));
    for (const hit of hits) known.set(hit.id, hit);
    return new Set(hits.map(({ id }) => id));
  };
  const findOf = async (ownerId: string | undefined) => {
    const led = await leadSearch(tx, searched[kind].toSearch(text, ownerId));
    const { hits } = await find(tx, led, { limit: compared, keep });
    return hits.map(({ id }) => id);
  };
  const amongIds = async (ids: readonly string[]) =>
    [...(await keep(await findAmong(tx, searched[kind].toSearch(text, undefined), ids)))].slice(0, compared);
  const { isInstance, organizations, projects } = scopes;
  const ids: string[] = [];
  if (isInstance) ids.push(...(await findOf(undefined)));
  else if (kind === "ORGANIZATION") ids.push(...(await amongIds(organizations)));
  else for (const id of organizations) ids.push(...(await findOf(id)));
  if (kind === "PROJECT") ids.push(...(await amongIds(projects)));
  if (kind === "APPLICATION") for (const id of projects) ids.push(...(await findOf(id)));
  return ids.flatMap((id) => known.get(id) ?? []);
}

/** Leaves out the name of an organization that the caller may not read. */
function withoutSecretName(hit: FoundObject, scopes: PermissionScopes): FoundObject {
  const { organizationId } = hit;
  return isWithin(scopes, { organizationId, projectId: "" }) ? hit : { ...hit, organizationName: "" };
}
