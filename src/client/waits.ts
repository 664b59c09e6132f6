/** Returns how long to wait before another try: from about 0.1 s on, twice as long each time, up to about 30 s. */
export function waitMs(failures: number): number {
  return Math.min(100 * 2 ** failures, 30_000) * (0.5 + Math.random());
}

/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export async function wait(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error); // as throwIfAborted does
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    signal?.addEventListener("abort", end, { once: true });
  });
}
