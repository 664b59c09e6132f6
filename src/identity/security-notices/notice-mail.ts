import { toShownName } from "../texts/shown-name.ts";
import type { MailText } from "../people/emails/mail-text.ts";
import type { Language } from "../texts/languages.ts";
import { type MailTexts, toMailTexts } from "../texts/mail-texts.ts";
import type { SecurityChange } from "./security-notice.ts";

/** The maker of a change. */
export type ChangedBy =
  /** Somebody with the account of the user. */
  | { readonly kind: "account"; readonly remoteAddress: string | undefined }
  /** Somebody else who may change it. `name` can be shown; undefined: it cannot be found out any more. */
  | { readonly kind: "administrator"; readonly name: string | undefined }
  | { readonly kind: "service" };

/** A change as a mail tells of it. */
export interface ToldChange {
  readonly change: SecurityChange;
  readonly dateMs: number;
  readonly by: ChangedBy;
}

/** What a mail says. */
export interface NoticeContent {
  /** The oldest one first. */
  readonly changes: readonly ToldChange[];
  /** How many others there are, which it does not list. */
  readonly more: number;
  /** Where the users look after their account; undefined: the service has no such pages. */
  readonly accountLink: string | undefined;
}

/**
 * Makes the mail that tells of changes. It names nothing that an attacker could use: no code, no name of a factor, no new address.
 */
export function toNoticeMail({ locale, words }: Language, content: NoticeContent): MailText {
  const texts = toMailTexts<"notices">(words.notices);
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const listed = content.changes.map(
    ({ change, dateMs, by }) =>
      `- ${texts.changes[change]}\n  ${texts.at({ date: format.format(dateMs) })}\n  ${toBy(texts, by)}`,
  );
  const more = content.more === 0 ? [] : [texts.more({ count: content.more })];
  const link = content.accountLink === undefined ? [] : [content.accountLink];
  const parts = [
    texts.greeting,
    ...listed,
    ...more,
    texts.expected,
    texts.unexpected,
    ...link,
    texts.lockedOut,
  ];
  return { subject: texts.subject, text: `${parts.join("\n\n")}\n` };
}

function toBy(texts: MailTexts<"notices">, by: ChangedBy): string {
  switch (by.kind) {
    case "account":
      return by.remoteAddress === undefined
        ? texts.byAccount
        : texts.byAccountAt({ address: by.remoteAddress });
    case "administrator": {
      const name = by.name === undefined ? undefined : toShownName(by.name);
      return name === undefined ? texts.byAdministrator : texts.byNamedAdministrator({ name });
    }
    case "service":
      return texts.byService;
  }
}
