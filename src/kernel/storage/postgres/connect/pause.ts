import { setTimeout as wait } from "node:timers/promises";

/** Returns after so many milliseconds, or as soon as the signal aborts. */
export async function pauseFor(ms: number, end: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal: end });
  } catch (error) {
    if (!end.aborted) throw error;
  }
}
