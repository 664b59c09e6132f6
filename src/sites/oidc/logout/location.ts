import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { isPostLogoutRedirectUriRegistered } from "../../../identity/applications/oidc/redirect-uri.ts";
import { type ClientLookup, findApplicationClient } from "../clients/repository.ts";
import { toRedirect } from "../requests/redirect.ts";
import type { LogoutTarget } from "./logout-request.ts";

/** Finds where a browser may be sent after a logout: to a URI that is registered at this moment for an application that is active. */
export async function findLogoutLocation(
  tx: ReadTransaction,
  { clientId, uri, state }: LogoutTarget,
  lookup: ClientLookup,
): Promise<string | undefined> {
  const client = await findApplicationClient(tx, clientId, lookup);
  if (client?.kind !== "oidc" || !client.isActive) return undefined;
  return isPostLogoutRedirectUriRegistered(client.settings, uri) ? toRedirect(uri, { state }) : undefined;
}
