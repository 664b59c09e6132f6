import type { Database, ReadTransaction, TableWatch } from "../base/database.ts";
import type { HeldRoles } from "../base/permission.ts";
import {
  formOf,
  fromClaims,
  hashAccessToken,
  type StoredAccessToken,
} from "../features/access-tokens/access-token.ts";
import { findAccessToken, isRevoked } from "../features/access-tokens/repository.ts";
import { listCarriedRoles } from "../features/held-roles/carried-roles-repository.ts";
import type { OwnTokens } from "../features/signing-keys/jwt.ts";
import { findToken, type Token } from "../features/users/tokens/repository.ts";

/** What is known of an access token of OAuth. Whether it is in force, and for us, is checked by `authenticate`. */
export interface AccessTokenCredentials {
  readonly accessToken: StoredAccessToken;
  /** The key or secret that it was got with, and the states around it. */
  readonly token: Token;
  /** All roles that the key or secret carries. */
  readonly held: readonly HeldRoles[];
  /** The number of the watch of `accessTables` before the look-up. */
  readonly accessRevision: number;
}

/** Looks up an access token; undefined for any other text, and for one that was revoked or rests on nothing any more. */
export type FindAccessToken = (text: string) => Promise<AccessTokenCredentials | undefined>;

/** What recognises access tokens that are not stored. */
export interface JwtAccess {
  readonly ownTokens: Pick<OwnTokens, "verify">;
  /** Returns the issuer of our tokens; undefined when there is none, and then no token is ours. */
  readonly issuer: () => string | undefined;
}

/** Creates the look-up of access tokens. */
export function createAccessTokens(
  database: Pick<Database, "read">,
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
    const accessRevision = watch.committed();
    const jwt = form === "jwt" ? await findJwt(text) : undefined;
    if (form === "jwt" && jwt === undefined) return undefined;
    return await database.read(async (tx) => {
      const accessToken = jwt ?? (await findAccessToken(tx, hashAccessToken(text)));
      if (accessToken === undefined || (await isRevoked(tx, accessToken.hash))) return undefined;
      return await withToken(tx, { accessToken, accessRevision });
    });
  };
}

async function withToken(
  tx: ReadTransaction,
  found: Pick<AccessTokenCredentials, "accessToken" | "accessRevision">,
): Promise<AccessTokenCredentials | undefined> {
  const token = await findToken(tx, found.accessToken.credentialId);
  if (token === undefined || token.userId !== found.accessToken.userId) return undefined;
  return { ...found, token, held: await listCarriedRoles(tx, token) };
}
