import type { SessionId } from "../../../kernel/base/ids.ts";

/** What the request of an application to log the user out says, once it is checked (OpenID Connect RP-Initiated Logout 1.0 §2). */
export interface LogoutRequest {
  /** The session of the ID token that came with it; undefined without one. */
  readonly sessionId: string | undefined;
  /** Where the application wants the browser to go afterwards; undefined: to a page. */
  readonly target: LogoutTarget | undefined;
  readonly uiLocales: readonly string[];
  /** Whether the session has ended, and the browser comes back from the applications that it had to visit first. Default: no. */
  readonly isEnded?: boolean;
}

/** An address that an application has named: the browser goes there only if it is registered at that moment. */
export interface LogoutTarget {
  readonly clientId: string;
  /** `post_logout_redirect_uri`. */
  readonly uri: string;
  readonly state: string | undefined;
}

/** The claims of an ID token that we have signed. */
export interface LogoutHint {
  readonly clientId: string;
  readonly sessionId: string | undefined;
}

/** Reads the hint of the claims of an ID token; undefined for claims that do not name one client. */
export function toLogoutHint(claims: Readonly<Record<string, unknown>>): LogoutHint | undefined {
  const { aud, sid } = claims;
  if (typeof aud !== "string") return undefined;
  return { clientId: aud, sessionId: typeof sid === "string" ? sid : undefined };
}

/**
 * Decides whose request it is: the client of the hint, or the one that names itself. "conflict": both, and they differ
 * (RP-Initiated Logout 1.0 §2).
 */
export function chooseClient(
  hint: LogoutHint | undefined,
  clientId: string | undefined,
): { readonly id: string | undefined } | "conflict" {
  if (hint !== undefined && clientId !== undefined && hint.clientId !== clientId) return "conflict";
  return { id: hint?.clientId ?? clientId };
}

/** The result of a request to log out. */
export type LogoutStep = "go-on" | "end" | "ask";

/**
 * Decides what happens to the session of the browser. Without one, and after the end, there is nothing to end. It ends at once only if the request proves
 * that it is about this very session: everybody can send a browser here.
 */
export function decideLogout(
  request: LogoutRequest,
  session: { readonly id: SessionId } | undefined,
): LogoutStep {
  if (session === undefined || request.isEnded === true) return "go-on";
  return request.sessionId === session.id ? "end" : "ask";
}
