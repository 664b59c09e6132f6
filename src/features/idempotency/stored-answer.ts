import { createHash } from "node:crypto";
import type { Keyring, Sealed } from "../../base/keyring.ts";
import { Problem, type ProblemInit } from "../../base/problem.ts";

/** How long an answer is kept for those who ask again, ms. */
export const answerLifetimeMs = 24 * 60 * 60 * 1000;

/** A call that its caller has named by an idempotency key. */
export interface KeyedCall {
  readonly userId: string;
  /** The token, when it is limited: answers of what it does not carry are not for it. */
  readonly limitedTokenId?: string | undefined;
  /** Full name of the method. */
  readonly method: string;
  readonly key: string;
  /** The request with what it was sent for: everything that must be the same in a repeat. */
  readonly request: string;
}

/** How a call ended whose effect is kept: with a message, in protobuf, or with a problem that has changed something. */
export type Ending =
  | { readonly kind: "answer"; readonly message: Uint8Array }
  | { readonly kind: "problem"; readonly problem: ProblemInit };

/** An ending that is kept, and what it was the ending of. */
export interface StoredAnswer {
  readonly requestMac: Sealed;
  readonly ending: Ending;
  /** Instant of the wall clock, ms since 1970, from which on it is as if it were not there. */
  readonly expirationMs: number;
}

/**
 * Returns the id under which the answer is kept. A hash, since a key may hold anything that its caller chose, names of persons
 * too; JSON keeps the parts apart.
 */
export function answerIdOf({ userId, limitedTokenId, method, key }: KeyedCall): Uint8Array {
  const parts = [userId, method, key];
  const text = JSON.stringify(limitedTokenId === undefined ? parts : [...parts, limitedTokenId]);
  return new Uint8Array(createHash("sha256").update(text).digest());
}

/** Returns what is kept of a call that ended so. */
export function toStoredAnswer(
  keyring: Keyring,
  asked: KeyedCall,
  { ending, nowMs }: { readonly ending: Ending; readonly nowMs: number },
): StoredAnswer {
  return {
    requestMac: keyring.mac("idempotency", asked.request),
    ending,
    expirationMs: nowMs + answerLifetimeMs,
  };
}

/** Returns how the same call ended before; undefined when it was not made, or too long ago. Raises IDEMPOTENCY_KEY_REUSED. */
export function requireSame(
  keyring: Keyring,
  asked: KeyedCall,
  { stored, nowMs }: { readonly stored: StoredAnswer | undefined; readonly nowMs: number },
): Ending | undefined {
  if (stored === undefined || stored.expirationMs <= nowMs) return undefined;
  if (!keyring.isMacOf("idempotency", stored.requestMac, asked.request)) throw idempotencyKeyReused();
  return stored.ending;
}

function idempotencyKeyReused(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "IDEMPOTENCY_KEY_REUSED",
    message:
      "the idempotency key was used for another request within 24 hours; nothing was done; repeat that request, or choose another key",
  });
}
