import type { LogoutService } from "../../../identity/applications/saml/service-provider.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { SamlKeys, SamlSigner } from "../../../identity/signing-keys/saml-keys.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { toReply } from "../../login/browser-answer.ts";
import { html } from "../../login/markup/html.ts";
import { type Layout, redirectTo } from "../../login/layout.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { renderLogoutOutcome } from "../../login/standalone/logout-outcome.ts";
import { toTexts } from "../../login/texts/texts.ts";
import type { MessageKind } from "../bindings/parameters.ts";
import { toFormText } from "../bindings/relay-state.ts";
import { toRedirectUrl } from "../bindings/redirect-url.ts";
import { writeLogoutRequest } from "../messages/logout-request.ts";
import { writeLogoutResponse } from "../messages/logout-response.ts";
import type { LogoutOutcome } from "../messages/status.ts";
import { newMessageId } from "../messages/write-head.ts";
import { type Signable, signElement } from "../../../kernel/xml/signatures/sign-element.ts";
import type { AskedMember, LogoutAsker } from "./chain.ts";

/** What replies are made with. */
export interface LogoutReplyPorts {
  readonly context: Pick<FeatureContext, "clock" | "random">;
  readonly samlKeys: Pick<SamlKeys, "getSigner">;
  readonly layout: Layout;
}

/** The browser that gets a reply. */
export interface AnsweredBrowser {
  readonly exchange: Exchange;
  /** Ours. */
  readonly entityId: string;
  /** Headers `set-cookie`. */
  readonly cookies: readonly string[];
}

/** Sends the browser to an application that is to end its session (SAML Profiles §4.4.3.3). */
export async function replyWithRequest(
  ports: LogoutReplyPorts,
  visit: AnsweredBrowser,
  { member, service }: { readonly member: AskedMember; readonly service: LogoutService },
): Promise<Reply> {
  const { binding, location } = service;
  const request = writeLogoutRequest({
    id: member.requestId,
    issuer: visit.entityId,
    destination: location,
    nowMs: ports.context.clock.nowMs(),
    nameId: member.nameId,
    sessionIndex: member.sessionIndex,
  });
  return await send(ports, visit, { kind: "SAMLRequest", binding, location, document: request });
}

/** Sends the browser back to the application that has asked for the logout, with its answer (SAML Profiles §4.4.3.4). */
export async function replyWithResponse(
  ports: LogoutReplyPorts,
  visit: AnsweredBrowser,
  answer: {
    readonly asker: Pick<Extract<LogoutAsker, { kind: "service-provider" }>, "requestId" | "relayState">;
    readonly service: LogoutService;
    readonly outcome: LogoutOutcome;
  },
): Promise<Reply> {
  const { binding, responseLocation: location } = answer.service;
  const { requestId, relayState } = answer.asker;
  const response = writeLogoutResponse({
    id: newMessageId(ports.context.random),
    issuer: visit.entityId,
    destination: location,
    nowMs: ports.context.clock.nowMs(),
    inResponseTo: requestId,
    outcome: answer.outcome,
  });
  return await send(ports, visit, {
    kind: "SAMLResponse",
    binding,
    location,
    document: response,
    relayState,
  });
}

/** Makes a page that goes on to a URL of ours, by itself or with its button. */
export function replyPause(
  { layout }: LogoutReplyPorts,
  { exchange, cookies }: AnsweredBrowser,
  url: string,
): Reply {
  const texts = toTexts(layout.chooseLanguage({ acceptLanguage: exchange.header("accept-language") }));
  return layout.renderPage({
    texts,
    title: texts.logout.goingOn,
    body: html`<p class="lead">${texts.handOver}</p>
<form method="get" action="${url}">
<button type="submit">${texts.continue}</button>
</form>`,
    inlineScript: html`document.forms[0].submit();`,
    headers: { "set-cookie": [...cookies] },
  });
}

/**
 * Makes the page that says that the user is logged out, where the service provider that has asked takes no answer. Raises the page of an
 * error when nobody is, because the request is about nobody.
 */
export function replyLoggedOut(
  { layout }: LogoutReplyPorts,
  { exchange, cookies }: AnsweredBrowser,
  outcome: LogoutOutcome,
): Reply {
  if (outcome === "UnknownPrincipal") throw new PageRefusal("bad-logout-message");
  const texts = toTexts(layout.chooseLanguage({ acceptLanguage: exchange.header("accept-language") }));
  return renderLogoutOutcome(layout, { texts, isPartial: outcome === "PartialLogout", cookies });
}

interface SentMessage {
  readonly kind: MessageKind;
  readonly binding: "redirect" | "post";
  readonly location: string;
  readonly document: Signable;
  /** As it was encoded. */
  readonly relayState?: string | undefined;
}

/** Signs a message, and lets the browser bring it (SAML Bindings §3.4.4.1, §3.5.4). */
async function send(
  { samlKeys, layout }: LogoutReplyPorts,
  { exchange, cookies }: AnsweredBrowser,
  message: SentMessage,
): Promise<Reply> {
  const signer: SamlSigner = await samlKeys.getSigner();
  const { kind, location, document, relayState } = message;
  if (message.binding === "redirect") {
    const { xml } = document.render(undefined);
    return redirectTo(await toRedirectUrl(location, { kind, xml, relayState }, signer), cookies);
  }
  const { xml } = await signElement(document, signer);
  const fields = {
    [kind]: Buffer.from(xml).toString("base64"),
    ...(relayState === undefined ? {} : { RelayState: toFormText(relayState) }),
  };
  return toReply(
    { kind: "form-post", action: location, fields },
    { layout, exchange, cookies, isLogout: true },
  );
}
