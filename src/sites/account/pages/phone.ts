import { Secret } from "../../../kernel/base/secret.ts";
import { html, type Markup } from "../../login/markup/html.ts";
import type { PageForm } from "../../login/page-form.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { renderChoice, renderCodeForms } from "../code-forms.ts";
import { describedBy, redirectDone, renderForm } from "../render.ts";
import type { DoneName } from "../texts/texts.ts";
import { tryChange } from "../try-change.ts";

type Choice = "set" | "verify" | "resend" | "remove";

/** Lets users set, verify and remove their phone. */
export const phonePage: AccountPage = {
  name: "phone",
  async show(visit, fault) {
    const { words, user, render } = visit;
    const { phone, isPhoneVerified } = user.user;
    const isPending = phone !== "" && !isPhoneVerified;
    const state = isPhoneVerified ? words.verified : words.unverified;
    const body = html`${phone === "" ? html`<p class="lead">${words.phone.lead}</p>` : html`<p class="lead">${phone} (${state})</p>`}
${isPending && renderCodeForms(visit, { to: phone, fault })}
${renderNumberForm(visit, isPending ? undefined : fault)}
${phone !== "" && renderChoice(visit, "remove", words.phone.remove)}`;
    return render({ title: words.places.phone.title, body, fault });
  },
  async submit(visit, form) {
    const choice = choices.find((one) => one === form.get("choice"));
    const fault = choice && (await tryChange(visit, () => work(visit, form)[choice]()));
    return fault === undefined && choice !== undefined
      ? redirectDone(visit, visit.path, doneOf[choice])
      : await phonePage.show(visit, fault);
  },
};

const choices: readonly Choice[] = ["set", "verify", "resend", "remove"];

const doneOf: Readonly<Record<Choice, DoneName>> = {
  set: "phone-set",
  verify: "phone-verified",
  resend: "code-sent",
  remove: "phone-removed",
};

function work(
  { ports, call }: AccountVisit,
  form: PageForm,
): Readonly<Record<Choice, () => Promise<unknown>>> {
  const { phones } = ports.users;
  const { userId } = call.caller;
  const verification = "send-code" as const;
  return {
    set: () => phones.set(call, { userId, phone: (form.get("phone") ?? "").trim(), verification }),
    verify: () => phones.verify(call, { userId, code: new Secret(form.get("code") ?? "") }),
    resend: () => phones.resendCode(call, { userId, verification }),
    remove: () => phones.remove(call, userId),
  };
}

function renderNumberForm(visit: AccountVisit, fault: Fault | undefined): Markup {
  const { label, example, set, replace } = visit.words.phone;
  const { phone } = visit.user.user;
  const fields = html`<input type="hidden" name="choice" value="set">
<div class="field">
<label for="phone">${phone === "" ? label : replace}</label>
<p class="hint" id="example">${example}</p>
<input id="phone" name="phone" type="tel" autocomplete="tel" maxlength="40" required${describedBy(fault) ?? html` aria-describedby="example"`}>
</div>
<button type="submit"${phone !== "" && html` class="second"`}>${set}</button>`;
  return renderForm(visit, fields);
}
