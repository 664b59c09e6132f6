import type { Secret } from "../../../kernel/base/secret.ts";
import { formTokenField } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";

/** A form in which people type the code of an authenticator app, or a recovery code. */
export interface FactorCodeForm {
  readonly action: string;
  readonly cookie: Secret;
  readonly kind: "app" | "recovery";
  readonly label: string;
  readonly button: string;
  /** What went wrong before. */
  readonly problem?: string | Markup | undefined;
  /** What stands above the field. */
  readonly fields?: Markup | undefined;
}

/** Codes of an app are digits: phones show a keyboard for them and fill them in by themselves. */
const attributesOf: Readonly<Record<FactorCodeForm["kind"], Markup>> = {
  app: html` inputmode="numeric" autocomplete="one-time-code" maxlength="20"`,
  recovery: html` autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40"`,
};

/** Makes the form. It works without script. */
export function renderFactorCodeForm(form: FactorCodeForm): Markup {
  const { action, cookie, kind, label, button, problem, fields } = form;
  const faulty = problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;
  const hasFocus = fields === undefined || problem !== undefined; // or a phone would scroll past what stands above
  return html`${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="${action}">
${formTokenField(cookie)}
${fields}
<div class="field">
<label for="code">${label}</label>
<input id="code" name="code" type="text"${attributesOf[kind]} required${hasFocus && html` autofocus`}${faulty}>
</div>
<button type="submit">${button}</button>
</form>`;
}
