import { isolate } from "./isolate.ts";

/** The languages of the console. */
export const languages = ["en", "de"] as const;

/** A language of the console. */
export type Language = (typeof languages)[number];

/** The texts of a page or a component, in every language. */
export type Translations<T> = Readonly<Record<Language, T>>;

/** Texts of the kind that T is: each text may differ, none may be missing or be one more. */
type Complete<T> = {
  readonly [Key in keyof T]: T[Key] extends string
    ? string
    : T[Key] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Complete<T[Key]>;
};

/**
 * Declares texts. English says which texts there are; the compiler refuses a German text that is missing or unknown. The values in
 * a text are isolated.
 */
export function defineTexts<const T>(en: T, de: NoInfer<Complete<T>>): Translations<Complete<T>> {
  return { en: isolateNames(en as Complete<T>), de: isolateNames(de) }; // T is complete in itself
}

/** Wraps each text with values in it. The rest of the texts, and their form, stay as they are. */
function isolateNames<T>(texts: T): T {
  if (typeof texts === "function") {
    const fill = texts as unknown as (...values: readonly unknown[]) => unknown; // a text, as Complete says
    return ((...values: readonly unknown[]) =>
      fill(...values.map((value) => (typeof value === "string" ? isolate(value) : value)))) as T;
  }
  if (typeof texts !== "object" || texts === null || Array.isArray(texts)) return texts;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, isolateNames(text)])) as T;
}

/** Chooses by what the user once chose, else by the languages of the browser, else English. */
export function chooseLanguage(chosen: string | null, preferred: readonly string[]): Language {
  const wanted = [...(chosen === null ? [] : [chosen]), ...preferred].map(
    (tag) => tag.toLowerCase().split("-")[0],
  );
  return languages.find((language) => language === wanted.find((tag) => isLanguage(tag))) ?? "en";
}

function isLanguage(tag: string | undefined): boolean {
  return languages.some((language) => language === tag);
}
