import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { toFormText } from "../bindings/relay-state.ts";
import { SamlFault } from "../bindings/saml-fault.ts";
import { findAnswerService } from "../logout/advance.ts";
import { continueLogout } from "../logout/continue-logout.ts";
import { takeRequest } from "../logout/take-request.ts";
import { takeResponse } from "../logout/take-response.ts";
import type { SamlLogoutPorts, LogoutVisit } from "../logout/visit.ts";
import { type SamlLogoutRequest, readLogoutRequest } from "../messages/logout-request.ts";
import { type SamlLogoutResponse, readLogoutResponse } from "../messages/logout-response.ts";
import { noteAccepted, noteRefused } from "../receiving/message-log.ts";
import {
  type MessageReaders,
  type ReceivedMessage,
  receiveMessage,
  type ReceivingPorts,
} from "../receiving/receive-message.ts";
import { samlPaths, entityIdOf } from "../parties/paths.ts";

/** What the endpoint works with. */
export interface SloPorts extends SamlLogoutPorts, ReceivingPorts {
  readonly context: SamlLogoutPorts["context"];
}

type LogoutMessage =
  | ({ readonly is: "request" } & SamlLogoutRequest)
  | ({ readonly is: "response" } & SamlLogoutResponse);

/** SAML Profiles §4.4.4.1, §4.4.4.2: both are signed when a browser brings them. */
const readers: MessageReaders<LogoutMessage> = {
  SAMLRequest: {
    read: (document) => ({ is: "request", ...readLogoutRequest(document) }),
    isSignatureRequired: () => true,
  },
  SAMLResponse: {
    read: (document) => ({ is: "response", ...readLogoutResponse(document) }),
    isSignatureRequired: () => true,
  },
};

const marks = { kind: "logout" } as const;

/**
 * Answers a LogoutRequest or a LogoutResponse of an application (SAML Profiles §4.4). Raises the page of an error for a message that
 * is not in order; then nothing has changed.
 */
export async function answerLogout(ports: SloPorts, exchange: Exchange, issuer: string): Promise<Reply> {
  const elsewhere = redirectToIssuer(exchange, issuer);
  if (elsewhere !== undefined) return elsewhere;
  const visit = toVisit(exchange, issuer);
  try {
    const received = await receiveMessage(ports, visit, { readers, marks, check: requireCarried });
    const { message } = received;
    if (message.is === "response") return await noteResponse(ports, visit, { ...received, message });
    noteAccepted(ports, { ...marks, binding: received.binding });
    return await takeRequest(ports, visit, { ...received, message });
  } catch (error) {
    if (!(error instanceof SamlFault)) throw error;
    throw new PageRefusal("bad-logout-message", { detail: error.algorithm });
  }
}

/** Goes on with a logout that has begun. Raises the page of an error without its cookie. */
export async function answerOngoingLogout(
  ports: SloPorts,
  { exchange, issuer }: { readonly exchange: Exchange; readonly issuer: string },
  id: string,
): Promise<Reply> {
  const elsewhere = redirectToIssuer(exchange, issuer);
  return elsewhere ?? (await continueLogout(ports, toVisit(exchange, issuer), id));
}

/** Refuses, before anything ends, a request whose RelayState the answer could not carry back. */
function requireCarried({ message, sender, binding, relayState }: ReceivedMessage<LogoutMessage>): void {
  if (message.is === "response" || relayState === undefined) return;
  if (findAnswerService(sender.serviceProvider, binding)?.binding === "post") toFormText(relayState);
}

/** Whether somebody waits for the answer is known only when the logout is found. */
async function noteResponse(
  ports: SloPorts,
  visit: LogoutVisit,
  received: Parameters<typeof takeResponse>[2],
): Promise<Reply> {
  const { binding, sender } = received;
  try {
    const reply = await takeResponse(ports, visit, received);
    noteAccepted(ports, { ...marks, binding });
    return reply;
  } catch (error) {
    if (error instanceof SamlFault)
      noteRefused(ports, error, { ...marks, binding, applicationId: sender.application.id });
    throw error;
  }
}

function toVisit(exchange: Exchange, issuer: string): LogoutVisit {
  return { exchange, issuer, entityId: entityIdOf(issuer), url: `${issuer}${samlPaths.singleLogout}` };
}
