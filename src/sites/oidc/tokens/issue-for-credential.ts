import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { AccessToken } from "../../../identity/logins/access-tokens/access-token.ts";
import { findToken, type Token } from "../../../identity/programs/tokens/repository.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import type { AuthenticatedServiceUser } from "../clients/authentication.ts";
import type { ServiceUserClient } from "../clients/client.ts";
import { readProof } from "../dpop/request-proof.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { readAskedResources } from "./asked-resources.ts";
import { type ApiTokenParts, readApiToken } from "./token-apis.ts";
import {
  drawAccessToken,
  endWith,
  type GivenTokens,
  type IssuePorts,
  nothingTold,
  signTokens,
  storeAccessToken,
  type TokenAnswer,
} from "./issue.ts";
import { type KnownReach, readReachableScopes } from "./known-reach.ts";
import { standOf } from "./reach.ts";
import { parseScopes } from "./scopes.ts";
import { readToldClaims } from "./read-told-claims.ts";

/**
 * Makes the tokens of a service user that acts for itself. All that the request changes is one write; in it the user and the
 * credential are checked again. Raises invalid_client for an assertion that was used before, invalid_dpop_proof, invalid_grant for a
 * user who may not sign in, invalid_scope and invalid_target.
 */
export async function issueForCredential(
  ports: IssuePorts,
  request: OAuthRequest,
  how: { readonly by: AuthenticatedServiceUser; readonly grant: string },
): Promise<TokenAnswer> {
  const { issuer, requestId } = request;
  const given = await prepare(ports, request, how);
  const algorithm = how.by.client.signingAlgorithm;
  return await signTokens(ports, given, { issuer, algorithm, grant: how.grant, requestId });
}

/** Decides what the tokens are, and stores what has to be stored: an opaque token, and the use of an assertion. */
async function prepare(
  { context, knownReach, accessTokenSeconds }: IssuePorts,
  request: OAuthRequest,
  { by }: { readonly by: AuthenticatedServiceUser },
): Promise<GivenTokens> {
  const { random, clock, database } = context;
  const { client, credential, use } = by;
  const resources = readAskedResources(request.lists.get("resource"), request.issuer);
  const proof = await readProof(context, request, by.client);
  const uses = toUses(use, proof?.use);
  const decide = async (tx: ReadTransaction, known?: KnownReach): Promise<GivenTokens> => {
    const user = requireMaySignIn(await findToken(tx, credential.id));
    const text = request.form.get("scope");
    const homeId = user.organizationId;
    const scopes = await (known?.scopes ?? readReachableScopes)(tx, text ?? "", homeId);
    const parts = resources.isNamed
      ? await readApiToken(tx, resources, {
          userId: user.userId,
          reach: { homeId, stands: [standOf(undefined, homeId)], ...known },
          names: text === undefined ? undefined : parseScopes(text),
          granted: undefined,
          confirmed: undefined,
        })
      : {
          scopes: scopes.granted,
          audiences: [client.id, ...scopes.audiences],
          endDate: scopes.endDate,
        };
    const about = { userId: user.userId, scopes, application: undefined, consent: undefined };
    const { told, endDate } = resources.isNamed
      ? nothingTold
      : await readToldClaims(tx, { ...about, place: "access-token" });
    const asWished = toAccessToken({
      user,
      parts,
      client,
      jkt: proof?.jkt,
      nowMs: clock.nowMs(),
      accessTokenSeconds,
    });
    const token = client.accessTokenType === "JWT" ? endWith(asWished, [parts.endDate, endDate]) : asWished;
    return {
      token,
      subject: user.userId,
      ...drawAccessToken(token, client.accessTokenType, random),
      told,
      idToken: scopes.wantsIdToken
        ? { ...(await readToldClaims(tx, { ...about, place: "id-token" })), login: undefined }
        : undefined,
      refreshToken: undefined,
    };
  };
  if (client.accessTokenType === "JWT" && uses.length === 0) return await database.read((tx) => decide(tx));
  return await writeWithUse(database, { uses, request }, async (tx) => {
    const decided = await decide(tx, knownReach);
    await storeAccessToken(tx, decided);
    return decided;
  });
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
  readonly parts: Pick<ApiTokenParts, "scopes" | "audiences">;
  readonly client: ServiceUserClient;
  readonly jkt: string | undefined;
  readonly nowMs: number;
  readonly accessTokenSeconds: number;
}): AccessToken {
  const { user, parts, client, jkt, nowMs } = from;
  return {
    userId: user.userId,
    basis: { kind: "credential", credentialId: user.tokenId },
    clientId: client.id,
    exchanges: [],
    act: undefined,
    lockCount: user.lockCount,
    scopes: parts.scopes,
    audiences: parts.audiences,
    jkt,
    issuedMs: nowMs,
    expirationMs: Math.min(nowMs + from.accessTokenSeconds * 1000, user.expirationMs ?? Infinity),
  };
}
