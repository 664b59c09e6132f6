import { isEmailAddress } from "../../../kernel/base/message-providers.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { html } from "../../login/markup/html.ts";
import type { PageForm } from "../../login/page-form.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { renderCodeForms } from "../code-forms.ts";
import { describedBy, redirectDone, renderForm } from "../render.ts";
import type { DoneName } from "../texts/texts.ts";
import { tryChange } from "../try-change.ts";

type Choice = "set" | "verify" | "resend";

/** Lets users change and verify their email address. Codes that set a password go there, so it takes a recent login. */
export const emailPage: AccountPage = {
  name: "email",
  isGuarded: true,
  async show(visit, fault) {
    const { words, user, render } = visit;
    const { email, isEmailVerified } = user.user;
    const isPending = email !== "" && !isEmailVerified;
    const state = isEmailVerified ? words.verified : words.unverified;
    const { lead, label, replace, set } = words.email;
    const fields = html`<input type="hidden" name="choice" value="set">
<div class="field">
<label for="email">${email === "" ? label : replace}</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="${maxLength}" required${!isPending && describedBy(fault)}>
</div>
<button type="submit"${email !== "" && html` class="second"`}>${set}</button>`;
    const body = html`<p class="lead">${email === "" ? lead : `${email} (${state})`}</p>
${isPending && renderCodeForms(visit, { to: email, fault })}
${renderForm(visit, fields)}`;
    return render({ title: words.places.email.title, body, fault });
  },
  async submit(visit, form) {
    const choice = choices.find((one) => one === form.get("choice"));
    const fault = choice && (await change(visit, form, choice));
    return fault === undefined && choice !== undefined
      ? redirectDone(visit, visit.path, doneOf[choice])
      : await emailPage.show(visit, fault);
  },
};

const maxLength = 200;

const choices: readonly Choice[] = ["set", "verify", "resend"];

const doneOf: Readonly<Record<Choice, DoneName>> = {
  set: "email-set",
  verify: "email-verified",
  resend: "code-sent",
};

async function change(visit: AccountVisit, form: PageForm, choice: Choice): Promise<Fault | undefined> {
  const { ports, call, words, user } = visit;
  const { emails } = ports.users;
  const { userId } = call.caller;
  const verification = "send-code" as const;
  switch (choice) {
    case "set": {
      const email = (form.get("email") ?? "").trim();
      if (!isEmailAddress(email) || email.length > maxLength) return { problem: words.faults.FIELD_INVALID };
      if (email === user.user.email) return { problem: words.email.same };
      return await tryChange(visit, () => emails.set(call, { userId, email, verification }));
    }
    case "verify": {
      const code = new Secret(form.get("code") ?? "");
      return await tryChange(visit, () => emails.verify(call, { userId, code }));
    }
    case "resend":
      return await tryChange(visit, () => emails.resendCode(call, { userId, verification }));
  }
}
