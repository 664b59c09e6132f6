import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { readSessionCookie } from "../../login/cookies/session-cookies.ts";
import type { SamlLogoutRequest } from "../messages/logout-request.ts";
import type { ReceivedMessage } from "../receiving/receive-message.ts";
import { advance, findAnswerService } from "./advance.ts";
import { beginChain, proveSession } from "./chain.ts";
import { endSessions } from "./end-sessions.ts";
import { createLogout, storeLogout } from "./logout-store.ts";
import { sendOn, type SamlLogoutPorts, type LogoutVisit } from "./visit.ts";

/**
 * Takes a LogoutRequest: ends the sessions that it names, and lets the browser visit their other applications (SAML Profiles §4.4.3.2,
 * §4.4.3.3). The sessions end whatever browser brings the request; only that of a session goes on to its applications.
 */
export async function takeRequest(
  ports: SamlLogoutPorts,
  visit: LogoutVisit,
  { message, sender, binding, relayState }: ReceivedMessage<SamlLogoutRequest>,
): Promise<Reply> {
  const { context } = ports;
  const { exchange, issuer } = visit;
  const { nameId, sessionIndexes } = message;
  const applicationId = sender.application.id;
  const requestId = message.id;
  const asker = { kind: "service-provider", applicationId, requestId, binding, relayState } as const;
  const isPost = binding === "post";
  const valueHash = isPost ? undefined : readSessionCookie(exchange, issuer);
  return await sendOn(ports, visit, async (tx) => {
    const named = nameId && { applicationId, nameId: nameId.value, sessionIndexes };
    const ended = named && (await endSessions(tx, context, { exchange, named, valueHash }));
    if (ended === undefined) {
      const service = findAnswerService(sender.serviceProvider, binding);
      return { step: { kind: "answer", asker, service, outcome: "UnknownPrincipal" }, cookie: "none" };
    }
    const { userId, valueHashes, unproved, isPartial } = ended;
    const begun = beginChain(asker, { unproved, isPartial });
    // Whose session it was the browser shows with the GET that follows. Where nobody is to be visited it is not asked.
    const mustShow = isPost && unproved.length > 0;
    const chain = mustShow ? begun : proveSession(begun, valueHash);
    const { logout, cookie } = createLogout(context, tx, { userId, chain });
    if (mustShow) await storeLogout(tx, context.keyring, logout);
    return {
      step: mustShow ? { kind: "stored", id: logout.id } : await advance(tx, ports, logout),
      cookie,
      isSessionEnded: valueHash !== undefined && valueHashes.has(valueHash),
    };
  });
}
