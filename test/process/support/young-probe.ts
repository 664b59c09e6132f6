/**
 * Loaded into the service before it starts (`node --expose-gc --import`). It collects the young generation when it is asked
 * over IPC, and answers how many bytes went over into the old one.
 */
import { Duplex } from "node:stream";
import { getHeapSpaceStatistics } from "node:v8";

/** What a test asks: for streams whose code is compiled as in a service that runs for a while, or for a collection. */
export type YoungQuestion = "settle" | "collect";

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.includes("new"));
  return spaces.reduce((sum, space) => sum + space.space_used_size, 0);
}

/** What survives twice is old. */
function collectYoung(): number {
  const before = oldBytes();
  globalThis.gc?.({ type: "minor" });
  globalThis.gc?.({ type: "minor" });
  return oldBytes() - before;
}

/**
 * Each stream of Node has a function that code not yet compiled by the last compiler of V8 makes in the old generation, with
 * the stream on it (V8: `function` assigned to a property). It takes some thousand streams, whatever they are for.
 */
function settle(): void {
  for (let round = 0; round < 200; round++) {
    let last: Duplex | undefined;
    for (let made = 0; made < 500; made++) last = new Duplex({ read() {}, write() {} });
    last?.destroy();
    if (collectYoung() < 500 * 50) break;
  }
  globalThis.gc?.();
}

process.on("message", (question: YoungQuestion) => {
  if (question === "settle") settle();
  process.send?.(collectYoung());
});
process.channel?.unref();
