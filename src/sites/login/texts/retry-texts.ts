/** What the page of a request that was refused for now says about another try. */
export interface RetryTexts {
  /** The link that sends the same request once more. */
  readonly again: string;
  /** Stands where a link could not repeat the request. */
  readonly goBack: string;
  /** `when` is such as "in 30 seconds". */
  readonly sentences: {
    readonly "too-many-requests": (when: string) => string;
    readonly unavailable: (when: string) => string;
  };
  /** The link to the start page. */
  readonly start: string;
  /** The link to the console. */
  readonly openConsole: string;
}

const english: RetryTexts = {
  again: "Try again",
  goBack: "To try again, go back in your browser and repeat the last step.",
  sentences: {
    "too-many-requests": (when) => `Please try again ${when}. Nothing was done.`,
    unavailable: (when) => `Please try again ${when}.`,
  },
  start: "Go to the start page",
  openConsole: "Go to the console",
};

const german: RetryTexts = {
  again: "Noch einmal versuchen",
  goBack: "Gehen Sie dazu in Ihrem Browser zurück und wiederholen Sie den letzten Schritt.",
  sentences: {
    "too-many-requests": (when) => `Bitte ${when} noch einmal versuchen. Es wurde nichts getan.`,
    unavailable: (when) => `Bitte ${when} noch einmal versuchen.`,
  },
  start: "Zur Startseite",
  openConsole: "Zur Konsole",
};

/** Returns the words in the language of the page. */
export function retryTextsOf(language: string): RetryTexts {
  return language === "de" ? german : english;
}

/** Says when something may be tried again, such as "in 30 seconds": never earlier than it may be. */
export function toWaitText(language: string, seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  if (seconds <= 90) return format.format(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  return minutes <= 90 ? format.format(minutes, "minute") : format.format(Math.ceil(seconds / 3600), "hour");
}
