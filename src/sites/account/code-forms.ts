import { html, type Markup } from "../login/markup/html.ts";
import type { AccountVisit, Fault } from "./account-page.ts";
import { describedBy, renderForm } from "./render.ts";

/** Makes the forms that take the code that was sent to an address (`verify`), and have another one sent (`resend`). */
export function renderCodeForms(
  visit: AccountVisit,
  { to, fault }: { readonly to: string; readonly fault: Fault | undefined },
): Markup {
  const { lead, code, verify, resend } = visit.words.codes;
  const fields = html`<input type="hidden" name="choice" value="verify">
<div class="field">
<label for="code">${code}</label>
<p class="hint" id="sent">${lead({ address: to })}</p>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required${describedBy(fault) ?? html` aria-describedby="sent"`}>
</div>
<button type="submit">${verify}</button>`;
  return html`${renderForm(visit, fields)}
${renderChoice(visit, "resend", resend)}`;
}

/** Makes the form of a choice that needs no fields. */
export function renderChoice(visit: AccountVisit, choice: string, label: string): Markup {
  const fields = html`<input type="hidden" name="choice" value="${choice}">
<button type="submit" class="second">${label}</button>`;
  return renderForm(visit, fields);
}
