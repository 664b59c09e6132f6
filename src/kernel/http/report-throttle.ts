const pauseMs = 60_000;

/** Counts how often it is called, and reports the count: at the first call, then at most once a minute. */
export function createReportThrottle(report: (count: number) => void): () => void {
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
