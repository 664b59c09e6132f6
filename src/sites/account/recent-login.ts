import type { UserContext } from "../../identity/context.ts";
import { Problem } from "../../kernel/base/problem.ts";
import { createTwoFactorCheck } from "../../identity/user-service/logins.ts";
import { requireRecentLogin } from "../../identity/logins/recent-logins/recent-login.ts";
import { recentLoginMs } from "../login/session-use.ts";
import type { AccountVisit } from "./account-page.ts";

/**
 * Whether the session is good enough to add or remove a way to log in: `too-old`, a new login makes it so; `too-weak`, it is recent,
 * but the user has a second factor that was not asked for, and a new login might not ask for it either.
 */
export type RecentLogin = "good" | "too-old" | "too-weak";

/** Checks that by the rule of the calls, which check it again in their write. */
export async function checkRecentLogin(visit: AccountVisit): Promise<RecentLogin> {
  const { ports, call, session } = visit;
  try {
    await ports.context.database.read((tx) => requireRecentLogin(tx, call, recentLoginOf(visit)));
    return "good";
  } catch (error) {
    if (!(error instanceof Problem) || error.reason !== "REAUTHENTICATION_REQUIRED") throw error;
    return session.authTimeMs > ports.context.clock.nowMs() - recentLoginMs ? "too-weak" : "too-old";
  }
}

/** What the rule looks at: the time, and the relying party id of these pages. */
export function recentLoginOf({
  ports,
  issuer,
}: Pick<AccountVisit, "ports" | "issuer">): Pick<UserContext, "clock" | "hasTwoFactors"> {
  const hasTwoFactors = createTwoFactorCheck(() => ports.factors.domainOf(issuer));
  return { clock: ports.context.clock, hasTwoFactors };
}
