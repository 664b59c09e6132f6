import type { InteractionId } from "../../../kernel/base/ids.ts";
import type { LoggingIn } from "../../../identity/factors/second-factors/login-commands.ts";
import { codeFactorKinds } from "../../../identity/policies/login-policy.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html } from "../markup/html.ts";
import { readKeyAnswer, renderKeyForm } from "../forms/key-form.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import { PageRefusal } from "../page-refusal.ts";
import { type FactorProblem, offersOf, pausedProblem, submitFactorWay } from "./factor-ways.ts";
import { settleFactor } from "../settle-factor.ts";
import { renderCode } from "./sent-code.ts";
import { renderTotp } from "./totp.ts";

/** Asks for the second factor of a user: for a security key, or for the code of an app where the user has no key, or for one that is sent. */
export const secondFactorPage: LoginPage = {
  name: "second-factor",
  async show(visit) {
    const { ways } = await offersOf(visit);
    if (ways.includes("U2F")) return await render(visit, {});
    const code = codeFactorKinds.find((kind) => ways.includes(kind));
    return code === undefined ? await renderTotp(visit, {}) : await renderCode(visit, { kind: code });
  },
  submit: (visit, form) =>
    submitFactorWay(visit, "U2F", async (isOffered) => {
      const { exchange, ports, state, texts } = visit;
      const { user } = requireLoginUser(state);
      const { remoteAddress, requestId } = exchange;
      const origin = { editor: user.id, remoteAddress, requestId };
      const tried = await ports.factors.check(toLoggingIn(state), readKeyAnswer(form), origin);
      switch (tried.kind) {
        case "wrong":
          return { kind: "page", reply: await render(visit, { problem: texts.secondFactor.wrong }) };
        case "paused":
          return { kind: "page", reply: await render(visit, pausedProblem(texts, tried)) };
        case "right":
          return { kind: "go-on", change: settleFactor(tried, isOffered) };
      }
    }),
};

/** Names a login to its second factors. */
export function toLoggingIn(state: LoginState): LoggingIn & { readonly loginId: InteractionId } {
  const { user } = requireLoginUser(state);
  return { issuer: state.issuer, loginId: state.interaction.id, userId: user.id, methods: state.methods };
}

/** Each time the page is shown it has a new challenge. */
async function render(visit: LoginVisit, shown: FactorProblem): Promise<Reply> {
  const { ports, state, texts, cookie } = visit;
  const { problem, status = 200, headers = {} } = shown;
  const { others } = await offersOf(visit);
  const options = await ports.factors.begin(toLoggingIn(state));
  if (options === undefined) throw new PageRefusal("begin-again"); // the factor was removed meanwhile
  const { title, lead, button } = texts.secondFactor;
  const action = `/login/${state.interaction.id}/second-factor`;
  const body = html`<p class="lead">${lead}</p>
${renderKeyForm({ texts, action, cookie, ceremony: "second-factor", options, button, problem })}
${others("U2F")}`;
  return visit.render({ title, body, status, headers, scripts: ["webauthn.js"] });
}
