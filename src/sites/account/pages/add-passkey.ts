import { readKeyAnswer, readKeyName, renderKeyForm, renderKeyNameField } from "../../login/forms/key-form.ts";
import { html } from "../../login/markup/html.ts";
import type { AccountPage } from "../account-page.ts";
import { settleNewFactor, toFactorSession } from "../settle-factor.ts";
import { arePasskeysOffered } from "./passkeys.ts";

/** Lets users add a passkey. */
export const addPasskeyPage: AccountPage = {
  name: "passkeys/new",
  isGuarded: true,
  async show(visit, fault) {
    const { ports, texts, words, cookie, path, render } = visit;
    const { newTitle: title, newLead, button, failed, impossible } = words.passkeys;
    const options = arePasskeysOffered(visit)
      ? await ports.passkeys.beginRegistration(toFactorSession(visit))
      : undefined;
    if (options === undefined) return render({ title, body: html`<p class="lead">${impossible}</p>` });
    const form = {
      texts,
      words: { ...texts.passkey, failed },
      action: path,
      cookie,
      ceremony: "registration" as const,
      options,
      button,
      problem: fault?.problem,
      fields: renderKeyNameField(words.passkeys),
    };
    const body = html`<p class="lead">${newLead}</p>\n${renderKeyForm(form)}`;
    return render({ title, body, scripts: ["webauthn.js"] });
  },
  async submit(visit, form) {
    const { ports, words } = visit;
    const { wrong, impossible } = words.passkeys;
    if (!arePasskeysOffered(visit)) return await addPasskeyPage.show(visit, { problem: impossible });
    const input = { answer: readKeyAnswer(form), name: readKeyName(form, words.passkeys) };
    const tried = await ports.passkeys.checkRegistration(toFactorSession(visit), input);
    const isTaken = tried.kind === "wrong" && tried.reason === "ALREADY_EXISTS";
    if (tried.kind !== "right")
      return await addPasskeyPage.show(visit, { problem: isTaken ? words.faults.ALREADY_EXISTS : wrong });
    const settled = await settleNewFactor(visit, tried, { place: "passkeys", done: "passkey-added" });
    return "reply" in settled ? settled.reply : await addPasskeyPage.show(visit, settled.fault);
  },
};
