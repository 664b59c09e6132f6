import type { LabelImage, LabelImageKind, LabelPolicy } from "../../../identity/branding/label-policy.ts";
import { listLegalLinks } from "../../../identity/branding/legal-links.ts";
import { imagePathOf } from "../../../identity/branding/paths.ts";
import { html, isolate, type Markup } from "../markup/html.ts";
import type { Texts } from "../texts/texts.ts";

/** Whose page it is. */
export interface PageLabel {
  /** Undefined: the instance. */
  readonly organization?: { readonly id: string; readonly name: string } | undefined;
  /** Of that organization itself. */
  readonly brand?: LabelPolicy | undefined;
  /**
   * Whether users must be able to trust the page whatever organization they are at: the name of the product always stands beside
   * the one of the organization.
   */
  readonly isTrusted?: boolean;
}

/** What a branding puts on a page. */
export interface BrandMarkup {
  /** For the title of the window; undefined: none. */
  readonly name: string | undefined;
  readonly icons: readonly Markup[];
  /** Above the heading. */
  readonly header: Markup;
  /** The name of the product at the end of a page that has another name above; undefined: it does not stand there. */
  readonly product: string | undefined;
  /** At the end of every page; undefined: none. */
  readonly links: Markup | undefined;
}

/** Makes what a branding puts on a page: the one of the organization, else that of the instance. */
export function renderBrand(
  { organization, brand: own, isTrusted = false }: PageLabel,
  {
    brand,
    texts,
    defaultIcon,
  }: { readonly brand: LabelPolicy | undefined; readonly texts: Texts; readonly defaultIcon: string },
): BrandMarkup {
  const product = brand?.hideProductName === true ? undefined : texts.instanceName;
  const name = organization?.name ?? product;
  const logo = brand && renderLogo(brand, own === undefined ? texts.instanceName : (name ?? ""));
  // A logo of the instance does not tell whose page it is.
  const isNamed = logo === undefined || (organization !== undefined && own === undefined);
  const icons = renderIcons(brand, defaultIcon);
  const links = brand && renderLinks(brand, texts);
  if (isTrusted && organization !== undefined) {
    const both = html`${isolate(organization.name)} · ${isolate(texts.instanceName)}`;
    const header = html`${logo}<p class="name">${both}</p>`;
    return { name: organization.name, icons, header, product: undefined, links };
  }
  const header = html`${logo}${isNamed && name !== undefined && html`<p class="name">${isolate(name)}</p>`}`;
  return {
    name,
    icons,
    header,
    links,
    product: own === undefined || organization === undefined ? undefined : product,
  };
}

function renderLogo(brand: LabelPolicy, name: string): Markup | undefined {
  const { only, dark } = choose(brand, ["LOGO_LIGHT", "LOGO_DARK"]);
  if (only === undefined) return undefined;
  const source =
    dark &&
    html`<source media="(prefers-color-scheme: dark)" srcset="${imagePathOf(dark.hash)}" width="${dark.width}" height="${dark.height}">`;
  return html`<p class="logo"><picture>${source}<img src="${imagePathOf(only.hash)}" alt="${name}" width="${only.width}" height="${only.height}"></picture></p>
`;
}

/** They open a window of their own, which knows nothing of this one: a login goes on where it was. */
function renderLinks({ links }: LabelPolicy, { legal }: Texts): Markup | undefined {
  const all = listLegalLinks(links, legal);
  if (all.length === 0) return undefined;
  const items = all.map(({ text, url }) => {
    const target = url.startsWith("mailto:") ? undefined : html` target="_blank"`; // a mail program is no window of the browser
    return html`<li><a href="${url}"${target} rel="noopener noreferrer">${text}</a></li>\n`;
  });
  return html`<ul>${items}</ul>`;
}

function renderIcons(brand: LabelPolicy | undefined, defaultIcon: string): readonly Markup[] {
  const { only, dark } = brand === undefined ? {} : choose(brand, ["ICON_LIGHT", "ICON_DARK"]);
  if (only === undefined) return [html`<link rel="icon" href="${defaultIcon}">\n`];
  if (dark === undefined) return [html`<link rel="icon" href="${imagePathOf(only.hash)}">\n`];
  return [
    html`<link rel="icon" href="${imagePathOf(only.hash)}" media="(prefers-color-scheme: light)">\n`,
    html`<link rel="icon" href="${imagePathOf(dark.hash)}" media="(prefers-color-scheme: dark)">\n`,
  ];
}

/** Chooses by the theme. One of the two stands for the other where that is missing. */
function choose(
  { images, theme }: LabelPolicy,
  [lightKind, darkKind]: readonly [LabelImageKind, LabelImageKind],
): { readonly only?: LabelImage | undefined; readonly dark?: LabelImage | undefined } {
  const light = images.find(({ kind }) => kind === lightKind);
  const dark = images.find(({ kind }) => kind === darkKind);
  if (theme === "DARK") return { only: dark ?? light };
  if (theme === "LIGHT" || light === undefined || dark === undefined) return { only: light ?? dark };
  return { only: light, dark };
}
