import { findLanguage, type Language, languages } from "../../../identity/texts/languages.ts";

/** Where a person's languages stand. */
export interface PreferredLanguages {
  /** Of the application's request, the best one first. */
  readonly uiLocales?: readonly string[];
  /** The header, as the browser sent it. */
  readonly acceptLanguage: string | undefined;
}

/** Chooses the language of a page: the first known one of `ui_locales`, then of the browser (RFC 9110 §12.5.4), else English. */
export function chooseLanguage({ uiLocales = [], acceptLanguage = "" }: PreferredLanguages): Language {
  const found = [...uiLocales, ...readAcceptLanguage(acceptLanguage)].map(findLanguage);
  return found.find((language) => language !== undefined) ?? languages[0];
}

function readAcceptLanguage(header: string): readonly string[] {
  const ranges = header.split(",").map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    return { tag, quality: weight === undefined ? 1 : Number(weight.slice(2)) };
  });
  const wanted = ranges.filter(({ quality }) => quality > 0);
  return wanted.toSorted((left, right) => right.quality - left.quality).map(({ tag }) => tag);
}
