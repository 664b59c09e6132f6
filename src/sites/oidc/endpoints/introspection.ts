import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type AccessToken, toActClaim } from "../../../identity/logins/access-tokens/access-token.ts";
import { type LeftOutMappings, noteLeftOut } from "../../../identity/claim-mappings/left-out.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import { findUserById } from "../../../identity/people/user/repository.ts";
import { authenticateClient } from "../clients/authentication.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import type { ApplicationClient, Client } from "../clients/client.ts";
import { refreshIdleMs } from "../codes/code.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { toConfirmationClaim, toScopeClaim, toSeconds, toTokenType } from "../tokens/claims.ts";
import type { IssuePorts } from "../tokens/issue.ts";
import {
  findLiveAccessToken,
  findLiveRefreshToken,
  isForApplication,
  type PresentedToken,
  readPresentedToken,
} from "../tokens/presented-token.ts";
import { readToldClaims } from "../tokens/read-told-claims.ts";
import { readSubject } from "../tokens/subject.ts";
import { readApiRoles } from "../tokens/api-roles.ts";
import { isForApisAlone } from "../tokens/token-apis.ts";
import { readTokenReach, type TokenReach } from "../tokens/token-reach.ts";

interface Question {
  readonly client: ApplicationClient;
  readonly presented: PresentedToken;
  readonly issuer: string;
  readonly nowMs: number;
}

/** The answer for a token that is invalid, or is not for the caller (RFC 7662 §2.2). */
const inactive: Claims = { active: false };

/**
 * Says whether a token is valid at this instant, and for what (RFC 7662). Only applications that authenticate get an answer, and
 * only about tokens for them or their project. Raises invalid_client and invalid_request.
 */
export async function introspectToken(ports: IssuePorts, request: OAuthRequest): Promise<Claims> {
  const { database, clock } = ports.context;
  const { client, credential, use } = await authenticateClient(ports, request);
  // RFC 7662 §2.1: without authentication anybody could test tokens.
  if (credential === undefined) throw new OAuthError("invalid_client", "the client must authenticate");
  const text = requireParameter(request.form, "token");
  const { issuer } = request;
  const presented = await readPresentedToken(ports, { text, issuer });
  const answer = (tx: ReadTransaction) => describe(tx, { client, presented, issuer, nowMs: clock.nowMs() });
  const { claims, leftOut } =
    use === undefined
      ? await database.read(answer)
      : await writeWithUse(database, { uses: toUses(use), request }, answer);
  await noteLeftOut(ports.context, leftOut);
  return claims;
}

/** An answer, and the claims of the application's own for which there was no room in it. */
interface Description {
  readonly claims: Claims;
  readonly leftOut?: LeftOutMappings | undefined;
}

async function describe(
  tx: ReadTransaction,
  question: Omit<Question, "client"> & { readonly client: Client },
): Promise<Description> {
  const { client } = question;
  if (client.kind === "service-user") return { claims: inactive };
  const asked = { ...question, client };
  return question.presented.kind === "refresh"
    ? { claims: await describeRefreshToken(tx, { ...asked, hash: question.presented.hash }) }
    : await describeAccessToken(tx, asked);
}

async function describeAccessToken(
  tx: ReadTransaction,
  { client, presented, issuer, nowMs }: Question,
): Promise<Description> {
  const live = await findLiveAccessToken(tx, presented, { nowMs, issuer }, client);
  if (live === undefined) return { claims: inactive };
  const { token, user, application, jwtId } = live;
  const reach = await readTokenReach(tx, live, { asking: client });
  const { scopes, audiences, consent, apis } = reach;
  if (!isForAsking(reach, { token, client })) return { claims: inactive };
  const { userId } = token;
  const { told, leftOut } = isForApisAlone(token)
    ? await readApiRoles(tx, { userId, apis: apis ?? [], application, consent })
    : await readToldClaims(tx, { place: "introspection", userId, scopes, application, consent });
  const claims = {
    active: true,
    token_type: toTokenType(token),
    iss: issuer,
    sub: await readSubject(tx, application, userId),
    aud: audiences,
    exp: toSeconds(token.expirationMs),
    iat: toSeconds(token.issuedMs),
    nbf: toSeconds(token.issuedMs),
    jti: jwtId,
    client_id: token.clientId,
    ...toScopeClaim(scopes.granted),
    ...toConfirmationClaim(token),
    ...(token.act === undefined ? {} : { act: toActClaim(token.act) }), // RFC 8693 §4.1
    username: user.username,
    ...told,
  };
  return { claims, leftOut };
}

/** A token that was asked for by `resource` is for the APIs that it names, and its client may ask about it, too. */
function isForAsking(
  reach: TokenReach,
  { token, client }: { readonly token: AccessToken; readonly client: ApplicationClient },
): boolean {
  if (!isForApisAlone(token)) return isForApplication(reach, client);
  const isLeft = reach.audiences.length > 0;
  return isLeft && (token.clientId === client.id || reach.apis?.some(({ id }) => id === client.id) === true);
}

/** A refresh token is for its client alone. */
async function describeRefreshToken(
  tx: ReadTransaction,
  { client, issuer, nowMs, hash }: Question & { readonly hash: string },
): Promise<Claims> {
  const live = await findLiveRefreshToken(tx, hash, nowMs);
  if (live?.authorization.applicationId !== client.id) return inactive;
  const { stored, authorization } = live;
  return {
    active: true,
    iss: issuer,
    sub: await readSubject(tx, client.kind === "oidc" ? client : undefined, authorization.userId),
    aud: client.id,
    exp: toSeconds(Math.min(stored.idleExpirationMs, stored.expirationMs)),
    iat: toSeconds(stored.idleExpirationMs - refreshIdleMs),
    client_id: client.id,
    ...toScopeClaim(authorization.scopes),
    username: (await findUserById(tx, authorization.userId))?.username,
  };
}
