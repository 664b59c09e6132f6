import type { UserContext } from "../../context.ts";
import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { Problem } from "../../../kernel/base/problem.ts";

/** The greatest age of the login of a user who adds or removes a way to log in. */
const recentMs = 600_000;

/**
 * Refuses users who would add or remove a way to log in for themselves, unless they logged in at most ten minutes ago, with two
 * factors if they have them. Call it for calls about the caller only. A personal access token is enough only where `mayUseToken`
 * says so, and the access token of a program never is, nor one that was exchanged: its holder is not the application that the
 * user logged in to. Raises REAUTHENTICATION_REQUIRED.
 */
export async function requireRecentLogin(
  tx: ReadTransaction,
  { caller }: Pick<Call, "caller">,
  asked: Pick<UserContext, "clock" | "hasTwoFactors"> & { readonly mayUseToken?: boolean },
): Promise<void> {
  const { clock, hasTwoFactors, mayUseToken = false } = asked;
  const { login } = caller;
  if (caller.accessToken === undefined && login === undefined && mayUseToken) return;
  if ((caller.accessToken?.exchanges.length ?? 0) > 0) throw reauthenticationRequired();
  const isRecent = login !== undefined && login.authTimeMs > clock.nowMs() - recentMs;
  if (!isRecent) throw reauthenticationRequired();
  if (!login.isMultiFactor && (await hasTwoFactors(tx, caller))) throw reauthenticationRequired();
}

/** Returns the problem of a user who has not logged in a moment ago, and would add or remove a way to log in. */
function reauthenticationRequired(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "REAUTHENTICATION_REQUIRED",
    message:
      "users change how they log in only within 10 minutes of a login, with two factors if they have them: log in again",
  });
}
