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

/** As many callers at a time are known without a look into the tables. */
const maxKnown = 10_000;

/**
 * Returns a look-up that remembers until the next commit, whatever was committed: so it says what the tables say, and a call
 * whose token was removed a moment ago is refused. This process is the only one that writes. Look-ups under way at the same
 * time share one read.
 */
export function createCredentials(database: Database): FindCredentials {
  const known = new Map<TokenId, Promise<Credentials | undefined>>();
  database.onCommit(() => known.clear());
  return (tokenId) => {
    const remembered = known.get(tokenId);
    if (remembered !== undefined) return remembered;
    const found = readCredentials(database, tokenId);
    if (known.size >= maxKnown) known.clear();
    known.set(tokenId, found);
    const forget = () => void (known.get(tokenId) === found && known.delete(tokenId));
    found.then((credentials) => credentials ?? forget(), forget);
    return found;
  };
}

function readCredentials(database: Database, tokenId: TokenId): Promise<Credentials | undefined> {
  return database.read(async (tx) => {
    const token = await findToken(tx, tokenId);
    const secret = await findSecret(tx, tokenSecretId(tokenId));
    if (token === undefined || secret === undefined) return undefined;
    return { token, hash: secret.value, held: await listHeldRoles(tx, token.userId) };
  });
}
