import type { Database, TableWatch } from "../../kernel/base/database.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import type { HeldRoles } from "../../kernel/base/permission.ts";
import { findSecret } from "../../kernel/events/secret-store.ts";
import { tokenSecretId } from "../programs/tokens/token.ts";
import { findToken, type Token } from "../programs/tokens/repository.ts";
import { listRolesOfToken } from "../held-roles/carried-roles-repository.ts";

/** What the tables know about a token. Whether the token is in force is checked by `authenticate`. */
export interface Credentials {
  readonly token: Token;
  /** As `hashToken` makes it. */
  readonly hash: Uint8Array;
  /** All roles that the token carries. */
  readonly held: readonly HeldRoles[];
  /** The number of the watch of `accessTables` at the time of the look-up. */
  readonly accessRevision: number;
}

/** The tables that decide which caller a token stands for and what that caller may do. */
export const accessTables: readonly string[] = [
  "credentials",
  "group_members",
  "left_out_roles",
  "nested_groups",
  "project_grant_roles",
  "revoked_access_tokens",
  "secrets",
  "stored_memberships",
  "stored_organizations",
  "stored_project_grants",
  "stored_projects",
  "stored_users",
];

/** Looks up a token by its id; undefined when there is none. */
export type FindCredentials = (tokenId: TokenId) => Promise<Credentials | undefined>;

/** At most a few dozen megabytes. */
const maxRemembered = 100_000;

/**
 * Creates a look-up that remembers its results until the next commit that writes to one of `accessTables`, which `watch`
 * watches. So a call whose token was removed a moment ago is refused. Look-ups under way at the same time share one read.
 * Beyond `limit` tokens, counted together with the memberships of their users, everything is forgotten.
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
    // Together: each would cost a round trip to the database.
    const [token, secret, held] = await Promise.all([
      findToken(tx, tokenId),
      findSecret(tx, tokenSecretId(tokenId)),
      listRolesOfToken(tx, tokenId),
    ]);
    if (token === undefined || secret === undefined) return undefined;
    return { token, hash: secret.value, held, accessRevision };
  });
}
