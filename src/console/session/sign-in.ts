// How signing in goes: decisions only. What they lead to is done in browser-session.ts.

/** A login that has begun and whose answer is awaited; it is kept in the tab while the browser is away. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where to go afterwards: path and query below `/console`. */
  readonly place: string;
  /** Whether no page may be shown (`prompt=none`). */
  readonly isSilent: boolean;
}

/** Why nobody is signed in. */
export type SignInFailure =
  /** The answer is not one to a login that this tab began. */
  | "unexpected-answer"
  /** The service refused the login; the code of OAuth is beside it. */
  | "refused"
  /** Logins follow each other, and none leads to calls that are accepted. */
  | "loop"
  /** The service cannot be reached, or gave an answer that cannot be used. */
  | "unreachable";

/** What the application does first. */
export type Boot =
  | { readonly kind: "begin"; readonly isSilent: boolean; readonly place: string }
  | { readonly kind: "redeem"; readonly code: string; readonly attempt: Attempt }
  | { readonly kind: "signed-out" }
  | { readonly kind: "failed"; readonly failure: SignInFailure; readonly code?: string };

/** What is known when the application is loaded. */
export interface BootFacts {
  /** The path below `/console`. */
  readonly path: string;
  /** The query without its `?`. */
  readonly query: string;
  readonly attempt: Attempt | undefined;
  /** Whether the user signed out in this tab, and nobody has signed in since. */
  readonly isSignedOut: boolean;
  /** When this tab began logins of which none has led to an accepted call yet, in milliseconds. */
  readonly begins: readonly number[];
  readonly nowMs: number;
  readonly issuer: string;
}

/** The path below `/console` to which logins answer. */
export const callbackPath = "/callback";

const maxBegins = 5;
const loopMs = 30_000;

/** What prompt=none answers when a page would have to be shown (OpenID Connect Core 1.0 §3.1.2.6). */
const needsPage = new Set([
  "login_required",
  "interaction_required",
  "consent_required",
  "account_selection_required",
]);

/** Decides what to do when the application is loaded: nobody is signed in then, because tokens are kept in memory only. */
export function decideBoot(facts: BootFacts): Boot {
  const { path, query, isSignedOut } = facts;
  if (path === callbackPath) return decideAnswer(facts);
  if (isSignedOut) return { kind: "signed-out" };
  return decideBegin(facts, { isSilent: true, place: query === "" ? path : `${path}?${query}` });
}

/** Decides whether another login may begin: not if many did in a short time, because it would end like those. */
export function decideBegin(
  { begins, nowMs }: Pick<BootFacts, "begins" | "nowMs">,
  { isSilent, place }: { readonly isSilent: boolean; readonly place: string },
): Boot {
  const recent = begins.filter((beginMs) => nowMs - beginMs < loopMs);
  return recent.length >= maxBegins
    ? { kind: "failed", failure: "loop" }
    : { kind: "begin", isSilent, place };
}

function decideAnswer(facts: BootFacts): Boot {
  const { query, attempt, issuer } = facts;
  const answer = new URLSearchParams(query);
  const unexpected: Boot = { kind: "failed", failure: "unexpected-answer" };
  // RFC 9207 §2.4: an answer of another issuer is not read any further.
  if (attempt === undefined || answer.get("state") !== attempt.state || answer.get("iss") !== issuer)
    return unexpected;
  const error = answer.get("error");
  if (error !== null) {
    return attempt.isSilent && needsPage.has(error)
      ? decideBegin(facts, { isSilent: false, place: attempt.place })
      : { kind: "failed", failure: "refused", code: error };
  }
  const code = answer.get("code");
  return code === null ? unexpected : { kind: "redeem", code, attempt };
}

/** What the claims of an ID token are compared with. */
export interface IdTokenExpectation {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: none was sent, because the tokens came in the answer to one request. */
  readonly nonce: string | undefined;
  readonly nowMs: number;
}

/**
 * Says whether the ID token is the answer to this login (OpenID Connect Core 1.0 §3.1.3.7). Its signature need not be verified: it
 * came straight from the token endpoint (rule 6 there).
 */
export function isExpectedIdToken(idToken: string, expected: IdTokenExpectation): boolean {
  const claims = readClaims(idToken);
  const audience = claims["aud"];
  return (
    claims["iss"] === expected.issuer &&
    (Array.isArray(audience) ? audience.includes(expected.clientId) : audience === expected.clientId) &&
    claims["nonce"] === expected.nonce &&
    subjectOf(idToken) !== "" &&
    typeof claims["exp"] === "number" &&
    claims["exp"] * 1000 > expected.nowMs - 60_000
  );
}

/** Returns the id of the person whom an ID token is about; "" if it names none. */
export function subjectOf(idToken: string): string {
  const subject = readClaims(idToken)["sub"];
  return typeof subject === "string" ? subject : "";
}

/**
 * Returns how much time a token has left when it is renewed as the user goes to another page: two minutes, but a quarter of its life at
 * most, so that none is renewed that has just been given.
 */
export function renewalMsOf(lifetimeSeconds: number): number {
  return Math.min(120_000, (lifetimeSeconds * 1000) / 4);
}

function readClaims(token: string): Readonly<Record<string, unknown>> {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? { ...claims } : {};
  } catch {
    return {}; // no token at all
  }
}
