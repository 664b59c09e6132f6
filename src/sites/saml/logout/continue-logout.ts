import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { findSamlLogout } from "../../../identity/protocol-state/saml-logouts/repository.ts";
import { hashCookie, readCookie } from "../../login/cookies/cookies.ts";
import { readSessionCookie } from "../../login/cookies/session-cookies.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { advance } from "./advance.ts";
import { hasSession, proveSession } from "./chain.ts";
import { logoutCookie, openLogout } from "./logout-store.ts";
import { sendOn, type SamlLogoutPorts, type LogoutVisit } from "./visit.ts";

/**
 * Goes on with a logout: where a page of ours has begun it, after a POST, which comes without cookies, and where the browser comes back
 * without an answer. Raises the page of an error without the cookie of the logout.
 */
export async function continueLogout(ports: SamlLogoutPorts, visit: LogoutVisit, id: string): Promise<Reply> {
  const { exchange, issuer } = visit;
  const { keyring, clock } = ports.context;
  const cookie = readCookie(exchange, logoutCookie(issuer));
  if (cookie === undefined) throw new PageRefusal("logout-over");
  const asked = { id, cookieHash: hashCookie(cookie), nowMs: clock.nowMs() };
  const valueHash = readSessionCookie(exchange, issuer);
  return await sendOn(ports, visit, async (tx) => {
    const logout = openLogout(keyring, await findSamlLogout(tx, asked));
    if (logout === undefined) throw new PageRefusal("logout-over");
    const chain = proveSession(logout.chain, valueHash);
    const isSessionEnded = hasSession(logout.chain, valueHash);
    return { step: await advance(tx, ports, { ...logout, chain }), cookie: "held", isSessionEnded };
  });
}
