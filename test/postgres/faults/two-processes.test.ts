import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout as delay } from "node:timers/promises";
import { useSeed } from "../../faults/support/seed.ts";
import type { Writers } from "../../faults/support/writers.ts";
import { gatehouse, type Single, startSingle } from "../support/pair.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { disturbances, killOne, type Scene, type Standstill, stopOne } from "./support/disturbances.ts";
import { createTirelessWriters } from "./support/ground.ts";
import { judgeDatabase, judgeWrites, readSequences } from "./support/judge.ts";
import { createRegister, judgeHistory, raceFor, readVersions, type Register } from "./support/registers.ts";
import { createRoamingCaller, type RoamingCaller } from "./support/roaming-caller.ts";
import { type Services, startServices } from "./support/services.ts";
import { judgeSeen, startWatcher, type Watcher } from "./support/watchers.ts";
import { sized } from "../../support/size.ts";

const randomOf = useSeed();
/** How long processes are killed. */
const minutes = sized({ small: 2, full: 4 });
const writerCount = 20;
const racerCount = 12;
const registerCount = 3;
const watcherCount = 3;
/** Longer than the five seconds after which a process that stands still loses its transaction. */
const standstillMs = 20_000;
/** A call to another process waits for a process that stands still no longer than this. */
const longestWaitMs = 6000;

let single: Single;
let proxies: readonly Proxy[];
let services: Services;
let callers: readonly RoamingCaller[];
let scene: Scene;
let writers: Writers;
let registers: readonly Register[];
let watchers: readonly Watcher[];
const standstills: Standstill[] = [];

beforeAll(async () => {
  single = await startSingle({
    track_commit_timestamp: "on",
    // A COMMIT takes five milliseconds, so that something can happen to it.
    commit_delay: 5000,
    commit_siblings: 0,
  });
  proxies = [await startProxy(single.server.port), await startProxy(single.server.port)];
  services = await startServices({
    databases: proxies.map(({ port }) => `postgres://${gatehouse}@127.0.0.1:${port}/${gatehouse}`),
  });
  scene = { services, server: single.server, proxies, random: randomOf(0) };
  callers = Array.from({ length: writerCount + racerCount }, (_each, index) =>
    createRoamingCaller(services.addresses, services.token, randomOf(1 + index)),
  );
  const caller = callerAt(0);
  writers = await createTirelessWriters(caller, randomOf(1000), writerCount);
  registers = await Promise.all(
    Array.from(
      { length: registerCount },
      async (_each, index) => await createRegister(caller, `register ${index}`),
    ),
  );
  watchers = Array.from({ length: watcherCount }, (_each, index) =>
    startWatcher(services.addresses, { token: services.token, after: 0, random: randomOf(2000 + index) }),
  );
});

afterAll(async () => {
  await Promise.all((watchers ?? []).map(async (watcher) => await watcher.end()));
  for (const caller of callers ?? []) caller.close();
  await services?.remove();
  for (const proxy of proxies ?? []) await proxy.close();
  await single?.remove();
});

const callerAt = (index: number) => {
  const caller = callers[index];
  if (caller === undefined) throw new Error(`there is no client ${index}`);
  return caller;
};

/** Runs one thing after the other until the time is over, with pauses of some seconds. */
async function keepOn(untilMs: number, act: () => Promise<void>): Promise<void> {
  while (Date.now() < untilMs) {
    await delay(2000 + scene.random.below(4000));
    await act();
  }
}

/** Kills, stops and disturbs until the time is over. A process stands still at the start, while nothing else happens. */
async function disturb(forMs: number): Promise<void> {
  const untilMs = Date.now() + forMs;
  while (Date.now() < untilMs) {
    standstills.push(await stopOne(scene, standstillMs));
    const pauseMs = Math.min(untilMs, Date.now() + 100_000);
    let count = scene.random.below(disturbances.length);
    await Promise.all([
      keepOn(pauseMs, async () => await killOne(scene)),
      keepOn(pauseMs, async () => {
        count += 1;
        await disturbances[count % disturbances.length]?.run(scene);
      }),
    ]);
  }
}

describe(`two processes on one database, for ${minutes} minutes of kills`, () => {
  test(
    "run, and the clients go on",
    async () => {
      const running = writers.start((index) => callerAt(index));
      let mayRun = true;
      const races = Array.from({ length: racerCount }, async (_each, index) => {
        const register = registers[index % registers.length];
        if (register === undefined) throw new Error("there are registers");
        const name = String(index);
        await raceFor(register, callerAt(writerCount + index), { name, mayRun: () => mayRun });
      });
      await disturb(minutes * 60_000);
      mayRun = false;
      running.end();
      await Promise.all([running.ended, ...races]);
      const cut = writers.others.filter(({ ending }) => ending.kind === "cut").length;
      process.stderr.write(
        `${writers.acknowledged.length} writes acknowledged, ${writers.others.length - cut} refused, ${cut} unknown\n`,
      );
      expect(writers.acknowledged.length).toBeGreaterThan(minutes * 200);
      expect(cut).toBeGreaterThan(0);
    },
    minutes * 60_000 + 200_000,
  );

  const url = () => single.server.url(gatehouse);

  test("what was acknowledged is there, what was refused is not, the rest wholly or not at all", async () => {
    expect(await judgeWrites(url(), callerAt(0), writers)).toEqual([]);
    expect(await judgeDatabase(url())).toEqual([]);
  });

  test("conditional updates over both processes are one chain, told as if one came after the other", async () => {
    for (const register of registers) {
      expect(judgeHistory(register, await readVersions(url(), register)).slice(0, 10)).toEqual([]);
      expect(register.operations.filter(({ kind }) => kind === "swapped").length).toBeGreaterThan(50);
      expect(register.operations.filter(({ kind }) => kind === "refused").length).toBeGreaterThan(10);
    }
  });

  test("every watcher has seen every event once, in the order of the commits", async () => {
    const logged = await readSequences(url(), 0);
    const last = logged.at(-1) ?? 0;
    for (const watcher of watchers) {
      await watcher.reach(last);
      expect([...watcher.odd, ...judgeSeen(watcher.seen, logged)].slice(0, 10)).toEqual([]);
    }
  });

  test("nobody waits longer than six seconds for a process that stands still", () => {
    // Other faults come before and behind it: only the time within counts.
    const waits = standstills.flatMap(({ process: stopped, startMs, endMs }) =>
      callers.flatMap(({ past }) =>
        past
          .filter((call) => call.process !== stopped && call.startMs < endMs && call.endMs > startMs)
          .map((call) => Math.min(call.endMs, endMs) - Math.max(call.startMs, startMs)),
      ),
    );
    expect(waits.length).toBeGreaterThan(standstills.length * 100);
    expect(Math.max(...waits)).toBeLessThan(longestWaitMs);
  });

  test("both stop in order, and doctor finds log and tables in agreement", async () => {
    await Promise.all(watchers.map(async (watcher) => await watcher.end()));
    expect(await services.stop()).toEqual([0, 0]);
    expect(await services.run(["doctor"])).toMatchObject({ code: 0 });
  });
});
