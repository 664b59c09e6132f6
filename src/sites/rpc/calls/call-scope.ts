import type { EventEmitter } from "node:events";
import type { Clock } from "../../../kernel/base/clock.ts";
import { requestInvalid } from "../../../kernel/base/problem.ts";
import { deadlineExceeded } from "../errors/refusals.ts";
import { cancelled } from "../../../kernel/http/errors/refusals.ts";

/** The lifetime of a call: until its deadline, and as long as the caller is there. */
export interface CallScope {
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal;
  /** Waits for the work. Fails at the deadline, or when the caller is gone, if that comes first. */
  bound<T>(work: Promise<T>): Promise<T>;
  /** Makes the wait go on until the work has ended, whatever comes before: its outcome is being decided. */
  waitForOutcome(): void;
  /** Ends the call for the reason. */
  abort(reason: unknown): void;
  /** Ends the scope once the answer is sent: nothing is aborted any more. */
  close(): void;
}

const longestTimerMs = 2 ** 31 - 1;

/** Opens the scope of a call. `answering` emits `close` when the caller is gone. `timeoutMs` counts from now. */
export function openCallScope(
  clock: Clock,
  answering: EventEmitter,
  timeoutMs: number | undefined,
): CallScope {
  const controller = new AbortController();
  const { signal } = controller;
  let rejectWork = (_reason: unknown): void => {};
  const abort = (reason: unknown): void => {
    controller.abort(reason);
    rejectWork(signal.reason);
  };
  const onClose = (): void => abort(cancelled());
  answering.once("close", onClose);
  const nowMs = clock.nowMs();
  const deadlineMs = timeoutMs === undefined ? undefined : nowMs + timeoutMs;
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => abort(deadlineExceeded()), Math.min(timeoutMs, longestTimerMs));
  if (deadlineMs !== undefined && deadlineMs <= nowMs) abort(deadlineExceeded()); // the shortest timer is longer than that
  return {
    deadlineMs,
    signal,
    // Promise.race would hold on to the work after its end, and costs more than checking the permission of a call.
    bound: (work) =>
      new Promise((resolve, reject) => {
        rejectWork = reject;
        work.then(resolve, reject);
        if (signal.aborted) reject(signal.reason);
      }),
    waitForOutcome() {
      rejectWork = () => {};
    },
    abort,
    close() {
      if (timer !== undefined) clearTimeout(timer);
      answering.off("close", onClose);
    },
  };
}

/** Returns the part of an arrival that comes from the scope of its call. */
export function arrivalOf({ deadlineMs, signal, waitForOutcome }: CallScope) {
  return { deadlineMs, signal, onAccepted: waitForOutcome };
}

const unitsMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 1e-3,
  n: 1e-6,
};

/** Parses the timeout in `grpc-timeout`, in ms. Raises INVALID_REQUEST. */
export function parseGrpcTimeout(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, digits, unit = ""] = /^(\d{1,8})([HMSmun])$/.exec(value) ?? [];
  if (digits === undefined)
    throw requestInvalid("the header grpc-timeout must be 1 to 8 digits and one of H, M, S, m, u, n");
  return Number(digits) * (unitsMs[unit] ?? 1);
}

/** Parses the timeout in `connect-timeout-ms`. Raises INVALID_REQUEST. */
export function parseConnectTimeout(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,10}$/.test(value)) throw requestInvalid("the header connect-timeout-ms must be 1 to 10 digits");
  return Number(value);
}
