import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { SessionId, UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { listActiveSessions } from "../sessions/repository.ts";
import { isByProviderAlone, terminateSession } from "../sessions/session.ts";
import {
  endAuthorizationsByProvider,
  endAuthorizationsOfUser,
  endRefreshTokensOfUser,
} from "./repository.ts";

/**
 * Ends what the user has logged in to, because the password is another one: all sessions but the named one, and all refresh tokens,
 * including those of the named session. Append the events that it returns.
 */
export async function endLogins(
  tx: WriteTransaction,
  userId: UserId,
  { exceptSessionId }: { readonly exceptSessionId?: SessionId | undefined } = {},
): Promise<readonly NewEvent[]> {
  await endAuthorizationsOfUser(tx, userId, { exceptSessionId });
  await endRefreshTokensOfUser(tx, userId);
  const sessions = await listActiveSessions(tx, userId);
  return sessions
    .filter(({ id }) => id !== exceptSessionId)
    .map((session) => terminateSession(session, "password_set"));
}

/**
 * Ends what the user has logged in to at an identity provider alone, with no password or passkey of ours: the sessions, and their
 * refresh tokens. Append the events that it returns.
 */
export async function endProviderLogins(tx: WriteTransaction, userId: UserId): Promise<readonly NewEvent[]> {
  await endAuthorizationsByProvider(tx, userId);
  const sessions = await listActiveSessions(tx, userId);
  return sessions
    .filter(({ checks }) => isByProviderAlone(checks.map(({ method }) => method)))
    .map((session) => terminateSession(session, "password_set"));
}
