import { execFileSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { ServingProcess } from "../../support/process.ts";

/** Returns the processes that serve, by their ids. */
export function workersOf({ child }: Pick<ServingProcess, "child">): readonly number[] {
  return execFileSync("pgrep", ["-P", `${child.pid}`], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number);
}

/** Waits until two workers serve, and none of them is the one that has ended. Returns them. */
export async function untilReplaced(serving: ServingProcess, gone: number): Promise<readonly number[]> {
  for (;;) {
    const now = workersOf(serving);
    const answer = await fetch(`${serving.url}/metrics`, { headers: { connection: "close" } });
    const serves = (await answer.text()).match(/^gatehouse_connections\{/gm)?.length;
    if (now.length === 2 && !now.includes(gone) && serves === 2) return now;
    await pause(50);
  }
}
