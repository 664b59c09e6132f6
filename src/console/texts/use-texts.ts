import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import type { Language, Translations } from "./language.ts";

/** The language that the console speaks now, and how to change it. */
export interface LanguageChoice {
  readonly language: Language;
  /** Changes the language of all pages, and keeps it in this browser. */
  choose(language: Language): void;
}

/** Makes texts of values, as the language writes them. */
export interface Formats {
  /** Date and time in the time zone of the browser; empty for an absent one. */
  date(timestamp: Timestamp | undefined): string;
  /** Likewise, with seconds: where the order of things matters. */
  exactDate(timestamp: Timestamp | undefined): string;
  /** A day such as `2030-12-31`; empty for an empty text. */
  day(date: string): string;
  number(value: number | bigint): string;
}

/** Gives the language to all components; the app provides it. */
export const LanguageContext = createContext<LanguageChoice>({ language: "en", choose: () => undefined });

/** Returns the texts in the language of the console. */
export function useTexts<T>(translations: Translations<T>): T {
  return translations[useContext(LanguageContext).language];
}

/** Returns the language of the console. */
export function useLanguage(): LanguageChoice {
  return useContext(LanguageContext);
}

/** Returns the formats of the language. */
export function useFormats(): Formats {
  const { language } = useContext(LanguageContext);
  return useMemo(() => {
    const locale = language === "en" ? "en-GB" : "de-DE";
    const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
    const exactDates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium" });
    const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
    const numbers = new Intl.NumberFormat(locale);
    return {
      date: (timestamp) => (timestamp === undefined ? "" : dates.format(timestampDate(timestamp))),
      exactDate: (timestamp) => (timestamp === undefined ? "" : exactDates.format(timestampDate(timestamp))),
      day: (date) => (date === "" ? "" : days.format(new Date(date))),
      number: (value) => numbers.format(value),
    };
  }, [language]);
}
