import { hash } from "node:crypto";
import type { AnswerHeaders, Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import { retryPathOf } from "../../kernel/http/exchanges/retry-path.ts";
import type { Brands } from "../../identity/branding/brands.ts";
import type { LabelPolicy } from "../../identity/branding/label-policy.ts";
import type { Language } from "../../identity/texts/languages.ts";
import { type AssetName, readAssets } from "./assets/assets.ts";
import { type PageLabel, renderBrand } from "./brand/brand-markup.ts";
import { toBrandStyle } from "./brand/brand-style.ts";
import { html, type Markup, withoutIsolates } from "./markup/html.ts";
import { type PageRefusalOptions, statusOfRefusal } from "./page-refusal.ts";
import { chooseLanguage, type PreferredLanguages } from "./texts/choose-texts.ts";
import { toWaitText } from "./texts/wait-text.ts";
import type { PageRefusalKind } from "./texts/page-refusal-kind.ts";
import { type Texts, toTexts } from "./texts/texts.ts";

/** What differs from page to page. */
export interface PageContent {
  readonly texts: Texts;
  /** The heading, and the title of the window. */
  readonly title: string | Markup;
  /** What stands below the heading. */
  readonly body: Markup;
  /** Whose name the page shows; undefined: that of the instance. */
  readonly organization?: PageLabel["organization"];
  /** The branding of that organization itself; undefined: the page wears the one of the instance. */
  readonly brand?: PageLabel["brand"];
  /** Whether the name of the product stands beside the one of the organization. Default: no. */
  readonly isTrusted?: boolean;
  /** Default: 200. */
  readonly status?: number;
  /** Headers beside those of every page, such as `set-cookie`. */
  readonly headers?: Readonly<AnswerHeaders> | undefined;
  readonly scripts?: readonly AssetName[];
  /** Styles beside those of every page. */
  readonly styles?: readonly AssetName[];
  /** The only script of the page, which runs when the rest of it was read. It holds nothing of a request. */
  readonly inlineScript?: Markup | undefined;
  /** Whether windows that open the page, or that it opens, lose sight of it. Never in a login, which may run in a popup. */
  readonly isIsolated?: boolean;
  /** Whether pages of ours may frame it. It has nothing that could be clicked by mistake. Default: no page may. */
  readonly isFramed?: boolean;
  /** Small print at the end. */
  readonly footer?: Markup | undefined;
}

/** What differs from one page of an error to another. */
export interface ErrorPageOptions extends PageRefusalOptions {
  /** Default: that of the kind. */
  readonly status?: number;
  readonly headers?: Readonly<AnswerHeaders> | undefined;
  /** As of every page. */
  readonly isIsolated?: boolean;
  /** How long to wait before another try; undefined: that is not known. */
  readonly retryAfterSeconds?: number | undefined;
  /** The path of the start page, for a link; undefined: there is none. */
  readonly startPath?: string | undefined;
}

/** A request as the page of its error sees it. */
export type RefusedRequest = Pick<Exchange, "header" | "requestId" | "verb" | "path" | "query">;

/** Makes pages: their frame, and the headers that every page has. */
export interface Layout {
  renderPage(page: PageContent): Reply;
  /** Chooses the language of a page, with the texts of the instance as this process has learned them last. */
  chooseLanguage(preferred: PreferredLanguages): Language;
  /**
   * Makes the page of an error, in the language of the browser. A request that was refused only for now can be tried again from
   * there.
   */
  renderError(exchange: RefusedRequest, kind: PageRefusalKind, options?: ErrorPageOptions): Reply;
}

/**
 * Nothing but our own files may run, load or show; no page may frame ours. There is no form-action: browsers hold it against
 * every redirect that follows a form, also those of the application.
 */
const toContentSecurityPolicy = ({
  script,
  style,
  isFramed = false,
}: {
  readonly script?: Markup | undefined;
  readonly style?: Markup | undefined;
  readonly isFramed?: boolean | undefined;
}): string =>
  [
    "default-src 'none'",
    `script-src ${script === undefined ? "'self'" : toHashSource(script)}`,
    `style-src 'self'${style === undefined ? "" : ` ${toHashSource(style)}`}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `frame-ancestors ${isFramed ? "'self'" : "'none'"}`,
  ].join("; ");

/** Headers of every page, and of every redirect from one. */
const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": toContentSecurityPolicy({}),
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Creates the layout, which reads the files of the pages. */
export function createLayout(brands: Pick<Brands, "ofInstance" | "speak">): Layout {
  const assets = readAssets();
  const choose: Layout["chooseLanguage"] = (preferred) => brands.speak(chooseLanguage(preferred));
  const renderPage: Layout["renderPage"] = (page) => {
    const brand = page.brand ?? brands.ofInstance();
    const style = brand && toBrandStyle(brand);
    const { inlineScript: script, isFramed } = page;
    return {
      status: page.status ?? 200,
      headers: {
        ...pageHeaders,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": toContentSecurityPolicy({ script, style, isFramed }),
        ...(isFramed === true ? { "x-frame-options": "SAMEORIGIN" } : {}),
        ...(page.isIsolated === true ? { "cross-origin-opener-policy": "same-origin" } : {}),
        ...page.headers,
      },
      body: toDocument(page, { brand, style, pathOf: (name) => assets.pathOf(name) }),
    };
  };
  return {
    renderPage,
    chooseLanguage: choose,
    renderError(exchange, kind, options = {}) {
      const { uiLocales = [], headers, status, isIsolated = false } = options;
      const texts = toTexts(choose({ uiLocales, acceptLanguage: exchange.header("accept-language") }));
      return renderPage({
        texts,
        title: texts.errors[kind].title,
        body: renderErrorBody(texts, { exchange, kind, options }),
        status: status ?? statusOfRefusal[kind],
        headers,
        isIsolated,
        footer: texts.requestId({ id: html`${exchange.requestId}` }),
      });
    },
  };
}

interface RefusedPage {
  readonly exchange: RefusedRequest;
  readonly kind: PageRefusalKind;
  readonly options: ErrorPageOptions;
}

/** What was wrong, and the ways on. */
function renderErrorBody(texts: Texts, { exchange, kind, options }: RefusedPage): Markup {
  const { otherWayPath, backUrl, consoleUrl, detail, said, startPath, retryAfterSeconds } = options;
  const { again, goBack, start, openConsole } = texts.retry;
  let sentence: string | Markup = texts.errors[kind].sentence;
  let retry: Markup | undefined;
  if (kind === "too-many-requests" || kind === "unavailable") {
    if (retryAfterSeconds !== undefined)
      sentence = texts.retry[kind]({ when: html`${toWaitText(texts.locale, retryAfterSeconds)}` });
    const retryPath = retryPathOf(exchange);
    retry = renderLink(retryPath, again) ?? html`<p class="lead">${goBack}</p>`;
  }
  const links = [
    retry,
    renderLink(otherWayPath, texts.otherWay),
    renderLink(backUrl, texts.back),
    renderLink(consoleUrl, openConsole),
    renderLink(startPath, start),
  ];
  const words = said !== undefined && html`<blockquote class="said">${said}</blockquote>`;
  return html`<p class="lead">${sentence}</p>${words}${detail !== undefined && html`<p class="lead"><code>${detail}</code></p>`}${links.filter((link) => link !== undefined)}`;
}

function renderLink(url: string | undefined, text: string): Markup | undefined {
  return url === undefined ? undefined : html`<p class="lead"><a href="${url}">${text}</a></p>`;
}

/** Makes the answer that sends the browser on to a GET (RFC 9110 §15.4.4). */
export function redirectTo(location: string, cookies: readonly string[] = []): Reply {
  return { status: 303, headers: { ...pageHeaders, location, "set-cookie": [...cookies] } };
}

/** A source of Content Security Policy Level 3 §2.3.1: what has this hash may run, or style the page. */
function toHashSource(text: Markup): string {
  return `'sha256-${hash("sha256", text.toString(), "base64")}'`;
}

function toDocument(
  page: PageContent,
  {
    brand,
    style,
    pathOf,
  }: {
    readonly brand: LabelPolicy | undefined;
    readonly style: Markup | undefined;
    readonly pathOf: (name: AssetName) => string;
  },
): string {
  const { texts, title, body, organization, scripts = [], styles = [], inlineScript } = page;
  const {
    name: shownName,
    icons,
    header,
    product,
    links,
  } = renderBrand(page, {
    brand,
    texts,
    defaultIcon: pathOf("icon.svg"),
  });
  const footer = page.footer ?? product;
  const owner = organization && html` data-organization="${organization.id}"`;
  return html`<!doctype html>
<html lang="${texts.language}"${texts.direction === "rtl" && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${typeof title === "string" ? title : withoutIsolates(title)}${shownName !== undefined && html` – ${shownName}`}</title>
${icons}<link rel="stylesheet" href="${pathOf("login.css")}">
${styles.map((sheet) => html`<link rel="stylesheet" href="${pathOf(sheet)}">\n`)}${scripts.map((script) => html`<script src="${pathOf(script)}" defer></script>`)}${style && html`<style>${style}</style>`}
</head>
<body${owner}>
<main>
${header}
<h1>${title}</h1>
${body}
</main>
${(footer ?? links) === undefined ? undefined : html`<footer>${footer}${links}</footer>`}
${inlineScript && html`<script>${inlineScript}</script>`}
</body>
</html>
`.toString();
}
