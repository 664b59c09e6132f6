import { Secret } from "../../../kernel/base/secret.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderNewTotpForm } from "../forms/new-totp-form.ts";
import { html } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { PageForm } from "../page-form.ts";
import { ownCookieOf } from "../standalone/own-cookie.ts";
import type { StandaloneVisit } from "../standalone-page.ts";
import { type FactorProblem, pausedProblem } from "./factor-ways.ts";
import {
  endPath,
  factorPath,
  findFreshSession,
  settleInSession,
  setupCookieName,
  toFactorLogin,
  totpPath,
} from "./setup-session.ts";

/** Offers the new administrator to set up an authenticator app. */
export async function showSetupTotp(
  visit: StandaloneVisit,
  shown: FactorProblem & { readonly offer?: string },
): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const { offer, problem, status = 200 } = shown;
  const session = await findFreshSession(visit);
  if (session === undefined) return redirectTo(`${issuer}${endPath}`);
  const offered = await ports.totp.offer(toFactorLogin(visit, session), offer);
  const { cookie, headers } = ownCookieOf(visit, setupCookieName);
  const { title } = texts.newTotp;
  const hasKeys = ports.factors.domainOf(issuer) !== undefined;
  const body = html`<p class="lead">${texts.setup.totpLead}</p>
${await renderNewTotpForm({ texts, action: totpPath, cookie, offered, problem })}
${hasKeys && html`<p><a class="button second" href="${factorPath}">${texts.otherFactor.U2F}</a></p>`}
<p><a class="button second" href="${endPath}">${texts.setup.skip}</a></p>`;
  return ports.layout.renderPage({
    texts,
    title,
    body,
    status,
    headers: { ...headers, ...shown.headers },
    isIsolated: true,
  });
}

/** Registers the app. */
export async function submitSetupTotp(visit: StandaloneVisit, form: PageForm): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const session = await findFreshSession(visit);
  if (session === undefined) return redirectTo(`${issuer}${endPath}`);
  const offer = form.get("offer") ?? "";
  const code = new Secret(form.get("code") ?? "");
  const tried = await ports.totp.checkOffer(toFactorLogin(visit, session), { offer, code });
  switch (tried?.kind) {
    case undefined:
      return await showSetupTotp(visit, { offer, problem: texts.newTotp.expired });
    case "wrong":
      return await showSetupTotp(visit, { offer, problem: texts.newTotp.wrong });
    case "paused":
      return await showSetupTotp(visit, { offer, ...pausedProblem(texts, tried) });
    case "right":
      return await settleInSession(visit, tried, totpPath);
  }
}
