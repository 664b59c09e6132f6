import { randomBytes } from "node:crypto";
import {
  type ApplicationId,
  type AuthorizationId,
  type OrganizationId,
  type SessionId,
  toId,
  type UserId,
} from "../../src/kernel/base/ids.ts";
import {
  type AccessToken,
  apiAudience,
  hashAccessToken,
  newOpaqueToken,
} from "../../src/identity/logins/access-tokens/access-token.ts";
import { putAccessToken } from "../../src/identity/logins/access-tokens/repository.ts";
import {
  type Authorization,
  grantAuthorization,
} from "../../src/identity/logins/authorizations/authorization.ts";
import { putAuthorization } from "../../src/identity/logins/authorizations/repository.ts";
import type { FeatureContext } from "../../src/identity/context.ts";
import { putSessionValue } from "../../src/identity/logins/sessions/repository.ts";
import { type SessionMethod, startSession } from "../../src/identity/logins/sessions/session.ts";

/** A user at a browser, and what the login is to be like. */
export interface LoginAt {
  readonly userId: string;
  /** The application that is let in. */
  readonly applicationId: string;
  readonly methods?: readonly SessionMethod[];
  readonly hasRefresh?: boolean;
  /** Whom the access token is for besides the application. Default: our own API. */
  readonly audiences?: readonly string[];
}

/** What has come of a login. */
export interface MadeLogin {
  readonly sessionId: SessionId;
  /** The hash of the value that the browser of the session has. */
  readonly valueHash: string;
  readonly authorizationId: AuthorizationId;
  /** An opaque access token. */
  readonly token: string;
}

const hourMs = 3_600_000;

/** Records what a login at the pages of the service leaves: a session, an authorization, and an access token that is an hour old at the end. */
export async function logIn(
  { database, log, clock, random }: FeatureContext,
  at: LoginAt,
): Promise<MadeLogin> {
  const nowMs = clock.nowMs();
  const { methods = ["PASSWORD"], hasRefresh = false, audiences = [apiAudience] } = at;
  const [userId, applicationId] = [toId<UserId>(at.userId), toId<ApplicationId>(at.applicationId)];
  const token = newOpaqueToken(random).reveal();
  const valueHash = randomBytes(32).toString("base64url");
  return await database.write(async (tx) => {
    const [sessionId, authorizationId] = [tx.nextId<SessionId>(), tx.nextId<AuthorizationId>()];
    const user = await tx.get<{ resource_owner: OrganizationId; lock_count: number }>(
      "SELECT resource_owner, lock_count FROM users WHERE id = ?",
      [userId],
    );
    if (user === undefined) throw new Error(`there is no user ${userId}`);
    const { resource_owner: organizationId, lock_count: lockCount } = user;
    const origin = { editor: userId, remoteAddress: "192.0.2.7", requestId: "login" };
    const authorization: Authorization = {
      id: authorizationId,
      userId,
      applicationId,
      organizationId,
      sessionId,
      scopes: ["openid"],
      resources: [],
      // As if a page had asked: users may log in to an application of another organization.
      consent: {
        kind: "confirmation",
        gift: { claims: ["identity"], audiences, metadata: [], apiScopes: [], offlineAccess: hasRefresh },
      },
      claims: undefined,
      sealedNonce: undefined,
      authTimeMs: nowMs,
      methods,
      lockCount,
      generation: 0,
      hasRefresh,
      creationMs: nowMs,
      expirationMs: nowMs + 24 * hourMs,
      isEnded: false,
    };
    const accessToken: AccessToken = {
      userId,
      basis: { kind: "authorization", authorizationId, generation: 0 },
      clientId: applicationId,
      exchanges: [],
      act: undefined,
      lockCount,
      scopes: ["openid"],
      audiences: [applicationId, ...audiences],
      jkt: undefined,
      issuedMs: nowMs,
      expirationMs: nowMs + hourMs,
    };
    await putAuthorization(tx, authorization);
    await log.append(tx, origin, [
      ...startSession({
        id: sessionId,
        userId,
        organizationId,
        applicationId,
        checks: methods.map((method) => ({ method })),
        userAgent: "Browser/1",
        remoteAddress: origin.remoteAddress,
        expirationMs: nowMs + 10 * hourMs,
      }),
      grantAuthorization(authorization, false),
    ]);
    await putSessionValue(tx, { sessionId, hash: valueHash, nowMs, idleMs: hourMs });
    await putAccessToken(tx, hashAccessToken(token), accessToken);
    return { sessionId, valueHash, authorizationId, token };
  });
}
