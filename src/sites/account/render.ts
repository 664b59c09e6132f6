import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import { formTokenField } from "../login/form-token.ts";
import type { PageLabel } from "../login/brand/brand-markup.ts";
import { html, type Markup } from "../login/markup/html.ts";
import { type Layout, redirectTo } from "../login/layout.ts";
import type { AccountPorts, AccountVisit, Fault } from "./account-page.ts";
import { accountPath, accountPathOf } from "../login/standalone/account-path.ts";
import { chooseLogoutWords } from "../login/standalone/logout-outcome.ts";
import { type AccountWords, chooseAccountTexts } from "./texts/choose-texts.ts";
import type { DoneName } from "./texts/texts.ts";

/** Creates what makes the pages of a visit. */
export function toRender(
  layout: Layout,
  exchange: Exchange,
  {
    texts,
    words,
    path,
    label,
  }: AccountWords & { readonly path: string; readonly label: PageLabel | undefined },
): AccountVisit["render"] {
  return ({ title, body, scripts = [], fault, status = 200 }) => {
    const done = fault === undefined ? findDone(exchange) : undefined;
    return layout.renderPage({
      ...label,
      texts,
      title,
      body: html`${path !== accountPath && html`<p class="back"><a href="${accountPath}">${words.back}</a></p>`}
${done !== undefined && html`<p class="done" role="status">${words.done[done]}</p>`}
${fault !== undefined && html`<p class="alert" id="problem" role="alert">${fault.problem}</p>`}
${body}`,
      scripts,
      styles: ["account.css"],
      status: fault?.retryAfterMs === undefined ? status : 429,
      headers: fault?.retryAfterMs === undefined ? {} : { "retry-after": toSeconds(fault.retryAfterMs) },
      isIsolated: true,
    });
  };
}

/** Sends the browser on after a change, to a page that says what was done. */
export function redirectDone({ issuer }: AccountVisit, path: string, done: DoneName): Reply {
  return redirectTo(`${issuer}${path}?done=${done}`);
}

/** Makes a form of a page. `fields` holds its fields and buttons. */
export function renderForm(
  { cookie, path }: Pick<AccountVisit, "cookie" | "path">,
  fields: Markup,
  { action = path, isSmall = false }: { readonly action?: string; readonly isSmall?: boolean } = {},
): Markup {
  return html`<form method="post" action="${action}"${isSmall && html` class="small"`}>
${formTokenField(cookie)}
${fields}
</form>`;
}

/** Writes an instant (microseconds since 1970), in UTC. */
export function formatDate({ texts }: Pick<AccountWords, "texts">, micros: number): Markup {
  const format = new Intl.DateTimeFormat(texts.locale, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  return html`${format.format(new Date(micros / 1000))} UTC`;
}

/** Makes the list of what a page is about, or says that there is nothing. */
export function renderRows(rows: readonly Markup[], nothing: string): Markup {
  if (rows.length === 0) return html`<p class="lead">${nothing}</p>`;
  return html`<ul class="rows">${rows.map((row) => html`<li>${row}</li>\n`)}</ul>`;
}

/** Makes the link to the rest of a list; nothing where there is no more. */
export function renderMore({ path, words }: AccountVisit, nextPageToken: string): Markup {
  if (nextPageToken === "") return html``;
  return html`<p class="more"><a href="${path}?page=${encodeURIComponent(nextPageToken)}">${words.more}</a></p>`;
}

/** Reads which part of a list is asked for. */
export function toListRequest({ exchange }: Pick<AccountVisit, "exchange">) {
  const pageToken = new URLSearchParams(exchange.query).get("page") ?? "";
  return { pageSize: rowsPerPage, pageToken, countTotal: false };
}

const rowsPerPage = 50;

/** Says that a form was not taken (403): it was shown in another session, or does not come from us. */
export function renderOutdatedForm({ words, path, render }: AccountVisit): Reply {
  const { title, lead, again } = words.outdated;
  const body = html`<p class="lead">${lead}</p>
<p><a class="button" href="${path}">${again}</a></p>`;
  return render({ title, body, status: 403 });
}

/** Says that the second factor of the user was not asked for (403), so that nothing can be changed in this session. */
export function renderTooWeakLogin(visit: AccountVisit): Reply {
  const { title, lead } = visit.words.tooWeak;
  const signOut = html`<button type="submit">${visit.words.signOut}</button>`;
  const body = html`<p class="lead">${lead}</p>
${renderForm(visit, signOut, { action: `${accountPath}/sign-out` })}`;
  return visit.render({ title, body, status: 403 });
}

/** Says that nobody has logged in. It needs no session. */
export function renderRefused({ layout }: Pick<AccountPorts, "layout">, exchange: Exchange): Reply {
  const { texts, words } = chooseAccountTexts(layout, exchange);
  const { title, lead, again } = words.refused;
  const body = html`<p class="lead" role="status">${lead}</p>
<p class="more"><a class="button" href="${accountPath}">${again}</a></p>`;
  return layout.renderPage({ texts, title, body, styles: ["account.css"], isIsolated: true });
}

/** Says that the session has ended. It needs none. `organizationId`: that of the user; undefined: it is unknown. */
export function renderSignedOut(
  { layout }: Pick<AccountPorts, "layout">,
  { texts, words }: AccountWords,
  how: {
    readonly organizationId: OrganizationId | undefined;
    readonly label: PageLabel | undefined;
    /** Whether there are applications that may not have heard of it. Default: no. */
    readonly isPartial?: boolean;
    readonly cookies: readonly string[];
  },
): Reply {
  const { title, sentence } = chooseLogoutWords(texts, how.isPartial === true);
  const { again } = words.signedOut;
  const path = how.organizationId === undefined ? accountPath : accountPathOf(how.organizationId);
  const body = html`<p class="lead" role="status">${sentence}</p>
<p class="more"><a class="button second" href="${path}">${again}</a></p>`;
  const headers = { "set-cookie": [...how.cookies] };
  return layout.renderPage({
    ...how.label,
    texts,
    title,
    body,
    headers,
    styles: ["account.css"],
    isIsolated: true,
  });
}

/** A link of another site must not make us say that something was done. */
function findDone(exchange: Exchange): DoneName | undefined {
  const site = exchange.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin") return undefined;
  const name = new URLSearchParams(exchange.query).get("done");
  return doneNames.find((one) => one === name);
}

const doneNames: readonly DoneName[] = [
  "password-set",
  "email-set",
  "email-verified",
  "phone-set",
  "phone-verified",
  "phone-removed",
  "code-sent",
  "passkey-added",
  "passkey-removed",
  "factor-added",
  "factor-removed",
  "codes-removed",
  "link-removed",
  "session-ended",
  "sessions-ended",
  "application-removed",
  "token-removed",
];

function toSeconds(milliseconds: number): string {
  return String(Math.max(1, Math.ceil(milliseconds / 1000)));
}

/** What is wrong with a field is read with it. */
export function describedBy(fault: Fault | undefined): Markup | undefined {
  return fault === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;
}
