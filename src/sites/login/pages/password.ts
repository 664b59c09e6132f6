import { type PasswordTry, tryPassword } from "../../../identity/people/passwords/password-check.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { goStraightToProvider } from "../external/straight-to-provider.ts";
import { formTokenField } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import { addCheck } from "../interaction.ts";
import { readKnownBrowserCookie } from "../cookies/known-browser-cookies.ts";
import { readLoginName, renderLoginName } from "../forms/login-name.ts";
import { redirectTo } from "../layout.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import { renderWays } from "../ways/ways.ts";
import { findLoginUser } from "../login-users.ts";
import type { PageForm } from "../page-form.ts";

/**
 * Asks for name and password, and offers the other ways. Whatever is wrong, the page and its status are the same, so that it does
 * not show which users exist. Where the policy allows no passwords there is no form, and one that is sent is not looked at.
 */
export const passwordPage: LoginPage = {
  name: "password",
  show: async (visit) =>
    (await goStraightToProvider(visit)) ??
    (await renderPasswordPage(visit, { username: visit.state.interaction.request.loginHint ?? "" })),
  async submit(visit, form) {
    const { issuer, state } = visit;
    if (!state.policy.allowPassword)
      return { kind: "page", reply: redirectTo(`${issuer}/login/${state.interaction.id}`) };
    const username = form.get("username") ?? "";
    const tried = await tryTyped(visit, form);
    const wrong = () => renderPasswordPage(visit, { username, problem: visit.texts.password.wrong });
    switch (tried.kind) {
      case "wrong":
        return { kind: "page", reply: await wrong() };
      case "paused":
        return { kind: "page", reply: await renderPaused(visit, username, tried.retryAfterMs) };
      case "right":
        return { kind: "go-on", change: proveUser(tried, wrong) };
    }
  },
};

async function tryTyped(
  { exchange, issuer, ports, state }: LoginVisit,
  form: PageForm,
): Promise<PasswordTry> {
  const { context, passwords: hasher } = ports;
  const { remoteAddress, requestId } = exchange;
  return await tryPassword(
    { ...context, hasher },
    {
      login: readLoginName(state, form),
      password: form.get("password") ?? "",
      homeId: state.interaction.request.organizationId,
      remoteAddress,
      requestId,
      browserHash: readKnownBrowserCookie(exchange, issuer),
    },
  );
}

/** The user may have been locked since the password was compared, or got another one. */
function proveUser(
  { userId, settle }: Extract<PasswordTry, { readonly kind: "right" }>,
  wrong: () => Promise<Reply>,
): ChangeInteraction {
  return async (tx, { interaction, nowMs }) => {
    const found = (await settle(tx)) ? await findLoginUser(tx, userId) : undefined;
    if (found === undefined) return { reply: await wrong() };
    const user = { id: found.user.id, lockCount: found.lockCount };
    return { interaction: addCheck(interaction, user, { method: "PASSWORD", dateMs: nowMs }) };
  };
}

async function renderPaused(visit: LoginVisit, username: string, retryAfterMs: number): Promise<Reply> {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return await renderPasswordPage(visit, {
    username,
    problem: visit.texts.password.paused,
    status: 429,
    headers,
  });
}

interface Shown {
  readonly username: string;
  readonly problem?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

async function renderPasswordPage(visit: LoginVisit, shown: Shown): Promise<Reply> {
  const { texts, state } = visit;
  const { buttons, links } = await renderWays(visit);
  const { title, lead, or, nothing } = texts.password;
  const { problem, status = 200, headers = {} } = shown;
  const form = state.policy.allowPassword ? renderForm(visit, shown) : undefined;
  const isEmpty = form === undefined && buttons.length === 0;
  const body = html`<p class="lead">${isEmpty ? nothing : lead({ application: state.application?.application.name ?? texts.instanceName })}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
${form}
${form !== undefined && buttons.length > 0 && html`<p class="divider">${or}</p>`}
${buttons.length > 0 && html`<div class="ways">${buttons}</div>`}
${links.length > 0 && html`<div class="links">${links}</div>`}`;
  return visit.render({ title, body, status, headers });
}

function renderForm({ texts, state, cookie }: LoginVisit, { username, problem }: Shown): Markup {
  const words = texts.password;
  const focus = html` autofocus`;
  const faulty = problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;
  return html`<form method="post" action="/login/${state.interaction.id}/password">
${formTokenField(cookie)}
${renderLoginName(texts, state.policy, { value: username, attributes: html`${faulty}${username === "" && focus}` })}
<div class="field">
<label for="password">${words.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${faulty}${username !== "" && focus}>
</div>
<button type="submit">${words.submit}</button>
</form>`;
}
