/** A mail before it is addressed. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/**
 * The mails in one language. They hold nothing that a user or an administrator has typed: a user who registers another person's
 * address must not choose what they read.
 */
export interface MailTexts {
  /** With the code that verifies the address. */
  verification(code: string, minutes: number): MailText;
  /** With the link that sets the password. */
  password(link: string, minutes: number): MailText;
}

/** The languages of mails. */
export type MailLanguage = "en" | "de";

/** The language that the user prefers; English where there are no such texts. */
export function mailLanguageOf({ preferredLanguage }: { readonly preferredLanguage: string }): MailLanguage {
  return /^de(?:-|$)/i.test(preferredLanguage) ? "de" : "en";
}
