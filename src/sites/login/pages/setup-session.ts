import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import { findLiveSession } from "../../../identity/logins/sessions/repository.ts";
import { addSessionChecks, type LiveSession } from "../../../identity/logins/sessions/session.ts";
import type { LoggingIn, ProvedFactor } from "../../../identity/factors/second-factors/login-commands.ts";
import { hasReadyFactor } from "../../../identity/factors/second-factors/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { redirectTo } from "../layout.ts";
import { readSessionCookie } from "../cookies/session-cookies.ts";
import { renewSessionValue } from "../standalone/renewed-session.ts";
import type { StandaloneVisit } from "../standalone-page.ts";
import { recentLoginMs } from "../session-use.ts";

/** The cookie of the pages of the first administrator, to which their forms are bound. */
export const setupCookieName = "gh_setup";
/** Where the first administrator is offered a security key. */
export const factorPath = "/login/setup/factor";
/** Where the first administrator is offered an authenticator app. */
export const totpPath = "/login/setup/totp";
/** Where all is done. */
export const endPath = "/login/setup/done";

/** Finds the session of the first administrator after the sign-up, while there is no second factor; undefined if there is none. */
export async function findFreshSession(visit: StandaloneVisit): Promise<LiveSession | undefined> {
  return await visit.ports.context.database.read((tx) => findFresh(tx, visit));
}

/** Lets a second factor count for the session, whose value changes, and goes on to the end, or `back` if the proof is of no use. */
export async function settleInSession(
  visit: StandaloneVisit,
  proved: ProvedFactor,
  back: string,
): Promise<Reply> {
  const { ports, exchange, issuer } = visit;
  const { database, log } = ports.context;
  try {
    const cookie = await database.write(async (tx) => {
      const live = await findFresh(tx, visit);
      if (live === undefined) return undefined;
      const { session, user } = live;
      const { check, events } = await proved.settle(tx);
      const header = await renewSessionValue(tx, ports.context, { session, user, issuer });
      const { remoteAddress, requestId } = exchange;
      const origin = { editor: user.id, remoteAddress, requestId };
      await log.append(tx, origin, [...events, ...addSessionChecks(session, [check])]);
      return header;
    });
    return redirectTo(`${issuer}${endPath}`, cookie === undefined ? [] : [cookie]);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "internal") throw error;
    return redirectTo(`${issuer}${back}`); // the same answer was sent twice
  }
}

/** Names the session to the second factors of its user. */
export function toFactorLogin({ issuer }: StandaloneVisit, live: LiveSession): LoggingIn {
  const { session, user, methods } = live;
  return { issuer, loginId: `session ${session.id}`, userId: user.id, methods };
}

async function findFresh(
  tx: ReadTransaction,
  { exchange, issuer, ports }: StandaloneVisit,
): Promise<LiveSession | undefined> {
  const nowMs = ports.context.clock.nowMs();
  const hash = readSessionCookie(exchange, issuer);
  const live = hash === undefined ? undefined : await findLiveSession(tx, hash, nowMs);
  if (live === undefined || nowMs - live.authTimeMs > recentLoginMs) return undefined;
  return (await hasReadyFactor(tx, live.user.id)) ? undefined : live;
}
