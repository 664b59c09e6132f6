import { once } from "node:events";
import { join } from "node:path";
import type { Launch, ServingProcess } from "../../support/process.ts";

/** Starts a service that can be asked what is alive in it. */
export const withMemoryProbe: Launch = {
  node: ["--expose-gc", "--import", join(import.meta.dirname, "memory-probe.ts")],
};

/**
 * Collects garbage in the service, and returns how many megabytes are alive, outside of the heap too. What is resident says
 * less: V8 gives back what it took in its own time.
 */
export async function liveMb({ child }: ServingProcess): Promise<number> {
  const answer = once(child, "message");
  child.send("collect");
  const [bytes] = await answer;
  return Number(bytes) / 1024 ** 2;
}
