import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { OrganizationId, SessionId, UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { LoginPolicy } from "../../../identity/policies/login-policy.ts";
import { findLiveSession, putSessionValue } from "../../../identity/logins/sessions/repository.ts";
import { type NewCheck, startSession, terminateSession } from "../../../identity/logins/sessions/session.ts";
import { newSessionCookie, readSessionCookie } from "../cookies/session-cookies.ts";
import type { StandaloneVisit } from "../standalone-page.ts";

/** A session that begins on a page without interaction. */
export interface BegunSession {
  readonly events: readonly NewEvent[];
  /** The header of its cookie. */
  readonly cookie: string;
}

/** Begins the session of a user who has just proved who they are. A session that the browser had before ends. */
export async function beginStandaloneSession(
  tx: WriteTransaction,
  { exchange, issuer, ports }: StandaloneVisit,
  login: {
    readonly userId: UserId;
    readonly organizationId: OrganizationId;
    readonly checks: readonly NewCheck[];
  },
  /** By which the user logs in. */
  policy: Pick<LoginPolicy, "sessionIdleSeconds" | "sessionLifetimeSeconds">,
): Promise<BegunSession> {
  const nowMs = ports.context.clock.nowMs();
  const hash = readSessionCookie(exchange, issuer);
  const before = hash === undefined ? undefined : await findLiveSession(tx, hash, nowMs);
  const id = tx.nextId<SessionId>();
  const expirationMs = nowMs + policy.sessionLifetimeSeconds * 1000;
  const { remoteAddress } = exchange;
  const events = startSession({
    id,
    ...login,
    userAgent: exchange.header("user-agent"),
    remoteAddress,
    expirationMs,
  });
  const ended = before === undefined ? [] : [terminateSession(before.session, "replaced")];
  const value = newSessionCookie(ports.context.random, { issuer, restMs: expirationMs - nowMs });
  const idleMs = policy.sessionIdleSeconds * 1000;
  await putSessionValue(tx, { sessionId: id, hash: value.hash, nowMs, idleMs });
  return { events: [...events, ...ended], cookie: value.header };
}
