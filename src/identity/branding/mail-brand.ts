// How mails look: as the organization of their user, or else the instance, wants it.
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { escapeHtml } from "../../kernel/base/escape-html.ts";
import { findOrganization } from "../organizations/repository.ts";
import type { Language } from "../texts/languages.ts";
import { toShownName } from "../texts/shown-name.ts";
import { listLegalLinks, noLinks } from "./legal-links.ts";
import { readInstanceBrand, readOwnBrand } from "./brands.ts";
import type { LabelImageKind, LabelPolicy } from "./label-policy.ts";
import { imagePathOf } from "./paths.ts";
import { toPalette } from "./palette.ts";

/** The look of a mail. */
export interface MailBrand {
  readonly brand: LabelPolicy;
  /** Of whom the mail comes, so that no mail program makes a link of it; undefined: the product. */
  readonly organization: string | undefined;
  /** Where images are; undefined: the service has no pages, and mails no images. */
  readonly issuer: string | undefined;
}

/** A mail before it is addressed. */
interface PlainMail {
  readonly subject: string;
  readonly text: string;
}

/** What stands at its end. */
interface MailFoot {
  readonly names: readonly string[];
  readonly links: ReturnType<typeof listLegalLinks>;
}

const productName = "Gatehouse";

/** Reads how mails to users of an organization look; undefined: plain, because nobody has set a branding. */
export async function readMailBrand(
  tx: ReadTransaction,
  organizationId: string,
  issuer: string | undefined,
): Promise<MailBrand | undefined> {
  const own = await readOwnBrand(tx, organizationId);
  const organization = own && (await findOrganization(tx, organizationId));
  const brand = organization ? own : await readInstanceBrand(tx);
  return brand && { brand, organization: organization && toShownName(organization.name), issuer };
}

/**
 * The look of mails that users must be able to trust: they name the product beside the organization, and no link in them is one that
 * an administrator has chosen.
 */
export function asTrusted(look: MailBrand): MailBrand {
  return { ...look, brand: { ...look.brand, links: noLinks, hideProductName: false } };
}

/** Signs the text with the names of the branding, and adds the same as HTML in its colors. */
export function wearBrand<T extends PlainMail>(
  mail: T,
  look: MailBrand | undefined,
  language: Language,
): T & { readonly html?: string } {
  if (look === undefined) return mail;
  const { brand, organization } = look;
  const names = [organization, brand.hideProductName ? undefined : productName].filter(
    (name) => name !== undefined,
  );
  const links = listLegalLinks(brand.links, language.words.login.legal);
  const foot = [...names, ...links.map(({ text, url }) => (/^https:/i.test(url) ? `${text}: ${url}` : text))];
  // RFC 3676 §4.3: what follows these characters is a signature.
  const text = foot.length === 0 ? mail.text : `${mail.text}\n-- \n${foot.join("\n")}\n`;
  return { ...mail, text, html: toHtml(mail, { ...look, names, links }, language) };
}

function toHtml(
  { subject, text }: PlainMail,
  { brand, issuer, organization, names, links }: MailBrand & MailFoot,
  { tag, direction }: Language,
): string {
  const { page, card, quiet, text: font } = toPalette(brand.light);
  const anchors = links.map(
    ({ text: name, url }) => `<a href="${escapeHtml(url)}" style="color:${quiet}">${escapeHtml(name)}</a>`,
  );
  const foot = [names.map(escapeHtml), anchors].filter((parts) => parts.length > 0);
  const paragraphs = text.trim().split(/\n{2,}/);
  const heading = renderLogo(brand, issuer, organization ?? productName) ?? escapeHtml(names[0] ?? "");
  return `<!doctype html>
<html lang="${tag}" dir="${direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:24px 16px;background:${page};color:${font};font:16px/1.5 system-ui,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:32px;background:${card};border-radius:${brand.cornerRadius}px">
<p style="margin:0 0 24px;font-weight:600">${heading}</p>
${paragraphs.map((paragraph) => `<p style="margin:0 0 16px">${renderLines(paragraph, brand)}</p>`).join("\n")}
</div>
<p style="max-width:480px;margin:16px auto 0;font-size:13px;color:${quiet}">${foot.map((parts) => parts.join(" · ")).join("<br>")}</p>
</body>
</html>
`;
}

/** A line that is an address, which only we write there, becomes a button. */
function renderLines(paragraph: string, { light, cornerRadius }: LabelPolicy): string {
  const { accent, onAccent } = toPalette(light);
  const button = `display:inline-block;padding:10px 16px;background:${accent};color:${onAccent};border-radius:${cornerRadius}px;overflow-wrap:anywhere`;
  return paragraph
    .split("\n")
    .map((line) =>
      /^https?:\/\/\S+$/.test(line)
        ? `<a href="${escapeHtml(line)}" style="${button}">${escapeHtml(line)}</a>`
        : escapeHtml(line),
    )
    .join("<br>\n");
}

/** Mails have light ground, whatever the theme of pages is. */
function renderLogo({ images }: LabelPolicy, issuer: string | undefined, name: string): string | undefined {
  const find = (wanted: LabelImageKind) => images.find(({ kind }) => kind === wanted);
  const logo = find("LOGO_LIGHT") ?? find("LOGO_DARK");
  if (logo === undefined || issuer === undefined) return undefined;
  const height = Math.min(48, logo.height);
  const width = Math.round((logo.width * height) / logo.height);
  return `<img src="${escapeHtml(issuer + imagePathOf(logo.hash))}" alt="${escapeHtml(name)}" width="${width}" height="${height}" style="max-width:100%;height:auto">`;
}
