import { type AllWords, type Language, languages } from "../../../identity/texts/languages.ts";
import { type Fill, type Phrases, toPhrases, type Words } from "../../../identity/texts/languages/words.ts";
import type { PasswordRule } from "../../../identity/people/passwords/password.ts";
import { html, isolate, type Markup } from "../markup/html.ts";

/** A part of the texts as pages use it: a text that holds values makes HTML of them. */
export type PageTexts<Part extends keyof AllWords> = Phrases<
  AllWords[Part],
  string | number | Markup,
  Markup
>;

/** All that the pages of signing in say, in one language. */
export interface Texts extends PageTexts<"login"> {
  /** As in the attribute `lang`. */
  readonly language: string;
  readonly locale: string;
  readonly direction: Language["direction"];
  /** The name of the instance, which pages show where no organization's name is due. */
  readonly instanceName: string;
}

/** Returns the texts of the pages of signing in. */
export function toTexts(language: Language): Texts {
  return ofProduct.get(language) ?? makeTexts(language);
}

function makeTexts({ tag: language, locale, direction, words }: Language): Texts {
  const phrases = toPageTexts<"login">(words.login);
  return { ...phrases, language, locale, direction, instanceName: "Gatehouse" };
}

/** Makes a part of the texts ready for pages. */
export function toPageTexts<Part extends keyof AllWords>(words: Words): PageTexts<Part> {
  return toPhrases<AllWords[Part], string | number | Markup, Markup>(words, fillHtml);
}

/** Text that comes from elsewhere is isolated: it changes the direction of nothing around it. */
const fillHtml: Fill<string | number | Markup, Markup> = (parts, values) => {
  const shown = values.map((value) => (typeof value === "string" ? isolate(value) : value));
  return html(parts, ...shown);
};

/** Where nobody has changed them: there are hundreds, of which a page has a few. */
const ofProduct: ReadonlyMap<Language, Texts> = new Map(
  languages.map((language) => [language, makeTexts(language)]),
);

/** Says which rule a new password breaks. */
export function toRuleText(
  { newPassword: { rules } }: Pick<Texts, "newPassword">,
  fault: PasswordFault,
  minLength: number,
): string | Markup {
  return fault === "min_length" ? rules.min_length({ least: minLength }) : rules[fault];
}

/** A title, and what a person can do. */
export type ErrorText = Texts["logout"]["done"];

/** How the login of a device ends. `gone`: the device does not wait any more. */
export type DeviceEnd = keyof Texts["device"]["ends"];

/** What can be wrong with what people say about themselves. */
export type ProfileFault = keyof Texts["profile"]["faults"];

/** What can be wrong with a new password. */
export type PasswordFault = PasswordRule | "not_repeated" | "same";

/** An identity at a provider, as people call both. The identity is empty where the provider does not say. */
export interface IdentityNames {
  readonly provider: string;
  readonly identity: string;
}
