import type { Database } from "../../base/database.ts";
import type { TokenId } from "../../base/ids.ts";
import type { HeldRoles } from "../../base/permission.ts";
import { findSecret } from "../../events/secret-store.ts";
import { tokenSecretId } from "../users/token.ts";
import { findToken, type Token } from "../users/token-repository.ts";
import { listHeldRoles } from "./repository.ts";

/** What the tables know of a token: enough to judge who presents it. Whether it is in force is for the caller to see. */
export interface Credentials {
  readonly token: Token;
  /** As `hashToken` makes it. */
  readonly hash: Uint8Array;
  /** Everything that the user of the token holds. */
  readonly held: readonly HeldRoles[];
}

/** Returns what is known of the token; undefined when there is none of that id. */
export type FindCredentials = (tokenId: TokenId) => Promise<Credentials | undefined>;

/** Some tens of megabytes at the most. */
const maxRemembered = 100_000;

/**
 * Returns a look-up that remembers until the next commit, whatever was committed: so it says what the tables say, and a call
 * whose token was removed a moment ago is refused. This process is the only one that writes. Look-ups under way at the same
 * time share one read. Past `limit` tokens, and memberships of their users, it begins anew.
 */
export function createCredentials(
  database: Pick<Database, "read" | "onCommit">,
  limit: number = maxRemembered,
): FindCredentials {
  let known = new Map<TokenId, Promise<Credentials | undefined>>();
  let remembered = 0;
  const forgetAll = () => {
    known = new Map();
    remembered = 0;
  };
  database.onCommit(forgetAll);
  const lookUp = async (tokenId: TokenId, among: typeof known) => {
    let credentials: Credentials | undefined;
    try {
      credentials = await readCredentials(database, tokenId);
    } finally {
      if (credentials === undefined) among.delete(tokenId);
    }
    remembered += 1 + (credentials?.held.length ?? 0);
    if (remembered > limit) forgetAll();
    return credentials;
  };
  return (tokenId) => {
    const found = known.get(tokenId) ?? lookUp(tokenId, known);
    known.set(tokenId, found);
    return found;
  };
}

function readCredentials(
  database: Pick<Database, "read">,
  tokenId: TokenId,
): Promise<Credentials | undefined> {
  return database.read(async (tx) => {
    const token = await findToken(tx, tokenId);
    const secret = await findSecret(tx, tokenSecretId(tokenId));
    if (token === undefined || secret === undefined) return undefined;
    return { token, hash: secret.value, held: await listHeldRoles(tx, token.userId) };
  });
}
