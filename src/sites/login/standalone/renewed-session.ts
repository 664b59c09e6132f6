import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { readPolicyOfUser } from "../../../identity/policies/repository.ts";
import { putSessionValue } from "../../../identity/logins/sessions/repository.ts";
import type { LiveSession } from "../../../identity/logins/sessions/session.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { newSessionCookie } from "../cookies/session-cookies.ts";

/**
 * Gives the browser a new value for its session, because the user has proved something more: a value that it had before is invalid.
 * Returns the header of the cookie.
 */
export async function renewSessionValue(
  tx: WriteTransaction,
  { random, clock }: Pick<FeatureContext, "random" | "clock">,
  { session, user, issuer }: Pick<LiveSession, "session" | "user"> & { readonly issuer: string },
): Promise<string> {
  const nowMs = clock.nowMs();
  const value = newSessionCookie(random, { issuer, restMs: session.expirationMs - nowMs });
  const of = { userId: user.id, organizationId: user.organizationId };
  const { sessionIdleSeconds } = await readPolicyOfUser(tx, of);
  await putSessionValue(tx, {
    sessionId: session.id,
    hash: value.hash,
    nowMs,
    idleMs: sessionIdleSeconds * 1000,
  });
  return value.header;
}
