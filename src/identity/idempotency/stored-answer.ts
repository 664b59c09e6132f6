import { createHash } from "node:crypto";
import type { Keyring, Sealed } from "../../kernel/base/keyring.ts";
import { Problem, type ProblemInit } from "../../kernel/base/problem.ts";

/** How long an answer is kept for repeats, in ms. */
export const answerLifetimeMs = 24 * 60 * 60 * 1000;

/** A call with an idempotency key. */
export interface KeyedCall {
  readonly userId: string;
  /** The token if it is limited: answers that need other roles are not for it. */
  readonly limitedTokenId?: string | undefined;
  /** Full name of the method. */
  readonly method: string;
  readonly key: string;
  /** The request and its conditions: everything that must be the same in a repeat. */
  readonly request: string;
}

/** The ending of a call whose effect is kept: a message, in protobuf, or a problem that has changed something. */
export type Ending =
  | { readonly kind: "answer"; readonly message: Uint8Array }
  | { readonly kind: "problem"; readonly problem: ProblemInit };

/** A stored ending and the call that it belongs to. */
export interface StoredAnswer {
  readonly requestMac: Sealed;
  readonly ending: Ending;
  /** Instant of the wall clock, in ms since 1970, from which on the answer counts as absent. */
  readonly expirationMs: number;
}

/**
 * Returns the id under which the answer is stored. A hash, because a key may contain anything, even names of persons;
 * JSON separates the parts.
 */
export function answerIdOf({ userId, limitedTokenId, method, key }: KeyedCall): Uint8Array {
  const parts = [userId, method, key];
  const text = JSON.stringify(limitedTokenId === undefined ? parts : [...parts, limitedTokenId]);
  return new Uint8Array(createHash("sha256").update(text).digest());
}

/** Makes the stored answer of a call with this ending. */
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

/**
 * Returns the earlier ending of the same call; undefined when it was not made or has expired. Raises
 * IDEMPOTENCY_KEY_REUSED.
 */
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
