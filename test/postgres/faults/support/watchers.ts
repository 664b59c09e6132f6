import { setTimeout as delay } from "node:timers/promises";
import { openWatch, type Watch } from "../../../api/support/watch.ts";
import type { Random } from "../../../hostile/support/random.ts";
import type { Address } from "./roaming-caller.ts";

/** Watches all events, on one process after the other: whenever a watch ends, it goes on after the last event at another. */
export interface Watcher {
  /** The sequences in the order in which they came. */
  readonly seen: readonly number[];
  /** Endings that are no broken connection and no stop of the service. */
  readonly odd: readonly string[];
  /** Resolves once the event has come. Rejects when that takes half a minute. */
  reach(sequence: number): Promise<void>;
  /** Ends its watch at once. */
  end(): Promise<void>;
}

const patienceMs = 30_000;

/** Starts with the first event after a sequence. */
export function startWatcher(
  addresses: readonly Address[],
  { token, after, random }: { readonly token: string; readonly after: number; readonly random: Random },
): Watcher {
  const seen: number[] = [];
  const odd: string[] = [];
  const state: { isEnded: boolean; watch?: Watch } = { isEnded: false };
  const run = async () => {
    while (!state.isEnded) {
      const afterSequence = BigInt(seen.at(-1) ?? after);
      const watch = openWatch(
        "grpc",
        random.pick(addresses).url,
        { afterSequence },
        {
          token,
          onEvent: ({ sequence }) => {
            seen.push(Number(sequence));
          },
        },
      );
      state.watch = watch;
      const { code, reason, message } = await watch.ended;
      // CANCELLED by `end`; UNAVAILABLE; too far behind, after the process stood still; a broken connection of HTTP/2.
      const isExpected = code === 1 || code === 14 || reason === "LIMIT_REACHED";
      if (!isExpected && !/RST_STREAM|Connection dropped/.test(message))
        odd.push(`a watch ended with ${code} ${reason}: ${message}`);
      await delay(50);
    }
  };
  const ended = run();
  return {
    seen,
    odd,
    async reach(sequence) {
      const deadlineMs = Date.now() + patienceMs;
      while ((seen.at(-1) ?? 0) < sequence) {
        if (Date.now() > deadlineMs) throw new Error(`a watcher has reached ${seen.at(-1)}, not ${sequence}`);
        await delay(20);
      }
    },
    async end() {
      state.isEnded = true;
      state.watch?.cancel();
      await ended;
    },
  };
}

/** Says what is wrong with what a watcher saw, given the sequences in the log after its start, in order. */
export function judgeSeen(seen: readonly number[], logged: readonly number[]): readonly string[] {
  const inLog = new Set(logged);
  const counts = Map.groupBy(seen, (sequence) => sequence);
  return [
    ...logged.filter((sequence) => !counts.has(sequence)).map((sequence) => `missed: the event ${sequence}`),
    ...[...counts].filter(([, each]) => each.length > 1).map(([sequence]) => `twice: the event ${sequence}`),
    ...seen.filter((sequence) => !inLog.has(sequence)).map((sequence) => `made up: the event ${sequence}`),
    ...seen
      .filter((sequence, index) => sequence < (seen[index - 1] ?? 0))
      .map((sequence) => `out of order: the event ${sequence}`),
  ];
}
