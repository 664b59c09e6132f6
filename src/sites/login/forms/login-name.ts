import type { LoginName } from "../../../identity/people/user/login-name.ts";
import type { LoginPolicy } from "../../../identity/policies/login-policy.ts";
import { languages } from "../../../identity/texts/languages.ts";
import { html, type Markup } from "../markup/html.ts";
import type { LoginState } from "../login-state.ts";
import type { PageForm } from "../page-form.ts";
import type { Texts } from "../texts/texts.ts";

/** Reads the name that somebody typed; the policy of the organization that logs in says what it may be. */
export function readLoginName(state: LoginState, form: PageForm): LoginName {
  const organization = state.requestedOrganization ?? state.application?.organization;
  return {
    name: form.get("username") ?? "",
    kinds: state.policy.loginNames,
    organizationId: organization?.id,
  };
}

/** Renders the field of that name. Its label says what may be typed. */
export function renderLoginName(
  texts: Texts,
  policy: LoginPolicy,
  field: { readonly value: string; readonly attributes: Markup },
): Markup {
  return html`<div class="field">
<label for="username">${labelOf(texts, policy)}</label>
<input id="username" name="username" type="text" value="${field.value}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="200" required${field.attributes}>
</div>`;
}

function labelOf({ locale, password }: Texts, { loginNames }: LoginPolicy): string {
  const names = loginNames.map((kind) => password.names[kind]);
  const label = formats.get(locale)?.format(names) ?? names.join(", ");
  return label.charAt(0).toLocaleUpperCase(locale) + label.slice(1);
}

/** One for each language: to make them for each page would be slow. */
const formats: ReadonlyMap<string, Intl.ListFormat> = new Map(
  languages.map(({ locale }) => [locale, new Intl.ListFormat(locale, { type: "disjunction" })]),
);
