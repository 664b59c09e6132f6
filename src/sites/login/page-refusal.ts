import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import { consoleHomeOf } from "../../identity/applications/oidc/console.ts";
import { isNavigation } from "../../kernel/http/exchanges/navigation.ts";

/** Why a request gets a page that says no more than that it failed. */
export type PageRefusalKind =
  /** The request cannot be read. */
  | "bad-request"
  /** The browser does not have the cookie of the login, or its time is over. */
  | "begin-again"
  /** The login has ended well: its last form was sent twice. */
  | "signed-in"
  /** The login has ended without one, as the user or a rule wanted: its last form was sent twice. */
  | "refused"
  /** A form that does not come from our page in this browser. */
  | "foreign-form"
  /** Another page has asked for it, such as for an image: nobody would see a page. */
  | "not-a-visit"
  /** There is nothing at the path. */
  | "not-found"
  /** The application asked for something that it may not ask for, or that makes no sense. */
  | "bad-application-request"
  /** What an application has sent about a logout is not in order. */
  | "bad-logout-message"
  /** The browser does not have the cookie of the logout, or its time is over. */
  | "logout-over"
  /** Nobody knows the application. */
  | "unknown-application"
  /** The application asked to send the browser to an address that is not its own. */
  | "unregistered-redirect"
  /** The application is switched off, or what it belongs to is. */
  | "inactive-application"
  /** The application wants what its own settings do not let it have. */
  | "wrong-application-settings"
  /** The identity provider is switched off, or is not offered to those who log in here. */
  | "provider-off"
  /** Who came back from an identity provider is nobody who may log in here. */
  | "no-account"
  /** Somebody else has linked the identity to the user, who has not said yet that it may stay. */
  | "link-in-question"
  /** The identity provider says that nobody has logged in there, such as because the user did not want to. */
  | "provider-denied"
  /** What the browser brings from an identity provider, or what that says itself, is not what was asked for. */
  | "provider-refused"
  /** The identity provider let the user in too long ago for what is asked, or does not say when. */
  | "provider-login-old"
  /** The identity provider does not answer. */
  | "provider-unavailable"
  /** The verb of the request does not fit the path. */
  | "wrong-verb"
  | "too-large"
  | "too-many-requests"
  | "unavailable"
  | "fault";

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
  "provider-off": 403,
  "no-account": 403,
  "link-in-question": 403,
  "provider-denied": 403,
  "provider-refused": 400,
  "provider-login-old": 403,
  "provider-unavailable": 503,
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

/** What is known of the login or the application that the page is about. */
export interface PageRefusalOptions {
  /** Languages that the user prefers, the best one first. */
  readonly uiLocales?: readonly string[];
  /** A URL that is registered for the application, for the way back. */
  readonly backUrl?: string | undefined;
  /** The URL of the console, for whom no application is known to go back to; undefined: no link. */
  readonly consoleUrl?: string | undefined;
  /** The path that leads to the other ways to log in; undefined: there is no other. */
  readonly otherWayPath?: string | undefined;
  /** A technical name for the developers of the application, such as that of an algorithm. Never text of a request. */
  readonly detail?: string | undefined;
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
 * Raises the refusal (403) of a request that no user has made by opening a page. Call it before anything is stored for somebody who
 * has proved nothing: any page of another site can let its visitors ask for thousands of images.
 */
export function requireVisit(exchange: Pick<Exchange, "header">): void {
  if (!isNavigation(exchange)) throw new PageRefusal("not-a-visit");
}
