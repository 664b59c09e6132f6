import type { Logger } from "pino";
import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import {
  type AccessToken,
  hashAccessToken,
  newJwtId,
  newOpaqueToken,
} from "../../features/access-tokens/access-token.ts";
import { putAccessToken } from "../../features/access-tokens/repository.ts";
import type { FeatureContext } from "../../features/context.ts";
import { findOrganization } from "../../features/organizations/repository.ts";
import type { OwnTokens } from "../../features/signing-keys/jwt.ts";
import { listRolesInEffect } from "../../features/user-grants/effective-role-repository.ts";
import { findToken, type Token } from "../../features/users/tokens/repository.ts";
import type { AuthenticatedClient } from "../clients/authentication.ts";
import { useAssertion } from "../clients/repository.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { type ToldOfUser, toAccessTokenClaims, toIdTokenClaims } from "./claims.ts";
import { readScopes, type RequestedScopes } from "./scopes.ts";

/** What tokens are made with. */
export interface IssuePorts {
  readonly context: FeatureContext;
  readonly ownTokens: OwnTokens;
  readonly logger: Logger;
  readonly accessTokenSeconds: number;
}

/** The answer of the token endpoint (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  /** Absent when nothing was granted: the grammar has no empty list. */
  readonly scope?: string;
  readonly id_token?: string;
}

const idTokenSeconds = 3600;

/**
 * Makes the tokens of a service user that acts for itself. All that the request changes is one write; in it the user and the
 * credential are judged again. Raises invalid_client for an assertion that was used before, invalid_grant for a user who may not sign
 * in, and invalid_scope.
 */
export async function issueTokens(
  ports: IssuePorts,
  request: OAuthRequest,
  how: { readonly by: AuthenticatedClient; readonly grant: string; readonly mayHaveIdToken: boolean },
): Promise<TokenAnswer> {
  const { by, grant } = how;
  const made = await prepare(ports, request, by);
  const { token, scopes, told } = made;
  const { issuer } = request;
  const algorithm = by.client.signingAlgorithm;
  const accessToken =
    made.opaque?.reveal() ??
    (await ports.ownTokens.sign(toAccessTokenClaims(token, { issuer, jwtId: made.jwtId, told }), {
      typ: "at+jwt",
      algorithm,
    }));
  const idToken =
    how.mayHaveIdToken && scopes.wantsIdToken
      ? await ports.ownTokens.sign(
          toIdTokenClaims(token, { issuer, accessToken, algorithm, told, lifetimeSeconds: idTokenSeconds }),
          { typ: "JWT", algorithm },
        )
      : undefined;
  ports.logger.debug(
    { request_id: request.requestId, user_id: token.userId, credential_id: token.credentialId, grant },
    "access_token.issued",
  );
  return {
    access_token: accessToken,
    token_type: "Bearer",
    expires_in: Math.floor((token.expirationMs - token.issuedMs) / 1000),
    ...(token.scopes.length === 0 ? {} : { scope: token.scopes.join(" ") }),
    ...(idToken === undefined ? {} : { id_token: idToken }),
  };
}

/** Decides what the token is, and stores what has to be stored: an opaque token, and the use of an assertion. */
async function prepare(
  { context, accessTokenSeconds }: IssuePorts,
  request: OAuthRequest,
  by: AuthenticatedClient,
) {
  const { random, clock, database } = context;
  const { client, credential, use } = by;
  const opaque = client.accessTokenType === "BEARER" ? newOpaqueToken(random) : undefined;
  const decide = async (tx: ReadTransaction) => {
    const user = requireMaySignIn(await findToken(tx, credential.id));
    const scopes = readScopes(request.form.get("scope") ?? "", user);
    const token = toAccessToken({ user, scopes, client, nowMs: clock.nowMs(), accessTokenSeconds });
    return { token, scopes, opaque, jwtId: newJwtId(token, random), told: await readTold(tx, token, scopes) };
  };
  if (opaque === undefined && use === undefined) return await database.read(decide);
  const write = async (tx: WriteTransaction) => {
    if (use !== undefined && !(await useAssertion(tx, use)))
      throw new OAuthError("invalid_client", "the assertion was used before");
    const decided = await decide(tx);
    if (opaque !== undefined) await putAccessToken(tx, hashAccessToken(opaque.reveal()), decided.token);
    return decided;
  };
  return await database.write(write, { signal: request.signal });
}

function requireMaySignIn(user: Token | undefined): Token {
  if (user === undefined)
    throw new OAuthError("invalid_client", "the client is unknown, or its credentials are wrong");
  if (user.userState !== "ACTIVE" || user.organizationState !== "ACTIVE")
    throw new OAuthError("invalid_grant", "the user, or their organization, is not active");
  return user;
}

/** A token lives no longer than the credential that it was got with. */
function toAccessToken(from: {
  readonly user: Token;
  readonly scopes: RequestedScopes;
  readonly client: AuthenticatedClient["client"];
  readonly nowMs: number;
  readonly accessTokenSeconds: number;
}): AccessToken {
  const { user, scopes, client, nowMs } = from;
  return {
    userId: user.userId,
    credentialId: user.tokenId,
    clientId: client.id,
    lockCount: user.lockCount,
    scopes: scopes.granted,
    audiences: [client.id, ...scopes.audiences],
    issuedMs: nowMs,
    expirationMs: Math.min(nowMs + from.accessTokenSeconds * 1000, user.expirationMs ?? Infinity),
  };
}

async function readTold(
  tx: ReadTransaction,
  token: AccessToken,
  scopes: RequestedScopes,
): Promise<ToldOfUser> {
  const user = scopes.wantsResourceOwner ? await findToken(tx, token.credentialId) : undefined;
  const owner = user && (await findOrganization(tx, user.organizationId));
  return {
    roles: scopes.wantsProjectRoles ? await listRolesInEffect(tx, token.userId, scopes.projectIds) : [],
    roleKeys: scopes.roleKeys,
    resourceOwner: owner && { id: owner.id, name: owner.name },
  };
}
