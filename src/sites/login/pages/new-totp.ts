import { Secret } from "../../../kernel/base/secret.ts";
import type { SettingUp } from "../../../identity/factors/totp/login-commands.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderNewTotpForm } from "../forms/new-totp-form.ts";
import { html } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import { listRegistrableKinds } from "../steps/forced-factor.ts";
import { type FactorProblem, pausedProblem } from "./factor-ways.ts";
import { renderNewCodeLinks } from "./sent-code.ts";
import { settleFactor } from "../settle-factor.ts";

/** Lets a user who needs a second factor and has none set up an authenticator app. */
export const newTotpPage: LoginPage = {
  name: "new-totp",
  insteadOf: "new-factor",
  show: showNewTotp,
  async submit(visit, form) {
    const { issuer, ports, state, texts } = visit;
    if (!isOffered(state))
      return { kind: "page", reply: redirectTo(`${issuer}/login/${state.interaction.id}`) };
    const offer = form.get("offer") ?? "";
    const code = new Secret(form.get("code") ?? "");
    const tried = await ports.totp.checkOffer(toSettingUp(state), { offer, code });
    const again = async (shown: FactorProblem): Promise<Reply> => await render(visit, { ...shown, offer });
    switch (tried?.kind) {
      case undefined:
        return { kind: "page", reply: await again({ problem: texts.newTotp.expired }) };
      case "wrong":
        return { kind: "page", reply: await again({ problem: texts.newTotp.wrong }) };
      case "paused":
        return { kind: "page", reply: await again(pausedProblem(texts, tried)) };
      case "right":
        return { kind: "go-on", change: settleFactor(tried, (_, now) => isOffered(now)) };
    }
  },
};

/** Shows the page with a new secret. It is also the page of the step where no security key can be registered. */
export async function showNewTotp(visit: LoginVisit): Promise<Reply> {
  return await render(visit, {});
}

async function render(visit: LoginVisit, shown: FactorProblem & { readonly offer?: string }): Promise<Reply> {
  const { issuer, ports, state, texts, cookie } = visit;
  const { offer, problem, status = 200, headers = {} } = shown;
  const { id } = state.interaction;
  if (!isOffered(state)) return redirectTo(`${issuer}/login/${id}`);
  const offered = await ports.totp.offer(toSettingUp(state), offer);
  const { title, lead } = texts.newTotp;
  const action = `/login/${id}/new-totp`;
  const body = html`<p class="lead">${lead}</p>
${await renderNewTotpForm({ texts, action, cookie, offered, problem })}
${
  listRegistrableKinds(state).includes("U2F") &&
  html`<p><a class="button second" href="/login/${id}">${texts.otherFactor.U2F}</a></p>`
}
${await renderNewCodeLinks(visit)}`;
  return visit.render({ title, body, status, headers });
}

function isOffered(state: LoginState): boolean {
  return listRegistrableKinds(state).includes("TOTP");
}

function toSettingUp(state: LoginState): SettingUp {
  const { interaction, methods } = state;
  return { loginId: interaction.id, userId: requireLoginUser(state).user.id, methods };
}
