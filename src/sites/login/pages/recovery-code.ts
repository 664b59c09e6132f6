import { Secret } from "../../../kernel/base/secret.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderFactorCodeForm } from "../forms/factor-code-form.ts";
import { html } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { requireLoginUser } from "../login-state.ts";
import { type FactorProblem, offersOf, pausedProblem, submitFactorWay } from "./factor-ways.ts";
import { settleFactor } from "../settle-factor.ts";

/** Asks for a recovery code, in place of a second factor that the user does not have at hand. */
export const recoveryCodePage: LoginPage = {
  name: "recovery-code",
  insteadOf: "second-factor",
  show: (visit) => render(visit, {}),
  submit: (visit, form) =>
    submitFactorWay(visit, "RECOVERY_CODE", async (isOffered) => {
      const { ports, state, texts } = visit;
      const { user } = requireLoginUser(state);
      const tried = await ports.recoveryCodes.check(user.id, new Secret(form.get("code") ?? ""));
      switch (tried.kind) {
        case "wrong":
          return { kind: "page", reply: await render(visit, { problem: texts.recoveryCode.wrong }) };
        case "paused":
          return { kind: "page", reply: await render(visit, pausedProblem(texts, tried)) };
        case "right":
          return { kind: "go-on", change: settleFactor(tried, isOffered) };
      }
    }),
};

async function render(visit: LoginVisit, shown: FactorProblem): Promise<Reply> {
  const { issuer, state, texts, cookie } = visit;
  const { problem, status = 200, headers = {} } = shown;
  const { ways, others } = await offersOf(visit);
  if (!ways.includes("RECOVERY_CODE")) return redirectTo(`${issuer}/login/${state.interaction.id}`);
  const { title, lead, code: label, submit: button } = texts.recoveryCode;
  const action = `/login/${state.interaction.id}/recovery-code`;
  const body = html`<p class="lead">${lead}</p>
${renderFactorCodeForm({ action, cookie, kind: "recovery", label, button, problem })}
${others("RECOVERY_CODE")}`;
  return visit.render({ title, body, status, headers });
}
