import type { CustomText } from "../../../../gen/console/gatehouse/v1/custom_text_pb.ts";

/** The languages of pages and emails, as the service names them, English first. */
export const pageLanguages = ["en", "de", "fr", "es", "it", "pt", "ar", "ja"] as const;
/** One of them. */
export type PageLanguage = (typeof pageLanguages)[number];

/** A text as the page shows it. */
export type ShownText = Pick<CustomText, "key" | "defaultText" | "text" | "isChangeableByOrganizations">;

/** A text to save. */
export interface SentText {
  readonly key: string;
  readonly text: string;
}

/** Reads which language is chosen; English for none. */
export function toPageLanguage(tag: string | undefined): PageLanguage {
  return pageLanguages.find((language) => language === tag) ?? "en";
}

/** Finds the texts that have every word of the search, in their key or in what they say. An empty search finds all. */
export function findTexts<Text extends ShownText>(
  texts: readonly Text[],
  { search, isChangedOnly }: { readonly search: string; readonly isChangedOnly: boolean },
): readonly Text[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return texts.filter(({ key, defaultText, text }) => {
    const all = `${key}\n${defaultText}\n${text}`.toLowerCase();
    return (!isChangedOnly || text !== "") && words.every((word) => all.includes(word));
  });
}

/** Returns the texts to save, in which one says something else and the others stay. An empty one gives the default back. */
export function withText(texts: readonly ShownText[], { key, text }: SentText): readonly SentText[] {
  const others = texts.filter((each) => each.text !== "" && each.key !== key);
  return [
    ...others.map((each) => ({ key: each.key, text: each.text })),
    ...(text === "" ? [] : [{ key, text }]),
  ];
}
