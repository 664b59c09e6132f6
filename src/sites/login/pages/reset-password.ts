import type { OrganizationId } from "../../../kernel/base/ids.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { accountPathOf } from "../standalone/account-path.ts";
import { findApplicationHome } from "../standalone/application-home.ts";
import { formTokenField, requireOwnForm } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import { readNewPassword, renderNewPasswordFields } from "../forms/password-fields.ts";
import { ownCookieOf, readOwnCookie } from "../standalone/own-cookie.ts";
import { resetPassword } from "../standalone/password-reset.ts";
import type { StandalonePage, StandaloneVisit } from "../standalone-page.ts";
import { toRuleText } from "../texts/texts.ts";

const cookieName = "gh_password";

/**
 * Takes a code that sets a password: for a user that has forgotten theirs, and as an invitation for a user that has none yet. What
 * the link says is looked at only when the form is sent, so that a program that looks at links for the user uses nothing up. It
 * logs nobody in, and no second factor is replaced.
 */
export const resetPasswordPage: StandalonePage = {
  name: "password",
  isSafe: true,
  async show(visit, userId) {
    const query = new URLSearchParams(visit.exchange.query);
    return render(visit, {
      userId,
      code: query.get("code") ?? "",
      clientId: query.get("client_id") ?? "",
    });
  },
  async submit(visit, userId, form) {
    requireOwnForm(visit.exchange, form, readOwnCookie(visit, cookieName));
    const shown = { userId, code: form.get("code") ?? "", clientId: form.get("client_id") ?? "" };
    const read = readNewPassword(form);
    if ("fault" in read) return render(visit, { ...shown, problem: toRuleText(visit.texts, read.fault, 0) });
    const result = await resetPassword(visit, { userId, code: shown.code, password: read.password });
    switch (result.kind) {
      case "paused":
        return renderPaused(visit, shown, result.retryAfterMs);
      case "wrong":
        return render(visit, { ...shown, problem: visit.texts.resetPassword.wrong });
      case "faulty":
        return render(visit, { ...shown, problem: toRuleText(visit.texts, result.fault, result.minLength) });
      case "done":
        return await renderEnd(visit, shown.clientId, result.organizationId);
    }
  },
};

interface Shown {
  readonly userId: string;
  readonly code: string;
  readonly clientId: string;
  readonly problem?: string | Markup;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

async function renderEnd(
  visit: StandaloneVisit,
  clientId: string,
  organizationId: OrganizationId,
): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const home = await ports.context.database.read((tx) => findApplicationHome(tx, clientId, issuer));
  if (home !== undefined) return redirectTo(home);
  const { doneTitle, done } = texts.resetPassword;
  const body = html`<p class="lead" role="status">${done}</p>
${clientId === "" && html`<p><a class="button second" href="${accountPathOf(organizationId)}">${texts.toAccount}</a></p>`}`;
  return ports.layout.renderPage({ texts, title: doneTitle, body, isIsolated: true });
}

function renderPaused(visit: StandaloneVisit, shown: Shown, retryAfterMs: number): Reply {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return render(visit, { ...shown, problem: visit.texts.newPassword.paused, status: 429, headers });
}

function render(visit: StandaloneVisit, shown: Shown): Reply {
  const { ports, texts } = visit;
  const { userId, code, clientId, problem, status = 200, headers = {} } = shown;
  const own = ownCookieOf(visit, cookieName);
  const { title, lead, code: codeLabel, submit } = texts.resetPassword;
  const codeField =
    code === ""
      ? html`<div class="field">
<label for="code">${codeLabel}</label>
<input id="code" name="code" type="text" value="" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="64" required>
</div>`
      : html`<input type="hidden" name="code" value="${code}">`;
  const body = html`<p class="lead">${lead}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/password/${encodeURIComponent(userId)}">
${formTokenField(own.cookie)}
<input type="hidden" name="client_id" value="${clientId}">
${codeField}
${renderNewPasswordFields(texts, undefined)}
<button type="submit">${submit}</button>
</form>`;
  return ports.layout.renderPage({
    texts,
    title,
    body,
    status,
    headers: { ...own.headers, ...headers },
    isIsolated: true,
  });
}
