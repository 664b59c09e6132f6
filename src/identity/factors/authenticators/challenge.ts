import { Problem } from "../../../kernel/base/problem.ts";
import type { Reason } from "../../../kernel/base/reason.ts";
import type { FeatureContext } from "../../context.ts";
import { type Challenge, challengeBytes, challengeLifetimeMs } from "./authenticator.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Why an authenticator proved nothing in a login. */
export type UnprovedAuthenticator =
  | { readonly kind: "wrong"; readonly reason: Reason | "COUNTER_REGRESSED" }
  | { readonly kind: "paused"; readonly retryAfterMs: number };

/** Makes the challenge of a login. */
export function newChallenge({ random, clock }: Pick<FeatureContext, "random" | "clock">): Challenge {
  const value = Buffer.from(random.bytes(challengeBytes)).toString("base64url");
  return { value, expirationMs: clock.nowMs() + challengeLifetimeMs };
}

/** Returns the expectation of an answer to the challenge (base64url): it was made on the pages of the party, and no others. */
export function expectedAt({ id, origins }: RelyingParty, challenge: string) {
  return { challenge, rpId: id, isOriginAllowed: (origin: string) => origins.includes(origin) };
}

/** Turns the problem of a bad answer into the outcome, which is always the same: it does not say which check failed. */
export async function wrongIfRefused<T>(fn: () => Promise<T>): Promise<T | UnprovedAuthenticator> {
  try {
    return await fn();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "invalid") throw error;
    return { kind: "wrong", reason: error.reason };
  }
}
