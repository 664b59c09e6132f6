import {
  checkNewPassword,
  originOfOwnPassword,
  setOwnPassword,
} from "../../../identity/people/passwords/password-change.ts";
import { type PasswordTry, tryPassword } from "../../../identity/people/passwords/password-check.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { readKnownBrowserCookie } from "../cookies/known-browser-cookies.ts";
import { formTokenField } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { ChangeInteraction, LoginPage, LoginVisit, PageAnswer } from "../login-page.ts";
import { requireLoginUser } from "../login-state.ts";
import type { PageForm } from "../page-form.ts";
import { faultOf, readNewPassword, renderNewPasswordFields } from "../forms/password-fields.ts";
import { notePasswordChange } from "../steps/new-password.ts";
import { toRuleText } from "../texts/texts.ts";

/** Asks users to replace a password that somebody else has chosen. They type that one again. */
export const newPasswordPage: LoginPage = {
  name: "new-password",
  show: async (visit) => render(visit, {}),
  async submit(visit, form) {
    const { ports, state, texts } = visit;
    const { user, policy, organization } = requireLoginUser(state);
    const wrong = (problem: string | Markup): PageAnswer => ({
      kind: "page",
      reply: render(visit, { problem }),
    });
    const read = readNewPassword(form);
    if ("fault" in read) return wrong(toRuleText(texts, read.fault, policy.minPasswordLength));
    const { password } = read;
    const { breached } = ports;
    const place = { organizationName: organization.name, issuer: state.issuer };
    const problem = await checkNewPassword({ policy, user, place, password, breached });
    if (problem !== undefined) return wrong(toRuleText(texts, faultOf(problem), policy.minPasswordLength));
    if (password === form.get("current")) return wrong(texts.newPassword.rules.same);
    const tried = await tryCurrent(visit, form);
    if (tried.kind === "paused") return { kind: "page", reply: renderPaused(visit, tried.retryAfterMs) };
    if (tried.kind === "wrong") return wrong(texts.newPassword.wrong);
    const encoded = await ports.passwords.hash(password);
    return { kind: "go-on", change: setPassword(tried, encoded) };
  },
};

async function tryCurrent(visit: LoginVisit, form: PageForm): Promise<PasswordTry> {
  const { exchange, ports, state } = visit;
  const { context, passwords: hasher } = ports;
  const { remoteAddress, requestId } = exchange;
  const { username } = requireLoginUser(state).user;
  return await tryPassword(
    { ...context, hasher },
    {
      login: { name: username, kinds: ["USERNAME"], organizationId: undefined },
      password: form.get("current") ?? "",
      purpose: "change",
      remoteAddress,
      requestId,
      browserHash: readKnownBrowserCookie(exchange, visit.issuer),
    },
  );
}

/** Another password may have been set meanwhile, or another user may log in: then the one that was compared lets nobody set one. */
function setPassword(
  { userId, settle }: Extract<PasswordTry, { readonly kind: "right" }>,
  encoded: string,
): ChangeInteraction {
  return async (tx, state) => {
    const { interaction, issuer, session } = state;
    const { user } = requireLoginUser(state);
    if (userId !== user.id || !(await settle(tx)))
      return { reply: redirectTo(`${issuer}/login/${interaction.id}`) };
    const origin = await originOfOwnPassword(tx, user, { kind: "current-password" });
    const exceptSessionId = session?.user.id === user.id ? session.session.id : undefined;
    const set = { encoded, isChangeRequired: false, origin, exceptSessionId };
    return { interaction: notePasswordChange(interaction), events: await setOwnPassword(tx, user, set) };
  };
}

function renderPaused(visit: LoginVisit, retryAfterMs: number): Reply {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return render(visit, { problem: visit.texts.newPassword.paused, status: 429, headers });
}

function render(
  visit: LoginVisit,
  shown: {
    readonly problem?: string | Markup;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Reply {
  const { state, texts, cookie } = visit;
  const { problem, status = 200, headers = {} } = shown;
  const { title, lead, current, submit } = texts.newPassword;
  const { username } = requireLoginUser(state).user;
  const body = html`<p class="lead">${lead}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/${state.interaction.id}/new-password">
${formTokenField(cookie)}
<div class="field">
<label for="current">${current}</label>
<input id="current" name="current" type="password" autocomplete="current-password" required autofocus>
</div>
${renderNewPasswordFields(texts, username)}
<button type="submit">${submit}</button>
</form>`;
  return visit.render({ title, body, status, headers });
}
