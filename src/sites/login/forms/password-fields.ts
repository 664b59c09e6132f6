import type { Problem } from "../../../kernel/base/problem.ts";
import type { PasswordRule } from "../../../identity/people/passwords/password.ts";
import { html, type Markup } from "../markup/html.ts";
import type { PageForm } from "../page-form.ts";
import type { PasswordFault, Texts } from "../texts/texts.ts";

/** Makes the fields for a new password. Password managers learn whose it is by the name that stands first. */
export function renderNewPasswordFields(texts: Texts, username: string | undefined): Markup {
  const owner =
    username !== undefined &&
    html`<input type="text" name="username" value="${username}" autocomplete="username" hidden readonly>
`;
  return html`${owner}${renderFields(texts.newPassword, undefined)}`;
}

/** Makes the fields for the password of a new account, with the demands of the policy. */
export function renderFirstPasswordFields(texts: Texts, minLength: number): Markup {
  const { password, repeated, atLeast } = texts.firstPassword;
  return renderFields({ password, repeated }, atLeast({ minLength }));
}

function renderFields(
  { password, repeated }: Pick<Texts["firstPassword"], "password" | "repeated">,
  hint: Markup | undefined,
): Markup {
  const described = hint === undefined ? undefined : html` aria-describedby="password-hint"`;
  return html`<div class="field">
<label for="password">${password}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required${described}>
${hint !== undefined && html`<p class="hint" id="password-hint">${hint}</p>`}
</div>
<div class="field">
<label for="repeated">${repeated}</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required>
</div>`;
}

/** Reads the new password, or what is wrong with it for every user. */
export function readNewPassword(
  form: PageForm,
): { readonly password: string } | { readonly fault: PasswordFault } {
  const password = form.get("password") ?? "";
  return password === (form.get("repeated") ?? "") ? { password } : { fault: "not_repeated" };
}

/** A new password that cannot be set. Thrown in a write it undoes all that was done. */
export class FaultyPassword extends Error {
  readonly fault: PasswordFault;
  /** What the user's organization demands. */
  readonly minLength: number;

  constructor(fault: PasswordFault, minLength: number) {
    super(fault);
    this.name = "FaultyPassword";
    this.fault = fault;
    this.minLength = minLength;
  }
}

/** Returns the rule that the problem of a new password names. Raises any other problem. */
export function faultOf(problem: Problem): PasswordFault {
  const fault = passwordRules.find((rule) => rule === problem.metadata["rule"]);
  if (problem.reason !== "PASSWORD_TOO_WEAK" || fault === undefined) throw problem;
  return fault;
}

const passwordRules: readonly PasswordRule[] = ["min_length", "max_length", "personal", "common", "breached"];
