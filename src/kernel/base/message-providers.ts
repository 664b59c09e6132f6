/** A text for a phone number in E.164 form (`+41791234567`). */
export interface SmsMessage {
  readonly to: string;
  readonly text: string;
}

/** Delivers text messages. */
export interface SmsProvider {
  /**
   * Resolves when the message was handed over. Otherwise rejects, in bounded time and after all attempts; the message
   * may still arrive if only the answer was lost. The error holds neither the text nor the number.
   */
  send(message: SmsMessage): Promise<void>;
}

/** A mail. */
export interface MailMessage {
  /** A mail that is sent a second time has the same one, by which its receiver can tell. Letters, digits and hyphens. */
  readonly id?: string;
  /** An address such as `ada@example.com`, without a name. */
  readonly to: string;
  /** One line. */
  readonly subject: string;
  /** Lines end with `\n`. */
  readonly text: string;
  /** The same as a document of HTML; absent: there is none. */
  readonly html?: string;
}

/** Delivers mails. */
export interface MailProvider {
  /**
   * Resolves when the mail was handed over. Otherwise rejects, in bounded time and after all attempts; the mail may still
   * arrive if only the answer was lost. The error holds neither the text nor the address.
   */
  send(message: MailMessage): Promise<void>;
}

const maxEmailLength = 200;

/** HTML §4.10.5.1.5: the form of an address that browsers take, which has neither quotes, spaces nor line breaks. */
const emailPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;

/** Says whether the text is an email address that a user may have, by the rules of AddHumanUser. */
export function isEmailAddress(text: string): boolean {
  return text.length <= maxEmailLength && emailPattern.test(text);
}
