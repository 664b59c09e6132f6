import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { findSamlLogoutOfRequest } from "../../../identity/protocol-state/saml-logouts/repository.ts";
import { removeParticipation } from "../../../identity/logins/saml-participations/repository.ts";
import { hashCookie, readCookie } from "../../login/cookies/cookies.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import type { SamlLogoutResponse } from "../messages/logout-response.ts";
import type { ReceivedMessage } from "../receiving/receive-message.ts";
import { advance } from "./advance.ts";
import { takeAnswer } from "./chain.ts";
import { hashRequestId, logoutCookie, openLogout, type SamlLogout, storeLogout } from "./logout-store.ts";
import { sendOn, type SamlLogoutPorts, type LogoutVisit } from "./visit.ts";

/**
 * Takes the LogoutResponse of an application that was asked (SAML Profiles §4.4.3.4), and goes on. By POST it comes without the cookie of
 * the logout, so that it is noted, and the browser shows the cookie with the GET that follows. A request has one answer: the first that
 * its application has signed for it. Raises a SamlFault for an answer that nobody waits for, or not from this application or in this
 * browser.
 */
export async function takeResponse(
  ports: SamlLogoutPorts,
  visit: LogoutVisit,
  { message, sender, binding }: ReceivedMessage<SamlLogoutResponse>,
): Promise<Reply> {
  const { keyring } = ports.context;
  const cookie = readCookie(visit.exchange, logoutCookie(visit.issuer));
  return await sendOn(ports, visit, async (tx) => {
    const logout = await requireWaiting(tx, ports, message);
    if (binding === "redirect" && (cookie === undefined || hashCookie(cookie) !== logout.cookieHash))
      throw new SamlFault("browser", "the answer is for another browser");
    const chain = takeAnswer(logout.chain, {
      applicationId: sender.application.id,
      requestId: message.inResponseTo,
      isLoggedOut: message.isSuccess,
    });
    if (chain?.asked === undefined) throw notWaitedFor();
    if (message.isSuccess) await removeParticipation(tx, chain.asked);
    if (binding === "redirect")
      return { step: await advance(tx, ports, { ...logout, chain }), cookie: "held" };
    await storeLogout(tx, keyring, { ...logout, chain });
    return { step: { kind: "stored", id: logout.id }, cookie: "held" };
  });
}

async function requireWaiting(
  tx: WriteTransaction,
  { context }: SamlLogoutPorts,
  { inResponseTo }: SamlLogoutResponse,
): Promise<SamlLogout> {
  if (inResponseTo === undefined) throw notWaitedFor();
  const asked = { requestHash: hashRequestId(inResponseTo), nowMs: context.clock.nowMs() };
  const logout = openLogout(context.keyring, await findSamlLogoutOfRequest(tx, asked));
  if (logout === undefined) throw notWaitedFor();
  return logout;
}

function notWaitedFor(): SamlFault {
  return new SamlFault("response", "no request of ours waits for this answer");
}
