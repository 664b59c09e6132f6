import type { Database, TableWatch } from "../base/database.ts";
import type { TokenId } from "../base/ids.ts";
import type { HeldRoles } from "../base/permission.ts";
import { findSecret } from "../events/secret-store.ts";
import { tokenSecretId } from "../features/users/tokens/token.ts";
import { findToken, type Token } from "../features/users/tokens/repository.ts";
import { listCarriedRoles } from "../features/held-roles/carried-roles-repository.ts";

/**
 * The stored data of a token: enough to identify its user. The function that uses it must check whether it is still
 * valid.
 */
export interface Credentials {
  readonly token: Token;
  /** As `hashToken` makes it. */
  readonly hash: Uint8Array;
  /** All roles that the token carries. */
  readonly held: readonly HeldRoles[];
  /** Revision of `accessTables` when this was looked up. */
  readonly accessRevision: number;
}

/** The tables that decide whom a token belongs to and what that user may do. */
export const accessTables: readonly string[] = [
  "left_out_roles",
  "personal_access_tokens",
  "project_grant_roles",
  "secrets",
  "stored_memberships",
  "stored_organizations",
  "stored_project_grants",
  "stored_projects",
  "stored_users",
];

/** Returns the stored data of the token; undefined when no token has the id. */
export type FindCredentials = (tokenId: TokenId) => Promise<Credentials | undefined>;

/** At most a few dozen megabytes. */
const maxRemembered = 100_000;

/**
 * Creates a look-up that remembers its results until the next commit that writes to one of these tables. So its
 * results are always current, and a call is refused at once after its token was removed. Concurrent look-ups share
 * one read. It starts afresh beyond `limit` tokens and memberships of their users. `watch` must watch `accessTables`.
 */
export function createCredentials(
  database: Pick<Database, "read">,
  watch: TableWatch,
  limit: number = maxRemembered,
): FindCredentials {
  let known = new Map<TokenId, Promise<Credentials | undefined>>();
  let accessRevision = watch.committed();
  let remembered = 0;
  const forgetAll = () => {
    known = new Map();
    remembered = 0;
  };
  const lookUp = async (tokenId: TokenId, among: typeof known) => {
    let credentials: Credentials | undefined;
    try {
      credentials = await readCredentials(database, tokenId, accessRevision);
    } finally {
      if (credentials === undefined) among.delete(tokenId);
    }
    remembered += 1 + (credentials?.held.length ?? 0);
    if (remembered > limit) forgetAll();
    return credentials;
  };
  return (tokenId) => {
    if (watch.committed() !== accessRevision) forgetAll();
    accessRevision = watch.committed();
    const found = known.get(tokenId) ?? lookUp(tokenId, known);
    known.set(tokenId, found);
    return found;
  };
}

function readCredentials(
  database: Pick<Database, "read">,
  tokenId: TokenId,
  accessRevision: number,
): Promise<Credentials | undefined> {
  return database.read(async (tx) => {
    const token = await findToken(tx, tokenId);
    const secret = await findSecret(tx, tokenSecretId(tokenId));
    if (token === undefined || secret === undefined) return undefined;
    return { token, hash: secret.value, held: await listCarriedRoles(tx, token), accessRevision };
  });
}
