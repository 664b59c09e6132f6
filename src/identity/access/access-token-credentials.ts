import type { Clock } from "../../kernel/base/clock.ts";
import type { Database, ReadTransaction, TableWatch } from "../../kernel/base/database.ts";
import {
  formOf,
  fromClaims,
  hashAccessToken,
  type StoredAccessToken,
} from "../logins/access-tokens/access-token.ts";
import { readCarriedRoles } from "../held-roles/carried-roles-repository.ts";
import { readRolesInForce, type RolesInForce } from "../held-roles/repository.ts";
import type { OwnTokens } from "../signing-keys/jwt.ts";
import { findAccessTokenInForce } from "../tokens-in-force/repository.ts";
import type { BasisInForce, TokenInForce } from "../tokens-in-force/token-in-force.ts";

/** An access token of OAuth that is in force. Whether it is for us is checked by `authenticate`. */
export interface AccessTokenCredentials extends TokenInForce, RolesInForce {
  /**
   * The number of the watch of `accessTables` before the look-up; undefined for a token that rests on more: of a login, or of an
   * exchange.
   */
  readonly accessRevision: number | undefined;
}

/** Looks up an access token; undefined for any other text, and for one that is not in force. */
export type FindAccessToken = (text: string) => Promise<AccessTokenCredentials | undefined>;

/** What recognises access tokens that are not stored. */
export interface JwtAccess {
  readonly ownTokens: Pick<OwnTokens, "verify">;
  /** Returns the issuer of our tokens; undefined when there is none, and then no token is ours. */
  readonly issuer: () => string | undefined;
}

/** Creates the look-up of access tokens. */
export function createAccessTokens(
  { database, clock }: { readonly database: Pick<Database, "read">; readonly clock: Clock },
  watch: TableWatch,
  { ownTokens, issuer: findIssuer }: JwtAccess,
): FindAccessToken {
  const findJwt = async (text: string): Promise<StoredAccessToken | undefined> => {
    const issuer = findIssuer();
    const claims = issuer === undefined ? undefined : await ownTokens.verify(text, { typ: "at+jwt", issuer });
    return claims && fromClaims(claims);
  };
  return async (text) => {
    const form = formOf(text);
    if (form === undefined) return undefined;
    const revision = watch.committed();
    const presented = form === "jwt" ? await findJwt(text) : { hash: hashAccessToken(text) };
    if (presented === undefined) return undefined;
    return await database.read(async (tx) => {
      const found = await findAccessTokenInForce(tx, presented, clock.nowMs());
      if (found === undefined) return undefined;
      const restsOnMore = found.authorization !== undefined || found.token.exchanges.length > 0;
      const accessRevision = restsOnMore ? undefined : revision;
      return { ...found, ...(await readRolesOf(tx, found)), accessRevision };
    });
  };
}

/** Reads what an access token carries: what its key or secret carries, or all roles of the user of the login. */
export async function readRolesOf(
  tx: ReadTransaction,
  { user, credential }: BasisInForce,
): Promise<RolesInForce> {
  return credential === undefined
    ? await readRolesInForce(tx, user.id)
    : await readCarriedRoles(tx, credential);
}
