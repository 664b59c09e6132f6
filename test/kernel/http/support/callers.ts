import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { TestServer } from "../../../sites/rpc/support/server.ts";

/** What a caller on another connection saw while something went on. */
export interface Service {
  readonly answers: number;
  /** Answers that were not 200, and errors. */
  readonly failures: number;
  readonly slowestMs: number;
}

/** Between two calls: back to back, they would take as much of the processor as what they watch. */
const pauseMs = 5;

/** Calls again and again over a connection of its own until the work is done, and once more after it. */
export async function servedDuring(server: TestServer, work: () => Promise<unknown>): Promise<Service> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen = { answers: 0, failures: 0, slowestMs: 0 };
  let isDone = false;
  const calls = (async () => {
    for (;;) {
      const isLast = isDone;
      const startedMs = performance.now();
      const status = await get(`${server.url}/healthz`, agent);
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedMs);
      if (status === 200) seen.answers++;
      else seen.failures++;
      if (isLast) return;
      await setTimeout(pauseMs);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await calls;
    agent.destroy();
  }
  return seen;
}

function get(url: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    request(url, { agent }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    })
      .once("error", () => resolve(undefined))
      .end();
  });
}
