/** How far a target has come, which is kept beside the log. */
export interface TargetPosition {
  readonly targetId: string;
  /** Every event up to this sequence was delivered, or is not for the target. */
  readonly sequence: number;
  /** How often the next event was sent in vain. */
  readonly attempts: number;
  /** When it is sent again; 0 if it was not sent in vain. */
  readonly nextAttemptMs: number;
  /** Counts the requests to deliver again. What was decided before the last one no longer counts. */
  readonly generation: number;
  /** The process that delivers, until `heldUntilMs`; empty: none. */
  readonly holder: string;
  readonly heldUntilMs: number;
}

/** Why an attempt failed, by the names of DeliveryFailure. */
export type AttemptFailure = "STATUS" | "UNREACHABLE" | "FORBIDDEN";

/** What became of an event that was sent to a target. */
export interface TargetDelivery {
  /** The event. */
  readonly sequence: number;
  readonly eventType: string;
  /** Undefined: it was delivered. */
  readonly failure: AttemptFailure | undefined;
  /** Of the answer; 0: there was none. */
  readonly status: number;
  readonly attempts: number;
  readonly firstAttemptMs: number;
  readonly lastAttemptMs: number;
  readonly durationMs: number;
}

/** For one attempt, with everything that belongs to it. */
export const attemptMs = 10_000;

/** A process that has claimed a target delivers for so long, unless it says again that it goes on. Another one may take over then. */
export const heldMs = 5000;

/** How often a process says that it goes on. */
export const renewMs = 1500;

/** How long the list of deliveries holds one: 30 days. */
export const keptMs = 30 * 86_400_000;

/** How many deliveries of a target the list holds. */
export const keptDeliveries = 10_000;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The pauses after an attempt that failed, in their order. */
export const pausesMs: readonly number[] = [
  5000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** The pause after every further attempt. */
const probeMs = hourMs;

/** Says whether all attempts have failed, so that the target is only probed. */
export function isFailing({ attempts }: Pick<TargetPosition, "attempts">): boolean {
  return attempts > pausesMs.length;
}

/**
 * Decides when to send again after so many attempts. `jitter`, from 0 to 1, makes a pause up to a tenth longer, so that
 * the targets of one receiver that was away do not all come back at the same moment.
 */
export function nextAttemptMs(attempts: number, nowMs: number, jitter: number): number {
  const pauseMs = pausesMs[attempts - 1] ?? probeMs;
  return nowMs + Math.round(pauseMs * (1 + jitter / 10));
}
