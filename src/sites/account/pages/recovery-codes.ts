import { findRecoveryCodes } from "../../../identity/factors/recovery-codes/repository.ts";
import { hasReadyFactor } from "../../../identity/factors/second-factors/repository.ts";
import { html, type Markup } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { formatDate, redirectDone, renderForm } from "../render.ts";

/** Makes and removes the codes with which users without their second factor log in. */
export const recoveryCodesPage: AccountPage = {
  name: "recovery-codes",
  isGuarded: true,
  async show(visit) {
    const { ports, user, words, render } = visit;
    const { lead, made, make, replace, remove, none } = words.recoveryCodes;
    const { codes, hasFactor } = await ports.context.database.read(async (tx) => ({
      codes: await findRecoveryCodes(tx, user.user.id),
      hasFactor: await hasReadyFactor(tx, user.user.id),
    }));
    const state =
      codes === undefined
        ? none
        : made({ date: formatDate(visit, codes.details.creationDate), remaining: codes.remaining });
    const body = html`<p class="lead">${lead}</p>
<p class="lead">${state}</p>
${hasFactor && renderChoice(visit, "make", codes === undefined ? make : replace)}
${codes !== undefined && renderChoice(visit, "remove", remove)}`;
    return render({ title: words.places["recovery-codes"].title, body });
  },
  async submit(visit, form) {
    const { ports, call, path, words, render } = visit;
    const { userId } = call.caller;
    if (form.get("choice") === "remove") {
      await ports.users.recoveryCodes.remove(call, userId);
      return redirectDone(visit, path, "codes-removed");
    }
    // They are in this answer and nowhere else, so there is no page that shows them again.
    const { codes } = await ports.users.recoveryCodes.generate(call, userId);
    const body = html`<p class="lead" role="status">${words.recoveryCodes.keep}</p>
<ul class="codes">${codes.map((code) => html`<li>${code.reveal()}</li>\n`)}</ul>
<p class="more"><a class="button" href="${path}">${words.recoveryCodes.kept}</a></p>`;
    return render({ title: words.places["recovery-codes"].title, body });
  },
};

function renderChoice(visit: AccountVisit, choice: "make" | "remove", label: string): Markup {
  const fields = html`<input type="hidden" name="choice" value="${choice}">
<button type="submit"${choice === "remove" && html` class="second"`}>${label}</button>`;
  return renderForm(visit, fields);
}
