import { Secret } from "../../../kernel/base/secret.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderFactorCodeForm } from "../forms/factor-code-form.ts";
import { html } from "../markup/html.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { requireLoginUser } from "../login-state.ts";
import { redirectTo } from "../layout.ts";
import { type FactorProblem, offersOf, pausedProblem, submitFactorWay } from "./factor-ways.ts";
import { settleFactor } from "../settle-factor.ts";

/** Asks for the code of an authenticator app. */
export const totpPage: LoginPage = {
  name: "totp",
  insteadOf: "second-factor",
  show: (visit) => renderTotp(visit, {}),
  submit: (visit, form) =>
    submitFactorWay(visit, "TOTP", async (isOffered) => {
      const { exchange, ports, state, texts } = visit;
      const { user } = requireLoginUser(state);
      const { remoteAddress, requestId } = exchange;
      const origin = { editor: user.id, remoteAddress, requestId };
      const tried = await ports.totp.check(user.id, new Secret(form.get("code") ?? ""), origin);
      switch (tried.kind) {
        case "wrong":
          return { kind: "page", reply: await renderTotp(visit, { problem: texts.totp.wrong }) };
        case "paused":
          return { kind: "page", reply: await renderTotp(visit, pausedProblem(texts, tried)) };
        case "right":
          return { kind: "go-on", change: settleFactor(tried, isOffered) };
      }
    }),
};

/** Shows the page, which is also the page of the step if the user has no security key. */
export async function renderTotp(visit: LoginVisit, shown: FactorProblem): Promise<Reply> {
  const { issuer, state, texts, cookie } = visit;
  const { problem, status = 200, headers = {} } = shown;
  const { ways, others } = await offersOf(visit);
  if (!ways.includes("TOTP")) return redirectTo(`${issuer}/login/${state.interaction.id}`);
  const { title, lead, code: label, submit: button } = texts.totp;
  const action = `/login/${state.interaction.id}/totp`;
  const body = html`<p class="lead">${lead}</p>
${renderFactorCodeForm({ action, cookie, kind: "app", label, button, problem })}
${others("TOTP")}`;
  return visit.render({ title, body, status, headers });
}
