import { isEmailAddress } from "../../../kernel/base/message-providers.ts";
import { isVisible } from "../../../kernel/base/names/visible-name.ts";
import { html, type Markup } from "../markup/html.ts";
import type { PageForm } from "../page-form.ts";
import type { ProfileFault, Texts } from "../texts/texts.ts";

/** The profile that a person has typed for a new account. */
export interface TypedProfile {
  readonly username: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly email: string;
}

const maxLength = 200;
/** Reads the fields of the form as they were typed. */
export function readProfile(form: PageForm): TypedProfile {
  return {
    username: form.get("username") ?? "",
    givenName: form.get("given_name") ?? "",
    familyName: form.get("family_name") ?? "",
    email: form.get("email") ?? "",
  };
}

/** A field of a profile. */
export type TypedField = keyof TypedProfile;

/** All fields, in the order in which a form has them. */
export const profileFields: readonly TypedField[] = ["username", "givenName", "familyName", "email"];

/** Finds the first field that AddHumanUser would refuse, by the same rules; undefined when there is none. */
export function findProfileFault(profile: TypedProfile): Exclude<ProfileFault, "username_taken"> | undefined {
  const first = profileFields.find((field) => !isFieldRight(profile, field));
  return first && names[first];
}

/** Says whether AddHumanUser would accept the field. */
export function isFieldRight(profile: TypedProfile, field: TypedField): boolean {
  return isProfileText(profile[field]) && (field !== "email" || isEmailAddress(profile.email));
}

/** Says whether the text can be a name: 1 to 200 characters, not only white space, no control or invisible characters. */
export function isProfileText(value: string): boolean {
  const isShort = value.trim() !== "" && Array.from(value).length <= maxLength;
  return isShort && !/\p{Cc}/u.test(value) && isVisible(value);
}

/**
 * Makes the fields, by default all, filled with what was typed before. The field that `fault` names is marked, and has the focus; else
 * the first has it, unless `isSecond` says that the page has something more important.
 */
export function renderProfileFields(
  texts: Texts,
  profile: TypedProfile,
  {
    fault,
    fields = profileFields,
    isSecond = false,
  }: {
    readonly fault?: ProfileFault | undefined;
    readonly fields?: readonly TypedField[];
    readonly isSecond?: boolean;
  } = {},
): readonly Markup[] {
  const faulty = fault === "username_taken" ? "username" : fault;
  const focused = faulty ?? (!isSecond && fields[0] && names[fields[0]]);
  return fields.map((field) => {
    const name = names[field];
    return html`<div class="field">
<label for="${name}">${texts.profile[field]}</label>
<input id="${name}" name="${name}" type="text" value="${profile[field]}" maxlength="${maxLength}" required${attributes[field]}${name === faulty && isFaulty}${name === focused && html` autofocus`}>
</div>
`;
  });
}

/** What the form calls each field. */
const names = {
  username: "username",
  givenName: "given_name",
  familyName: "family_name",
  email: "email",
} as const;

const attributes: Readonly<Record<TypedField, Markup>> = {
  username: html` autocomplete="username" autocapitalize="none" spellcheck="false"`,
  givenName: html` autocomplete="given-name"`,
  familyName: html` autocomplete="family-name"`,
  email: html` autocomplete="email" inputmode="email" autocapitalize="none" spellcheck="false"`,
};

const isFaulty = html` aria-invalid="true" aria-describedby="problem"`;
