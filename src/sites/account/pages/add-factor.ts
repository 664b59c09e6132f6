import { readKeyAnswer, readKeyName, renderKeyForm, renderKeyNameField } from "../../login/forms/key-form.ts";
import { html } from "../../login/markup/html.ts";
import type { AccountPage } from "../account-page.ts";
import { settleNewFactor, toFactorSession } from "../settle-factor.ts";

/** Lets users add a security key. */
export const addFactorPage: AccountPage = {
  name: "factors/new",
  isGuarded: true,
  async show(visit, fault) {
    const { ports, texts, words, cookie, path, user, render } = visit;
    const { title, button } = texts.newFactor;
    const options = user.policy.secondFactors.includes("U2F")
      ? await ports.factors.beginRegistration(toFactorSession(visit))
      : undefined;
    if (options === undefined)
      return render({ title, body: html`<p class="lead">${words.factors.impossible}</p>` });
    const fields = renderKeyNameField(texts.securityKey);
    const ceremony = "registration" as const;
    const problem = fault?.problem;
    const form = { texts, action: path, cookie, ceremony, options, button, problem, fields };
    const body = html`<p class="lead">${words.factors.newLead}</p>\n${renderKeyForm(form)}`;
    return render({ title, body, scripts: ["webauthn.js"] });
  },
  async submit(visit, form) {
    const { ports, texts } = visit;
    const input = { answer: readKeyAnswer(form), name: readKeyName(form, texts.securityKey) };
    const tried = await ports.factors.checkRegistration(toFactorSession(visit), input);
    const isTaken = tried.kind === "wrong" && tried.reason === "ALREADY_EXISTS";
    if (tried.kind !== "right")
      return await addFactorPage.show(visit, {
        problem: isTaken ? texts.newFactor.taken : texts.newFactor.wrong,
      });
    const settled = await settleNewFactor(visit, tried);
    return "reply" in settled ? settled.reply : await addFactorPage.show(visit, settled.fault);
  },
};
