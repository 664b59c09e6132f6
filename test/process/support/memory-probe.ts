/**
 * Loaded into the service before it starts (`node --expose-gc --import`). It collects garbage when it is asked over IPC, and
 * answers how many bytes are alive.
 */
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
process.channel?.unref();
