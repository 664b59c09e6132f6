import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { LiveSession } from "../../identity/logins/sessions/session.ts";
import { listQuestionedWays } from "../../identity/factors/reviews/repository.ts";
import type { LoginRequest } from "./login-request.ts";

/**
 * Says whether what was proved in a session counts for a request, and the user has no ways to log in to decide about: that takes
 * a new login, because it changes by what the user logs in.
 */
export async function doesSessionCount(
  tx: ReadTransaction,
  session: Pick<LiveSession, "user" | "authTimeMs">,
  asked: { readonly request: LoginRequest; readonly nowMs: number },
): Promise<boolean> {
  if (!maySessionCount(session, asked.request, asked.nowMs)) return false;
  return (await listQuestionedWays(tx, session.user.id)).length === 0;
}

/**
 * Says whether what was proved in a session counts for a request (OpenID Connect Core §3.1.2.1): it is of the user who is asked for,
 * and the application does not ask for a new login. The organization of the user is checked with every state of a login.
 */
export function maySessionCount(
  { user, authTimeMs }: Pick<LiveSession, "user" | "authTimeMs">,
  request: LoginRequest,
  nowMs: number,
): boolean {
  const { prompts, subject, maxAgeSeconds } = request;
  // No login is fresh enough for zero seconds, also not one of this millisecond.
  if (prompts.includes("login") || prompts.includes("create") || maxAgeSeconds === 0) return false;
  if (subject !== undefined && subject !== user.id) return false;
  return maxAgeSeconds === undefined || nowMs - authTimeMs <= maxAgeSeconds * 1000;
}

/** For so long after a login a factor may be added (REAUTHENTICATION_REQUIRED says the same to calls). */
export const recentLoginMs = 600_000;
