import { expect, test } from "@jest/globals";
import { setTimeout as pause } from "node:timers/promises";
import { untilReplaced, workersOf } from "../process/support/workers.ts";
import { sized } from "../support/size.ts";
import { endInOrder, useSites } from "./support/ground.ts";
import { judgeFiles, judgeThroughService } from "./support/judge.ts";
import { useSeed } from "./support/seed.ts";
import { createWriters } from "./support/writers.ts";

const sites = useSites();
const randomOf = useSeed();
const kills = sized({ small: 5, full: 50 });
const connectionsPerSecond = 100;

test("kills of workers under load lose nothing that was acknowledged, and the port stays open", async () => {
  const { place, ground, connect } = await sites.create();
  const random = randomOf(0);
  const serving = await place.serve(["--workers", "2"]);
  const writers = createWriters(ground, random, { isTireless: true });
  const running = writers.start(() => connect(serving)); // of HTTP/1.1, which connects again by itself
  let workers = workersOf(serving);
  const refusals: string[] = [];
  const over = new AbortController();
  const probing = (async () => {
    while (!over.signal.aborted) {
      await fetch(`${serving.url}/healthz`, { headers: { connection: "close" } }).catch(
        ({ cause }: { cause: { code: string } }) => refusals.push(cause.code),
      );
      await pause(1000 / connectionsPerSecond);
    }
  })();
  for (let kill = 0; kill < kills; kill++) {
    await running.reach(20 + random.below(40));
    const gone = random.pick(workers);
    process.kill(gone, "SIGKILL");
    workers = await untilReplaced(serving, gone);
  }
  await running.reach(50);
  running.end();
  await running.ended;
  over.abort();
  await probing;
  const complaints = [...(await judgeThroughService(connect(serving), writers, "all"))];
  expect(await endInOrder(serving)).toBe(0);
  complaints.push(...(await judgeFiles(place.path, writers, { isRebuilt: true })).complaints);
  expect(complaints).toEqual([]);
  // A connection that a worker had taken ends with it; none is refused.
  expect(refusals.filter((code) => code === "ECONNREFUSED")).toEqual([]);
  const times = writers.acknowledged
    .map(({ sentMs, answeredMs }) => answeredMs - sentMs)
    .toSorted((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  process.stdout.write(`${kills} kills, ${times.length} writes, p99 ${p99.toFixed(0)} ms\n`);
}, 1_200_000);
