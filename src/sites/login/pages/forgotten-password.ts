import { requestResetByName } from "../../../identity/people/passwords/reset-request.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { formTokenField } from "../form-token.ts";
import { html } from "../markup/html.ts";
import { readKnownBrowserCookie } from "../cookies/known-browser-cookies.ts";
import { readLoginName, renderLoginName } from "../forms/login-name.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { PageRefusal } from "../page-refusal.ts";
import { mayAskForPassword } from "../password-offer.ts";

/**
 * Mails users who have forgotten their password a link with which they set one. It shows the same whether there is such a user or
 * not, and logs nobody in.
 */
export const forgottenPasswordPage: LoginPage = {
  name: "forgotten-password",
  insteadOf: "password",
  async show(visit) {
    requireOffer(visit);
    return renderForm(visit, { username: visit.state.interaction.request.loginHint ?? "" });
  },
  async submit(visit, form) {
    requireOffer(visit);
    const { exchange, issuer, ports, state } = visit;
    const { remoteAddress, requestId } = exchange;
    const username = form.get("username") ?? "";
    const { context, mailer, passwords: hasher } = ports;
    const asked = await requestResetByName(
      { context, mailer, hasher },
      {
        login: readLoginName(state, form),
        homeId: state.interaction.request.organizationId,
        issuer,
        clientId: state.interaction.request.applicationId,
        remoteAddress,
        requestId,
        browserHash: readKnownBrowserCookie(exchange, issuer),
      },
    );
    switch (asked.kind) {
      case "paused":
        return { kind: "page", reply: renderPaused(visit, username, asked.retryAfterMs) };
      case "asked":
        return { kind: "page", reply: renderSent(visit) };
    }
  },
};

function requireOffer({ ports, state }: LoginVisit): void {
  if (!mayAskForPassword(ports, state)) throw new PageRefusal("not-found");
}

function renderPaused(visit: LoginVisit, username: string, retryAfterMs: number): Reply {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return renderForm(visit, {
    username,
    problem: visit.texts.forgottenPassword.paused,
    status: 429,
    headers,
  });
}

/** It says nothing of the name, so that two of them look the same. */
function renderSent(visit: LoginVisit): Reply {
  const { sentTitle, sent, sentHint } = visit.texts.forgottenPassword;
  const body = html`<p class="lead" role="status">${sent}</p>
<p class="lead">${sentHint}</p>
${linkBack(visit)}`;
  return visit.render({ title: sentTitle, body });
}

function renderForm(
  visit: LoginVisit,
  shown: {
    readonly username: string;
    readonly problem?: string;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Reply {
  const { texts, state, cookie } = visit;
  const { username, problem, status = 200, headers = {} } = shown;
  const { title, lead, submit } = texts.forgottenPassword;
  const body = html`<p class="lead">${lead}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/${state.interaction.id}/forgotten-password">
${formTokenField(cookie)}
${renderLoginName(texts, state.policy, { value: username, attributes: html` autofocus` })}
<button type="submit">${submit}</button>
</form>
${linkBack(visit)}`;
  return visit.render({ title, body, status, headers });
}

function linkBack({ texts, state }: LoginVisit) {
  return html`<div class="links"><p><a href="/login/${state.interaction.id}">${texts.forgottenPassword.back}</a></p></div>`;
}
