import { Problem } from "../../../kernel/base/problem.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { faultOf, readNewPassword, renderNewPasswordFields } from "../../login/forms/password-fields.ts";
import { html } from "../../login/markup/html.ts";
import type { PageForm } from "../../login/page-form.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { describedBy, formatDate, redirectDone, renderForm } from "../render.ts";
import { tryChange } from "../try-change.ts";
import { toRuleText } from "../../login/texts/texts.ts";

/** Lets users change their password. They type the former one, and every other session of theirs ends. */
export const changePasswordPage: AccountPage = {
  name: "password",
  isGuarded: true,
  async show(visit, fault) {
    const { texts, words, user, render } = visit;
    const { hasPassword, passwordChangeDate, username } = user.user;
    const { title } = words.places.password;
    if (!hasPassword) return render({ title, body: html`<p class="lead">${words.password.none}</p>` });
    const { lead, changed, submit } = words.password;
    const { current } = texts.newPassword;
    const fields = html`<div class="field">
<label for="current">${current}</label>
<input id="current" name="current" type="password" autocomplete="current-password" required${describedBy(fault)}>
</div>
${renderNewPasswordFields(texts, username)}
<button type="submit">${submit}</button>`;
    const body = html`<p class="lead">${lead}</p>
${passwordChangeDate !== undefined && html`<p class="lead">${changed({ date: formatDate(visit, passwordChangeDate) })}</p>`}
${renderForm(visit, fields)}`;
    return render({ title, body, fault });
  },
  async submit(visit, form) {
    const fault = await change(visit, form);
    return fault === undefined
      ? redirectDone(visit, visit.path, "password-set")
      : await changePasswordPage.show(visit, fault);
  },
};

async function change(visit: AccountVisit, form: PageForm): Promise<Fault | undefined> {
  const { ports, call, texts, user } = visit;
  const { minPasswordLength } = user.policy;
  const current = form.get("current") ?? "";
  const read = readNewPassword(form);
  if ("fault" in read) return { problem: toRuleText(texts, read.fault, minPasswordLength) };
  if (read.password === current) return { problem: texts.newPassword.rules.same };
  try {
    return await tryChange(visit, () =>
      ports.users.passwords.set(call, {
        userId: call.caller.userId,
        password: new Secret(read.password),
        isChangeRequired: false,
        proof: { kind: "current-password", password: new Secret(current) },
      }),
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.reason !== "PASSWORD_TOO_WEAK") throw error;
    return { problem: toRuleText(texts, faultOf(error), minPasswordLength) };
  }
}
