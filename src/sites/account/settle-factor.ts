import { write } from "../../identity/context.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { addSessionChecks, type NewCheck } from "../../identity/logins/sessions/session.ts";
import type { LoggingIn } from "../../identity/factors/second-factors/login-commands.ts";
import { recentLoginOf } from "./recent-login.ts";
import { requireRecentLogin } from "../../identity/logins/recent-logins/recent-login.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import { redirectTo } from "../login/layout.ts";
import { renewSessionValue } from "../login/standalone/renewed-session.ts";
import type { AccountVisit, Fault } from "./account-page.ts";
import { accountPath } from "../login/standalone/account-path.ts";
import type { DoneName, PlaceName } from "./texts/texts.ts";
import { tryChange } from "./try-change.ts";

/** Names the session to what registers second factors and passkeys, as a login is named there. */
export function toFactorSession({ issuer, session, user }: AccountVisit): LoggingIn {
  const loginId = `session ${session.session.id}`;
  return { issuer, loginId, userId: user.user.id, methods: session.methods };
}

/** What was proved when it was registered: a second factor or a passkey. */
interface NewFactor {
  readonly settle: (
    tx: WriteTransaction,
  ) => Promise<{ readonly check: NewCheck; readonly events: readonly NewEvent[] }>;
}

/**
 * Adds a second factor or a passkey that was proved. It counts for the session, whose value changes. `next`: the place that the
 * browser goes to, and what it says there. Returns a fault if the proof is of no use any more.
 */
export async function settleNewFactor(
  visit: AccountVisit,
  proved: NewFactor,
  next: { readonly place: PlaceName; readonly done: DoneName } = { place: "factors", done: "factor-added" },
): Promise<{ readonly reply: Reply } | { readonly fault: Fault }> {
  const { ports, call, issuer, session } = visit;
  const { context } = ports;
  let cookie = "";
  const fault = await tryChange(visit, async () => {
    cookie = await write(context, call, async ({ tx, append }) => {
      await requireRecentLogin(tx, call, recentLoginOf(visit));
      const { check, events } = await proved.settle(tx);
      await append([...events, ...addSessionChecks(session.session, [check])]);
      return await renewSessionValue(tx, context, { ...session, issuer });
    });
  });
  if (fault !== undefined) return { fault };
  return { reply: redirectTo(`${issuer}${accountPath}/${next.place}?done=${next.done}`, [cookie]) };
}
