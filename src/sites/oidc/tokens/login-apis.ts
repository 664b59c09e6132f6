import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { LoginRequest } from "../../login/login-request.ts";
import type { ClientStand } from "./reach.ts";
import { listForeignScopes } from "./scopes.ts";
import { type AllowedApi, listAllowedScopes, listReachedApis } from "./reached-apis.ts";

/** What a login would give of APIs: those that are named, or those of the client's project that define a scope. */
export async function listLoginApis(
  tx: ReadTransaction,
  { resources = [], scopes }: Pick<LoginRequest, "resources" | "scopes">,
  {
    userId,
    homeId,
    stand,
  }: { readonly userId: string; readonly homeId: string; readonly stand: ClientStand },
): Promise<readonly AllowedApi[]> {
  const names = listForeignScopes(scopes);
  const isNamed = resources.length > 0;
  const { projectId } = stand;
  if (!isNamed && (names.length === 0 || projectId === undefined)) return [];
  const asked = isNamed ? { ids: resources } : { projectId: projectId ?? "" };
  const apis = await listReachedApis(tx, asked, { homeId, stands: [stand] });
  const allowed = await listAllowedScopes(tx, apis, { userId, names });
  return isNamed ? allowed : allowed.filter((each) => each.names.size > 0);
}
