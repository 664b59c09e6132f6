import type { CodeFactorKind } from "../../../identity/policies/login-policy.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { formTokenField } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import type { Texts } from "../texts/texts.ts";
import { renderFactorCodeForm } from "./factor-code-form.ts";

/** What a page shows that sends a code as a second factor, and takes it. */
export interface SentCodeForms {
  readonly texts: Texts;
  readonly action: string;
  readonly cookie: Secret;
  readonly kind: CodeFactorKind;
  /** Where the code goes, as it is shown. */
  readonly address: string;
  /** What went wrong before. */
  readonly problem: string | Markup | undefined;
  /** Whether a code may be on its way already. */
  readonly isSent: boolean;
}

/** Makes the button that sends a code, and the form that takes it once one was sent. They work without script. */
export function renderSentCodeForms(forms: SentCodeForms): Markup {
  const { texts, action, cookie, kind, address, problem, isSent } = forms;
  const { leads, sent, send, again } = texts.sentCode;
  const { code: label, submit: button } = texts.totp;
  const sending = html`<form method="post" action="${action}">
${formTokenField(cookie)}
<input type="hidden" name="choice" value="send">
<button type="submit"${isSent && html` class="second"`}>${isSent ? again : send}</button>
</form>`;
  if (isSent)
    return html`<p class="lead" role="status">${sent({ address })}</p>
${renderFactorCodeForm({ action, cookie, kind: "app", label, button, problem })}
${sending}`;
  return html`<p class="lead">${leads[kind]({ address })}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
${sending}`;
}
