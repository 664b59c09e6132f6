import type { Call, Caller } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { ownAccess } from "../../identity/access/authorization.ts";
import type { FeatureContext } from "../../identity/context.ts";
import { readRolesInForce } from "../../identity/held-roles/repository.ts";
import { findLiveSession } from "../../identity/logins/sessions/repository.ts";
import { isMultiFactor, type LiveSession } from "../../identity/logins/sessions/session.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";

/** The session has ended, or has another value, since its request came. Nothing was done. */
export class SessionEnded extends Error {
  constructor() {
    super("the session has ended");
    this.name = "SessionEnded";
  }
}

/**
 * Makes the call of a user whose browser has a session: about the user alone, whatever roles the user holds. The write that changes
 * something looks at the session again, and throws `SessionEnded` if it does not hold any more.
 */
export async function toSessionCall(
  tx: ReadTransaction,
  { clock }: Pick<FeatureContext, "clock">,
  from: {
    readonly exchange: Exchange;
    readonly session: LiveSession;
    /** Of the value that the browser has sent. */
    readonly hash: string;
  },
): Promise<Call> {
  const { exchange, session, hash } = from;
  const { held } = await readRolesInForce(tx, session.user.id);
  const caller = toCaller(session, held);
  const gone = new AbortController();
  exchange.answering.once("close", () => gone.abort());
  return {
    requestId: exchange.requestId,
    remoteAddress: exchange.remoteAddress,
    caller,
    access: ownAccess(caller),
    deadlineMs: undefined,
    signal: gone.signal,
    async confirm(now) {
      const found = await findLiveSession(now, hash, clock.nowMs());
      if (found?.session.id !== session.session.id) throw new SessionEnded();
      return (await readRolesInForce(now, found.user.id)).held;
    },
  };
}

/** A session carries all roles of its user, as an access token of a login does. */
function toCaller({ session, user, authTimeMs, methods }: LiveSession, held: Caller["held"]): Caller {
  return {
    userId: user.id,
    organizationId: user.organizationId,
    tokenId: undefined,
    tokenExpirationMs: undefined,
    login: { sessionId: session.id, authTimeMs, methods, isMultiFactor: isMultiFactor(methods) },
    isLimited: false,
    held,
  };
}
