import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { consoleHomeOf } from "../../identity/applications/oidc/console.ts";
import { isNavigation } from "../../kernel/http/exchanges/navigation.ts";
import type { PageRefusalKind } from "./texts/page-refusal-kind.ts";

/** The status of each page of an error. */
export const statusOfRefusal: Readonly<Record<PageRefusalKind, number>> = {
  "bad-request": 400,
  "begin-again": 400,
  "signed-in": 200,
  refused: 200,
  "foreign-form": 403,
  "not-a-visit": 403,
  "not-found": 404,
  "bad-application-request": 400,
  "bad-logout-message": 400,
  "logout-over": 400,
  "unknown-application": 400,
  "unregistered-redirect": 400,
  "inactive-application": 400,
  "wrong-application-settings": 403,
  "invitation-over": 400,
  "provider-off": 403,
  "no-account": 403,
  "link-in-question": 403,
  "provider-denied": 403,
  "provider-refused": 400,
  "provider-login-old": 403,
  "provider-unavailable": 503,
  "hook-refused": 403,
  "hook-failed": 503,
  "wrong-verb": 405,
  "too-large": 413,
  "too-many-requests": 429,
  unavailable: 503,
  fault: 500,
};

/** Says whether something went wrong with an identity provider only, so that another way to log in is left. */
export function isOfProvider(kind: PageRefusalKind): boolean {
  return providerRefusals.has(kind);
}

const providerRefusals: ReadonlySet<PageRefusalKind> = new Set([
  "provider-off",
  "no-account",
  "link-in-question",
  "provider-denied",
  "provider-refused",
  "provider-login-old",
  "provider-unavailable",
]);

/**
 * Names the console on the page of a login that is over, if it names no other way on: a user who comes back to it, by the back
 * button or by loading it again, would be stuck there. Without the cookie of the login it says nothing about the application.
 */
export function withWayOn(
  kind: PageRefusalKind,
  options: PageRefusalOptions,
  issuer: string,
): PageRefusalOptions {
  const isOver = kind === "begin-again" || kind === "signed-in" || kind === "refused";
  return isOver && options.backUrl === undefined
    ? { ...options, consoleUrl: consoleHomeOf(issuer) }
    : options;
}

/** Facts about the login or the application that the page is about. */
export interface PageRefusalOptions {
  /** Languages that the user prefers, the best one first. */
  readonly uiLocales?: readonly string[];
  /** A URL that is registered for the application, for the way back. */
  readonly backUrl?: string | undefined;
  /** The URL of the console, for people without an application to go back to; undefined: no link. */
  readonly consoleUrl?: string | undefined;
  /** The path that leads to the other ways to log in; undefined: there is no other. */
  readonly otherWayPath?: string | undefined;
  /** A technical name for the developers of the application, such as that of an algorithm. Never text of a request. */
  readonly detail?: string | undefined;
  /** What a hook of the organization says to the user: one line of plain text, which is shown as theirs. */
  readonly said?: string | undefined;
}

/** Refuses a request to the pages. It changes nothing, and the browser gets a page of the error. */
export class PageRefusal extends Error {
  readonly kind: PageRefusalKind;
  readonly options: PageRefusalOptions;

  constructor(kind: PageRefusalKind, options: PageRefusalOptions = {}) {
    super(kind);
    this.name = "PageRefusal";
    this.kind = kind;
    this.options = options;
  }
}

/**
 * Raises the refusal (403) of a request that no user has made by opening a page. Call it before anything is stored for a person
 * that has proved nothing: any page of another site can let its visitors ask for thousands of images.
 */
export function requireVisit(exchange: Pick<Exchange, "header">): void {
  if (!isNavigation(exchange)) throw new PageRefusal("not-a-visit");
}
