import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import { OAuthError } from "../requests/oauth-error.ts";

/** Says whether users of the organization that a scope names may log in; true for a request that names none. */
export async function isOrganizationActive(tx: ReadTransaction, id: string | undefined): Promise<boolean> {
  return id === undefined || (await findOrganization(tx, id))?.state === "ACTIVE";
}

/** Raises invalid_scope for an organization that is unknown or not active: to drop the scope would let everybody in. */
export async function requireActiveOrganization(tx: ReadTransaction, id: string | undefined): Promise<void> {
  if (!(await isOrganizationActive(tx, id)))
    throw new OAuthError("invalid_scope", "scope names an organization that is not active");
}
