import { canaries } from "../../../support/canaries.ts";
import { createHttpClient, type HttpAnswer } from "../../../support/http-client.ts";

/** A browser without script: it keeps cookies, follows redirects and sends the forms of pages. */
export interface PageBrowser {
  /** The cookies by their names. A test may change them. */
  readonly cookies: Map<string, string>;
  /** Opens a path, or a URL of the issuer, and follows redirects as long as they stay there. */
  open(url: string, headers?: Readonly<Record<string, string>>): Promise<BrowserPage>;
  /** Sends one request with the cookies, and keeps those that come; follows nothing. */
  send(request: BrowserRequest): Promise<HttpAnswer>;
  close(): void;
}

/** A request as a browser makes it. */
export interface BrowserRequest {
  readonly method: string;
  readonly url: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page, or a redirect to elsewhere. */
export interface BrowserPage extends HttpAnswer {
  /** Where it was found. */
  readonly path: string;
  /** Where the browser would go now; undefined for a page. */
  readonly location: string | undefined;
  /** Without the marks around names, as `text`; `html` has them. */
  readonly title: string;
  readonly html: string;
  /** What the page says to be wrong with the form that was sent; empty: nothing. */
  readonly problem: string;
  /** Fills the fields of a form and sends it, then follows redirects. `index` counts the forms of the page. */
  submit(
    fields?: Readonly<Record<string, string>>,
    options?: { readonly index?: number; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<BrowserPage>;
}

/** Creates a browser of a service at `url`, which it calls by the host of the issuer. */
export function createPageBrowser(url: string, issuer: string): PageBrowser {
  const http = createHttpClient(url);
  const cookies = new Map<string, string>();
  const { host } = new URL(issuer);
  const send: PageBrowser["send"] = async ({ method, url: target, form, headers = {} }) => {
    const { pathname, search } = new URL(target, issuer);
    const answer = await http.send({
      method,
      path: `${pathname}${search}`,
      headers: {
        host,
        ...(cookies.size === 0 ? {} : { cookie: toCookieHeader(cookies) }),
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
    });
    for (const header of answer.headers.getSetCookie()) keepCookie(cookies, header);
    canaries.noteReceived(answer.text);
    return answer;
  };
  const follow = async (answer: HttpAnswer, path: string): Promise<BrowserPage> => {
    const location = answer.headers.get("location") ?? undefined;
    if (location === undefined || new URL(location, issuer).origin !== issuer)
      return toPage(answer, path, location);
    return await open(location);
  };
  const open = async (target: string, headers: Readonly<Record<string, string>> = {}): Promise<BrowserPage> =>
    await follow(await send({ method: "GET", url: target, headers }), new URL(target, issuer).pathname);
  const toPage = (answer: HttpAnswer, path: string, location: string | undefined): BrowserPage => ({
    ...answer,
    text: withoutIsolates(answer.text),
    html: answer.text,
    path,
    location,
    problem: /role="alert">([^<]*)</.exec(answer.text)?.[1] ?? "",
    title: withoutIsolates(/<h1>(.*?)<\/h1>/.exec(answer.text)?.[1] ?? ""),
    async submit(fields = {}, { index = 0, headers = { "sec-fetch-site": "same-origin" } } = {}) {
      const form = formsOf(answer.text)[index];
      if (form === undefined) throw new Error(`there is no form ${index} at ${path}: ${answer.text}`);
      const filled = { ...form.fields, ...fields };
      const sent = await send({ method: "POST", url: form.action, form: filled, headers });
      return await follow(sent, form.action);
    },
  });
  return { cookies, open, send, close: () => http.close() };
}

/** Takes out what isolates names, so that sentences can be compared. */
export function withoutIsolates(html: string): string {
  return html.replaceAll(/<\/?bdi>/g, "");
}

/** Lists the forms of a page with what they would send unfilled. */
export function formsOf(text: string) {
  return [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action = "", inside = ""]) => ({
      action,
      fields: Object.fromEntries(
        [...inside.matchAll(/<input[^>]*name="([^"]*)"[^>]*value="([^"]*)"/g)].map(([, name, value]) => [
          name ?? "",
          value ?? "",
        ]),
      ),
    }),
  );
}

function keepCookie(cookies: Map<string, string>, header: string): void {
  const [pair = "", ...attributes] = header.split(";").map((part) => part.trim());
  const [name = "", value = ""] = pair.split("=");
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else {
    cookies.set(name, value);
    canaries.add("cookie", value);
  }
}

function toCookieHeader(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}
