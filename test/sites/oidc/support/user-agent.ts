import type { HttpAnswer, HttpRequest } from "../../../support/http-client.ts";
import { canaries } from "../../../support/canaries.ts";

/** What a browser without script does: it keeps cookies, follows redirects, and sends forms. */
export interface UserAgent {
  /** Opens a URL from outside, as a link or a redirect of another site does, and follows what is on this site. */
  open(url: string): Promise<Visited>;
  /** Sends a form of another site, and follows. Cookies that are SameSite stay behind, unless only the origin is another one. */
  post(url: string, fields: readonly Field[], from?: "cross-site" | "same-site"): Promise<Visited>;
  /** Sends the form of a page with these values in the fields of these names or types, and follows. */
  submit(page: Visited, values: Readonly<Record<string, string>>): Promise<Visited>;
  /** Cookies by name, as they would be sent. */
  readonly cookies: Map<string, string>;
}

/** Where a request, and the redirects after it, have led to. */
export interface Visited {
  /** Of the page; of the other site if a redirect or a form leads there, which is not followed. */
  readonly url: URL;
  /** Undefined: it leads to another site. */
  readonly page: HttpAnswer | undefined;
  /** The fields of the form that a page of ours sends to another site by itself; undefined: there is none. */
  readonly posted?: readonly Field[];
}

export type Field = readonly [name: string, value: string];

/** How a user agent reaches the site. */
export interface UserAgentOptions {
  /** The origin of the site: redirects to another origin are not followed. */
  readonly origin: string;
  readonly send: (request: HttpRequest) => Promise<HttpAnswer>;
}

/** Returns the URL at which an application asks for a code (RFC 6749 §4.1.1). */
export function toAuthorizationUrl(issuer: string, parameters: readonly Field[]): string {
  return `${issuer}/oauth/v2/authorize?${encodeFields(parameters)}`;
}

/** The most redirects and pages of a login. */
const maxSteps = 10;

/** Opens a user agent without cookies. */
export function openUserAgent({ origin, send }: UserAgentOptions): UserAgent {
  const cookies = new Map<string, string>();
  const request = async (url: URL, how: Omit<HttpRequest, "path">, withCookies: boolean) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = {
      accept: "text/html",
      host: new URL(origin).host,
      ...how.headers,
      ...(withCookies && cookie !== "" ? { cookie } : {}),
    };
    const answer = await send({ ...how, path: url.pathname + url.search, headers });
    keepCookies(cookies, answer.headers);
    return answer;
  };
  const follow = async (start: URL, first: Omit<HttpRequest, "path">, isOwn: boolean): Promise<Visited> => {
    let url = start;
    let answer = await request(url, first, isOwn || first.method === "GET");
    for (let step = 0; step < maxSteps; step++) {
      const location = answer.headers.get("location");
      if (location === null || answer.status < 300 || answer.status > 399)
        return findPosted(answer) ?? { url, page: answer };
      url = new URL(location, url);
      if (url.origin !== origin) return { url, page: undefined };
      answer = await request(url, { method: "GET", headers: {} }, true);
    }
    throw new Error(`too many redirects, the last to ${url.pathname}`);
  };
  return {
    cookies,
    open: (url) =>
      follow(new URL(url), { method: "GET", headers: { "sec-fetch-site": "cross-site" } }, false),
    post: (url, fields, from = "cross-site") =>
      follow(
        new URL(url),
        { method: "POST", body: encodeFields(fields), headers: { ...formType, "sec-fetch-site": from } },
        from === "same-site",
      ),
    async submit({ url, page }, values) {
      const form = findForm(page?.text ?? "", values);
      const target = new URL(form.action, url);
      const headers = { ...formType, "sec-fetch-site": "same-origin", origin };
      return await follow(target, { method: "POST", body: encodeFields(form.fields), headers }, true);
    },
  };
}

/** Somebody who logs in. */
type Typed = { readonly username: string; readonly password: string };

/** Logs in on the pages, whatever their order is. Returns where the browser goes then. Throws at a page that asks for more. */
export async function logIn(agent: UserAgent, start: Visited, user: Typed): Promise<URL> {
  return (await endLogin(agent, start, user)).url;
}

/** Does the same, and returns what the browser takes there, too. */
export async function endLogin(agent: UserAgent, start: Visited, user: Typed): Promise<Visited> {
  let visited = start;
  for (let step = 0; step < maxSteps && visited.page !== undefined; step++)
    visited = await agent.submit(visited, { ...user, text: user.username });
  if (visited.page === undefined) return visited;
  throw new Error(`the login does not end: ${visited.url.pathname} ${visited.page.text}`);
}

/** Reads the form of a page that sends itself (OAuth 2.0 Form Post Response Mode §2), as a browser with script would. */
function findPosted({ text }: HttpAnswer): Visited | undefined {
  if (!text.includes("document.forms[0].submit()")) return undefined;
  const { action, fields } = findForm(text, {});
  return { url: new URL(action), page: undefined, posted: fields };
}

/** Returns the only form, or the first that has one of the fields. Throws when there is none. */
function findForm(
  html: string,
  values: Readonly<Record<string, string>>,
): { readonly action: string; readonly fields: readonly Field[] } {
  const forms = [...html.matchAll(/<form\b(?<attributes>[^>]*)>(?<content>[^]*?)<\/form>/g)].map(
    ({ groups }) => {
      const inputs = [...(groups?.["content"] ?? "").matchAll(/<(?:input|button)\b([^>]*)>/g)];
      const all = inputs.map(([, text = ""]) => attributesOf(text));
      const isAsked = (name: string | undefined) => name !== undefined && Object.hasOwn(values, name);
      const asked = all.filter(({ name, type }) => isAsked(name) || isAsked(type));
      const fields = all.flatMap(({ name, type = "text", value = "" }, index): Field[] => {
        if (name === undefined || (type === "checkbox" && value !== "")) return [];
        // Of several buttons a browser sends the one that is pressed: here the first.
        if (type === "submit" && all.findIndex((one) => one.type === "submit") !== index) return [];
        return [[name, values[name] ?? values[type] ?? value]];
      });
      return {
        action: attributesOf(groups?.["attributes"] ?? "").action ?? "",
        fields,
        isAsked: asked.length > 0,
      };
    },
  );
  const found = forms.find((form) => form.isAsked) ?? (forms.length === 1 ? forms[0] : undefined);
  if (found === undefined) throw new Error(`no form to send on the page: ${html}`);
  return found;
}

function attributesOf(text: string): { readonly [name in "name" | "type" | "value" | "action"]?: string } {
  return Object.fromEntries(
    [...text.matchAll(/\b([a-z-]+)="([^"]*)"/g)].map(([, name, value = ""]) => [name, unescapeHtml(value)]),
  ) as Record<string, string>;
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function keepCookies(cookies: Map<string, string>, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [pair = "", ...attributes] = line.split(/; */);
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(pair) ?? [];
    const isGone = attributes.some((attribute) => /^max-age=0$/i.test(attribute)) || value === "";
    if (isGone) cookies.delete(name);
    else cookies.set(name, value);
    canaries.add(`cookie ${name}`, value);
  }
}

const formType = { "content-type": "application/x-www-form-urlencoded" };

function encodeFields(fields: readonly Field[]): string {
  return new URLSearchParams(fields.map((field) => [...field])).toString();
}
