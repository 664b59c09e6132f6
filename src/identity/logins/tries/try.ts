import type { Keyring } from "../../../kernel/base/keyring.ts";
import { networkOf } from "../../../kernel/base/network.ts";

/** What is tried. Each kind has counters of its own. */
export type TryKind =
  | "password"
  | "factor"
  | "address"
  | "reset-code"
  | "reset-request"
  | "user-code"
  | "registration"
  | "saml-request";

/** How many tries are let through before they prove wrong. */
export type TryLimits =
  /** So many in a row without a pause. Each further try has to wait twice as long as the one before it. */
  | {
      readonly kind: "in-a-row";
      readonly freeTries: number;
      readonly firstPauseMs: number;
      readonly maxPauseMs: number;
    }
  /** So many within the time. */
  | { readonly kind: "window"; readonly maxTries: number; readonly windowMs: number };

/** The tries of a counter that have not proved right. */
export interface CountedTries {
  /** How many in a row, or within the time. */
  readonly count: number;
  /** Instants of them (ms since 1970), oldest first: all that count in a window, else only the last one. */
  readonly instants: readonly number[];
  /** When they are forgotten. */
  readonly expirationMs: number;
}

/** A try that may be compared, and is counted as wrong until it proves right; or one that may not, and is not counted. */
export type Reservation =
  | { readonly isAllowed: true; readonly tries: CountedTries }
  | { readonly isAllowed: false; readonly retryAfterMs: number };

const minuteMs = 60_000;
/** CountedTries in a row are forgotten after a week without any. */
const memoryMs = 7 * 24 * 60 * minuteMs;

/** Wrong passwords of a user. */
export const passwordLimits: TryLimits = {
  kind: "in-a-row",
  freeTries: 5,
  firstPauseMs: 1000,
  maxPauseMs: 15 * minuteMs,
};

/** Wrong second factors of a user, of all kinds together. */
export const factorLimits: TryLimits = {
  kind: "in-a-row",
  freeTries: 10,
  firstPauseMs: 15 * minuteMs,
  maxPauseMs: 15 * minuteMs,
};

/** Wrong tries from an address, for all users together. */
export const addressLimits: TryLimits = { kind: "window", maxTries: 100, windowMs: 15 * minuteMs };

/** Decides whether one more try may be compared. `before` is undefined when none is remembered. */
export function decideTry(before: CountedTries | undefined, limits: TryLimits, nowMs: number): Reservation {
  return limits.kind === "window"
    ? decideInWindow(before?.instants ?? [], limits, nowMs)
    : decideInARow(before, limits, nowMs);
}

/**
 * Returns the key of a counter: a keyed hash, so that the table tells nobody what was tried. `parts` are what the counter is of,
 * such as a folded username.
 */
export function tryKeyOf(keyring: Keyring, kind: TryKind, ...parts: readonly string[]): string {
  return Buffer.from(keyring.mac("try", JSON.stringify([kind, ...parts])).value).toString("base64url");
}

/** Names the counter of a user's second factors: one for all kinds, or each kind would give as many tries again. */
export function factorCounterOf(
  keyring: Keyring,
  userId: string,
): { readonly kind: "factor"; readonly key: string } {
  return { kind: "factor", key: tryKeyOf(keyring, "factor", userId) };
}

/** Returns the key of the counter of an address: the whole of an IPv4 address, 64 bits of an IPv6 address. */
export function addressKeyOf(keyring: Keyring, remoteAddress: string | undefined): string {
  return tryKeyOf(keyring, "address", networkOf(remoteAddress) ?? "");
}

function decideInARow(
  before: CountedTries | undefined,
  limits: TryLimits & { readonly kind: "in-a-row" },
  nowMs: number,
): Reservation {
  const count = before?.count ?? 0;
  // An instant in the future, after the clock was set back, counts as now: no wait grows.
  const last = Math.min(before?.instants.at(-1) ?? 0, nowMs);
  const freeMs = count === 0 ? 0 : last + pauseAfter(count, limits);
  if (freeMs > nowMs) return { isAllowed: false, retryAfterMs: freeMs - nowMs };
  return {
    isAllowed: true,
    tries: { count: count + 1, instants: [nowMs], expirationMs: nowMs + memoryMs },
  };
}

function pauseAfter(count: number, limits: TryLimits & { readonly kind: "in-a-row" }): number {
  if (count < limits.freeTries) return 0;
  return Math.min(limits.firstPauseMs * 2 ** (count - limits.freeTries), limits.maxPauseMs);
}

function decideInWindow(
  before: readonly number[],
  { maxTries, windowMs }: TryLimits & { readonly kind: "window" },
  nowMs: number,
): Reservation {
  const counting = before
    .filter((instant) => instant > nowMs - windowMs)
    .map((instant) => Math.min(instant, nowMs));
  const blocking = counting.at(-maxTries);
  if (blocking !== undefined) return { isAllowed: false, retryAfterMs: blocking + windowMs - nowMs };
  const instants = [...counting, nowMs];
  return { isAllowed: true, tries: { count: instants.length, instants, expirationMs: nowMs + windowMs } };
}
