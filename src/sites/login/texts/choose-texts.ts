import { de } from "./de.ts";
import { en } from "./en.ts";
import type { Texts } from "./texts.ts";

const languages: ReadonlyMap<string, Texts> = new Map([
  ["en", en],
  ["de", de],
]);

/** Where a person's languages stand. */
export interface PreferredLanguages {
  /** Of the application's request, the best one first. */
  readonly uiLocales?: readonly string[];
  /** The header, as the browser sent it. */
  readonly acceptLanguage: string | undefined;
}

/** Chooses the language of a page: the first known one of `ui_locales`, then of the browser (RFC 9110 §12.5.4), else English. */
export function chooseTexts({ uiLocales = [], acceptLanguage = "" }: PreferredLanguages): Texts {
  const found = [...uiLocales, ...readAcceptLanguage(acceptLanguage)].map(findTexts);
  return found.find((texts) => texts !== undefined) ?? en;
}

/** RFC 4647 §3.4: `de-AT` is served in `de`. */
function findTexts(tag: string): Texts | undefined {
  return languages.get(tag.toLowerCase().split("-")[0] ?? "");
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
