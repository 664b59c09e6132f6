import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import { toFormText } from "../bindings/relay-state.ts";
import { type AskedSamlLogin, beginSamlLogin, type BeginningPorts } from "../login/begin-login.ts";
import { type AuthnRequest, readAuthnRequest } from "../messages/authn-request.ts";
import { chooseAcs } from "../messages/choose-acs.ts";
import { noteAccepted } from "../receiving/message-log.ts";
import { type MessagePath, type ReceivingPorts, receiveMessage } from "../receiving/receive-message.ts";
import { samlPaths } from "../parties/paths.ts";

/** What requests for logins are answered with. */
export type SsoPorts = ReceivingPorts & BeginningPorts;

/**
 * Answers a request of a service provider that a user log in (SAML Core §3.4, Profiles §4.1). Raises a SamlFault for as long as it is not
 * known where the answer goes; from then on failures go there.
 */
export async function answerAuthnRequest(
  ports: SsoPorts,
  exchange: Exchange,
  issuer: string,
): Promise<Reply> {
  const elsewhere = redirectToIssuer(exchange, issuer);
  if (elsewhere !== undefined) return elsewhere;
  const url = `${issuer}${samlPaths.singleSignOn}`;
  const received = await receiveMessage(ports, { exchange, url }, path);
  const { message: request, binding, sender, isSigned, checked } = received;
  noteAccepted(ports, { ...path.marks, binding });
  return await beginSamlLogin(ports, { exchange, issuer }, { sender, request, isSigned, ...checked });
}

/** Where the answer goes, and what goes with it: always by HTTP-POST. */
type AnswerPlace = Pick<AskedSamlLogin, "acs" | "relayState">;

const path: MessagePath<AuthnRequest, AnswerPlace> = {
  marks: { kind: "login" },
  readers: {
    SAMLRequest: {
      read: readAuthnRequest,
      isSignatureRequired: ({ application, serviceProvider }) =>
        serviceProvider.signsRequests || application.saml.settings.requireSignedRequests,
    },
  },
  check: ({ message, sender, relayState }) => ({
    acs: chooseAcs(message.target, sender.serviceProvider).location,
    relayState: relayState === undefined ? undefined : toFormText(relayState),
  }),
};
