// The links at the foot of pages and mails: terms, privacy policy, help.
import type { FieldViolation } from "../../kernel/base/problem.ts";
import { urlViolation } from "../../kernel/base/url.ts";
import type { Language } from "../texts/languages.ts";

/** Where people find terms, privacy policy and help. Each may be empty: there is no such link. */
export interface LegalLinks {
  readonly termsUrl: string;
  readonly privacyUrl: string;
  readonly helpUrl: string;
  readonly supportEmail: string;
}

/** Nobody has set a link. */
export const noLinks: LegalLinks = { termsUrl: "", privacyUrl: "", helpUrl: "", supportEmail: "" };

/** Returns a violation for each address that is not https. The rules of the proto check the email address. */
export function checkLegalLinks(links: LegalLinks): readonly FieldViolation[] {
  const fields = { terms_url: links.termsUrl, privacy_url: links.privacyUrl, help_url: links.helpUrl };
  return Object.entries(fields).flatMap(([field, url]) => {
    const description = url === "" ? undefined : legalUrlViolation(url);
    return description === undefined ? [] : [{ field, description }];
  });
}

/** Lists the links that there are, with their texts. The one to the email address shows the address. */
export function listLegalLinks(
  { termsUrl, privacyUrl, helpUrl, supportEmail }: LegalLinks,
  { terms, privacy, help }: Language["words"]["login"]["legal"],
): readonly { readonly text: string; readonly url: string }[] {
  const links = [
    { text: terms, url: termsUrl },
    { text: privacy, url: privacyUrl },
    { text: help, url: helpUrl },
    { text: supportEmail, url: supportEmail && toMailUrl(supportEmail) },
  ];
  return links.filter(({ url }) => url !== "");
}

/** Says what is wrong with the text as an https URL of a link, in words that follow the name of a field; undefined: nothing. */
export function legalUrlViolation(url: string): string | undefined {
  const fault = urlViolation(url, { allowQuery: true });
  return fault ?? (/^https:/i.test(url) ? undefined : "must be an https URL");
}

/** RFC 6068 §2: what has a meaning in a URL is encoded, but for the `@` of the address. */
function toMailUrl(address: string): string {
  return `mailto:${encodeURIComponent(address).replaceAll("%40", "@")}`;
}
