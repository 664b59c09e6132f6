const pauseMs = 60_000;

/** Returns what counts how often it is called, and reports the count: at the first time, then once in a minute at the most. */
export function createOccasional(report: (count: number) => void): () => void {
  let count = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    count++;
    const nowMs = performance.now();
    if (nowMs - lastMs < pauseMs) return;
    lastMs = nowMs;
    report(count);
    count = 0;
  };
}
