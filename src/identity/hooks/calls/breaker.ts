/** How often a hook has failed lately. */
export interface BreakerState {
  /** In a row. */
  readonly failures: number;
  /** Until then nothing is sent, once there were enough. */
  readonly openUntilMs: number;
  /** Whether one call is trying whether the hook is well again. */
  readonly isTrying: boolean;
}

/** So many failures in a row open the breaker. */
const maxFailures = 5;
/** For so long. */
const openMs = 30_000;

/** A hook that has not failed. */
export const closedBreaker: BreakerState = { failures: 0, openUntilMs: 0, isTrying: false };

/**
 * Decides whether a hook is called: not for 30 seconds after five failures in a row, and then by one call at first, which finds out
 * whether it is well again. Undefined: it is not.
 */
export function passBreaker(state: BreakerState, nowMs: number): BreakerState | undefined {
  if (state.failures < maxFailures) return state;
  return nowMs < state.openUntilMs || state.isTrying ? undefined : { ...state, isTrying: true };
}

/** Takes the result of a call into account. */
export function noteResult(state: BreakerState, isGood: boolean, nowMs: number): BreakerState {
  if (isGood) return closedBreaker;
  const failures = state.failures + 1;
  return { failures, openUntilMs: failures < maxFailures ? 0 : nowMs + openMs, isTrying: false };
}
