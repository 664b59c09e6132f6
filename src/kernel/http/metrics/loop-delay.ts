const everyMs = 50;

/**
 * Reports how late a timer comes, in seconds, until the returned function is called. After a stall it reports each missed time
 * separately: otherwise a second in which nothing went on would be one sample of twenty. The histogram of node:perf_hooks counts
 * a stall once, and must be reset by its reader, so that two readers would take samples from each other.
 */
export function watchLoop(observe: (lateSeconds: number) => void): () => void {
  let dueMs = performance.now() + everyMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    // Node's timers come up to a millisecond early.
    observe(Math.max(0, nowMs - dueMs) / 1000);
    for (dueMs += everyMs; dueMs <= nowMs; dueMs += everyMs) observe((nowMs - dueMs) / 1000);
    dueMs = nowMs + everyMs;
  }, everyMs).unref();
  return () => clearInterval(timer);
}
