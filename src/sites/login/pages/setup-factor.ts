import { consolePath } from "../../../identity/applications/oidc/console.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html } from "../markup/html.ts";
import { readKeyAnswer, readKeyName, renderKeyForm, renderKeyNameField } from "../forms/key-form.ts";
import { accountPath } from "../standalone/account-path.ts";
import { redirectTo } from "../layout.ts";
import type { PageForm } from "../page-form.ts";
import { ownCookieOf } from "../standalone/own-cookie.ts";
import type { StandaloneVisit } from "../standalone-page.ts";
import {
  endPath,
  factorPath,
  findFreshSession,
  settleInSession,
  setupCookieName,
  toFactorLogin,
  totpPath,
} from "./setup-session.ts";

/** Offers the new administrator to register a security key; where that is impossible, an app. */
export async function showSetupFactor(visit: StandaloneVisit, problem: string | undefined): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const session = await findFreshSession(visit);
  if (session === undefined) return redirectTo(`${issuer}${endPath}`);
  const options = await ports.factors.beginRegistration(toFactorLogin(visit, session));
  if (options === undefined) return redirectTo(`${issuer}${totpPath}`);
  const { cookie, headers } = ownCookieOf(visit, setupCookieName);
  const { title, button } = texts.newFactor;
  const fields = renderKeyNameField(texts.securityKey);
  const form = {
    texts,
    action: factorPath,
    cookie,
    ceremony: "registration",
    options,
    button,
    problem,
    fields,
  } as const;
  const body = html`<p class="lead">${texts.setup.factorLead}</p>
${renderKeyForm(form)}
<p><a class="button second" href="${totpPath}">${texts.otherFactor.TOTP}</a></p>
<p><a class="button second" href="${endPath}">${texts.setup.skip}</a></p>`;
  return ports.layout.renderPage({ texts, title, body, headers, scripts: ["webauthn.js"], isIsolated: true });
}

/** Registers the security key. */
export async function submitSetupFactor(visit: StandaloneVisit, form: PageForm): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const session = await findFreshSession(visit);
  if (session === undefined) return redirectTo(`${issuer}${endPath}`);
  const input = { answer: readKeyAnswer(form), name: readKeyName(form, texts.securityKey) };
  const tried = await ports.factors.checkRegistration(toFactorLogin(visit, session), input);
  if (tried.kind === "right") return await settleInSession(visit, tried, factorPath);
  const isTaken = tried.kind === "wrong" && tried.reason === "ALREADY_EXISTS";
  return await showSetupFactor(visit, isTaken ? texts.newFactor.taken : texts.newFactor.wrong);
}

/** Shows that all is done. It says nothing about anybody, so it needs no session. */
export function showSetupEnd({ ports, texts }: StandaloneVisit): Reply {
  const { doneTitle: title, done } = texts.setup;
  const body = html`<p class="lead" role="status">${done}</p>
<div class="ways">
<a class="button" href="${consolePath}">${texts.retry.openConsole}</a>
<a class="button second" href="${accountPath}">${texts.toAccount}</a>
</div>`;
  return ports.layout.renderPage({ texts, title, body, isIsolated: true });
}
