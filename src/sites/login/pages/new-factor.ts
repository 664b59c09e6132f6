import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html } from "../markup/html.ts";
import { readKeyAnswer, readKeyName, renderKeyForm, renderKeyNameField } from "../forms/key-form.ts";
import { redirectTo } from "../layout.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { listRegistrableKinds } from "../steps/forced-factor.ts";
import { showNewTotp } from "./new-totp.ts";
import { listNewCodeKinds } from "../steps/second-factor.ts";
import { settleFactor } from "../settle-factor.ts";
import { renderCode, renderNewCodeLinks } from "./sent-code.ts";
import { toLoggingIn } from "./second-factor.ts";

/** Lets a user who needs a second factor and has none register a security key, or leads to the page of an authenticator app. */
export const newFactorPage: LoginPage = {
  name: "new-factor",
  async show(visit) {
    const kinds = listRegistrableKinds(visit.state);
    if (kinds.includes("U2F")) return await render(visit, undefined);
    if (kinds.includes("TOTP")) return await showNewTotp(visit);
    const [code] = await visit.ports.context.database.read((tx) => listNewCodeKinds(tx, visit));
    if (code !== undefined) return await renderCode(visit, { kind: code, isNew: true });
    const { title, impossible } = visit.texts.newFactor;
    return visit.render({ title, body: html`<p class="lead">${impossible}</p>` });
  },
  async submit(visit, form) {
    const { issuer, ports, state, texts } = visit;
    if (!listRegistrableKinds(state).includes("U2F"))
      return { kind: "page", reply: redirectTo(`${issuer}/login/${state.interaction.id}`) };
    const input = { answer: readKeyAnswer(form), name: readKeyName(form, texts.securityKey) };
    const tried = await ports.factors.checkRegistration(toLoggingIn(state), input);
    if (tried.kind === "right") {
      const change = settleFactor(tried, (_, now) => listRegistrableKinds(now).includes("U2F"));
      return { kind: "go-on", change };
    }
    const isTaken = tried.kind === "wrong" && tried.reason === "ALREADY_EXISTS";
    const problem = isTaken ? texts.newFactor.taken : texts.newFactor.wrong;
    return { kind: "page", reply: await render(visit, problem) };
  },
};

async function render(visit: LoginVisit, problem: string | undefined): Promise<Reply> {
  const { issuer, ports, state, texts, cookie } = visit;
  const { title, lead, button } = texts.newFactor;
  const options = await ports.factors.beginRegistration(toLoggingIn(state));
  if (options === undefined) return redirectTo(`${issuer}/login/${state.interaction.id}`);
  const action = `/login/${state.interaction.id}/new-factor`;
  const fields = renderKeyNameField(texts.securityKey);
  const body = html`<p class="lead">${lead}</p>
${renderKeyForm({ texts, action, cookie, ceremony: "registration", options, button, problem, fields })}
${
  listRegistrableKinds(state).includes("TOTP") &&
  html`<p><a class="button second" href="/login/${state.interaction.id}/new-totp">${texts.otherFactor.TOTP}</a></p>`
}
${await renderNewCodeLinks(visit)}`;
  return visit.render({ title, body, scripts: ["webauthn.js"] });
}
