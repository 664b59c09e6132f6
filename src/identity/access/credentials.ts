import { type Clock, toInstant } from "../../kernel/base/clock.ts";
import type { RolesInForce } from "../held-roles/repository.ts";
import { hasEnded } from "../rights-in-time/period.ts";
import type { Database, TableWatch } from "../../kernel/base/database.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import { findSecret } from "../../kernel/events/secret-store.ts";
import { tokenSecretId } from "../programs/tokens/token.ts";
import { findToken, type Token } from "../programs/tokens/repository.ts";
import { readRolesOfToken } from "../held-roles/carried-roles-repository.ts";

/** What the tables know about a token. Whether the token is in force is checked by `authenticate`. */
export interface Credentials extends RolesInForce {
  readonly token: Token;
  /** As `hashToken` makes it. */
  readonly hash: Uint8Array;
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
 * watches, and each result no longer than until a role of its user begins or ends. So a call whose token was removed a moment ago is refused. Look-ups under way at the same time share one read.
 * Beyond `limit` tokens, counted together with the memberships of their users, everything is forgotten.
 */
export function createCredentials(
  { database, clock }: { readonly database: Pick<Database, "read">; readonly clock: Clock },
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
  const find = (tokenId: TokenId) => {
    const found = known.get(tokenId) ?? lookUp(tokenId, known);
    known.set(tokenId, found);
    return found;
  };
  return async (tokenId) => {
    if (watch.committed() !== accessRevision) forgetAll();
    accessRevision = watch.committed();
    const found = find(tokenId);
    const credentials = await found;
    if (!hasEnded({ endDate: credentials?.heldUntil }, () => toInstant(clock.nowMs()))) return credentials;
    if (known.get(tokenId) === found) known.delete(tokenId);
    return await find(tokenId);
  };
}

function readCredentials(
  database: Pick<Database, "read">,
  tokenId: TokenId,
  accessRevision: number,
): Promise<Credentials | undefined> {
  return database.read(async (tx) => {
    // Together: each would cost a round trip to the database.
    const [token, secret, roles] = await Promise.all([
      findToken(tx, tokenId),
      findSecret(tx, tokenSecretId(tokenId)),
      readRolesOfToken(tx, tokenId),
    ]);
    if (token === undefined || secret === undefined) return undefined;
    return { token, hash: secret.value, ...roles, accessRevision };
  });
}
