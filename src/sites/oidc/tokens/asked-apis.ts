import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { listApiTargets } from "../../../identity/applications/api/target-repository.ts";
import { type OidcClient, ownPlaceOf } from "../clients/client.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { standOf } from "./reach.ts";
import { apiScope, listForeignScopes, parseScopes } from "./scopes.ts";
import { type AskedResources, targetInvalid } from "./asked-resources.ts";
import { listReachedApis, type ReachedApi } from "./reached-apis.ts";

/** What an application asks for of APIs when a user logs in to it. */
export interface AskedApis {
  /** The APIs that it names; none: only those of its own project count. */
  readonly resources: readonly ApplicationId[];
  /** Scopes that these APIs define, and that of our own API if it is named. */
  readonly scopes: readonly string[];
}

/**
 * Finds the APIs that a request for a login names, before it is known who the user is. Without `scope` it asks for the default scopes
 * (RFC 6749 §3.3). Raises invalid_target, also for a scope without `resource` that two APIs of the project define, and invalid_scope.
 */
export async function findAskedApis(
  tx: ReadTransaction,
  client: OidcClient,
  { asked, scope }: { readonly asked: AskedResources; readonly scope: string | undefined },
): Promise<AskedApis> {
  const names = parseScopes(scope ?? "");
  if (!asked.isNamed) {
    const scopes = await listOwnScopes(tx, client, listForeignScopes(names));
    return { resources: [], scopes };
  }
  if (asked.ownApi && !client.settings.apiAccess) throw targetInvalid();
  const apis = await requireApis(tx, client, asked);
  const defined = apis.flatMap(({ scopes }) => scopes);
  const wanted =
    scope === undefined
      ? defined.filter(({ isDefault }) => isDefault).map(({ name }) => name)
      : names.filter((name) => defined.some((each) => each.name === name));
  return {
    resources: apis.map(({ id }) => id),
    scopes: [...new Set([...wanted, ...(asked.ownApi ? [apiScope] : [])])],
  };
}

/** The user may be of another organization than the application: what is granted to that one alone is left out later. */
async function requireApis(
  tx: ReadTransaction,
  client: OidcClient,
  { keys }: AskedResources,
): Promise<readonly ReachedApi[]> {
  if (keys.length === 0) return [];
  const homeId = client.place?.organization.id;
  if (homeId === undefined) throw targetInvalid();
  const apis = await listReachedApis(tx, { keys }, { homeId, stands: [standOf(client, homeId)] });
  if (apis.length < keys.length) throw targetInvalid();
  return apis;
}

async function listOwnScopes(
  tx: ReadTransaction,
  client: OidcClient,
  names: readonly string[],
): Promise<readonly string[]> {
  const place = ownPlaceOf(client);
  if (names.length === 0 || place === undefined) return [];
  const defined = (await listApiTargets(tx, { projectId: place.project.id })).flatMap(({ scopes }) =>
    scopes.map(({ name }) => name),
  );
  return names.filter((name) => {
    const count = defined.filter((each) => each === name).length;
    if (count > 1)
      throw new OAuthError("invalid_target", "several APIs define a scope: name one of them by resource");
    return count === 1;
  });
}
