import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { useSeed } from "../../faults/support/seed.ts";
import type { Writers } from "../../faults/support/writers.ts";
import { gatehouse, type Pair, startPair } from "../support/pair.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { createTirelessWriters } from "./support/ground.ts";
import { judgeDatabase, judgeWrites } from "./support/judge.ts";
import { createRoamingCaller, type RoamingCaller } from "./support/roaming-caller.ts";
import { type Services, startServices } from "./support/services.ts";
import { sized } from "../../support/size.ts";

const randomOf = useSeed();
const rounds = sized({ small: 3, full: 6 });
const writerCount = 16;
/** How long a process may go on answering once it knows no primary that can commit. */
const fenceMs = 7000;

let pair: Pair;
/** By process, then by server in the order of `pair.servers`. */
let proxies: readonly (readonly [Proxy, Proxy])[];
let services: Services;
let callers: readonly RoamingCaller[];
let writers: Writers;

beforeAll(async () => {
  pair = await startPair({ track_commit_timestamp: "on" });
  const [first, second] = pair.servers;
  proxies = await Promise.all(
    [0, 1].map(async () => [await startProxy(first.port), await startProxy(second.port)] as const),
  );
  const hosts = (own: readonly Proxy[]) => own.map(({ port }) => `127.0.0.1:${port}`).join();
  services = await startServices({
    databases: proxies.map((own) => `postgres://${gatehouse}@${hosts(own)}/${gatehouse}`),
  });
  callers = Array.from({ length: writerCount }, (_each, index) =>
    createRoamingCaller(services.addresses, services.token, randomOf(index)),
  );
  writers = await createTirelessWriters(callerAt(0), randomOf(1000), writerCount);
});

afterAll(async () => {
  for (const caller of callers ?? []) caller.close();
  await services?.remove();
  for (const proxy of (proxies ?? []).flat()) await proxy.close();
  await pair?.remove();
});

const callerAt = (index: number) => {
  const caller = callers[index];
  if (caller === undefined) throw new Error(`there is no client ${index}`);
  return caller;
};
/** Waits until both processes say that they are ready; rejects when that takes half a minute. */
const untilReady = async () => {
  const deadlineMs = Date.now() + 30_000;
  for (const { url } of services.addresses)
    while ((await statusOf(`${url}/readyz`)) !== 200) {
      if (Date.now() > deadlineMs) throw new Error(`${url} is not ready`);
      await delay(50);
    }
};
const judge = async () => {
  await untilReady();
  const url = pair.primary().url(gatehouse);
  return [...(await judgeWrites(url, callerAt(0), writers)), ...(await judgeDatabase(url))];
};

describe("the primary is killed under load and its synchronous standby takes over", () => {
  test.each(Array.from({ length: rounds }, (_each, index) => index + 1))(
    "round %d: nothing that was acknowledged is lost, and both processes go on",
    async (round) => {
      const running = writers.start(callerAt);
      await running.reach(100);
      const old = pair.primary();
      await old.kill();
      await pair.promote();
      // It comes back by itself, before anybody has told it that there is another primary.
      if (round % 2 === 0) await old.start();
      await delay(randomOf(2000 + round).below(1000));
      await pair.rejoin(round % 2 === 0 ? "copy" : "rewind");
      await running.reach(100);
      running.end();
      await running.ended;
      await untilReady();
      expect(await judge()).toEqual([]);
    },
    120_000,
  );
});

describe("a process that is cut off with an old primary", () => {
  /** The process with the number 1 keeps the old primary, the one with the number 0 the new one. */
  const cutOff = 1;

  test("answers nothing any more after seven seconds, acknowledges nothing, and goes on once it is back", async () => {
    const oldIndex = pair.servers.indexOf(pair.primary());
    const newIndex = 1 - oldIndex;
    const reader = createRoamingCaller(addressesOf(cutOff), services.token, randomOf(3000));
    const running = writers.start(callerAt);
    await running.reach(100);
    proxies[cutOff]?.[newIndex]?.cut();
    proxies[1 - cutOff]?.[oldIndex]?.cut();
    await pair.promote();
    const cutMs = performance.now();
    while (performance.now() - cutMs < 2 * fenceMs) {
      await reader.call("OrganizationService/ListOrganizations", {});
      await delay(50);
    }
    const late = (caller: RoamingCaller) =>
      caller.past.filter(
        ({ kind, process, endMs }) => kind === "answer" && process === cutOff && endMs - cutMs > fenceMs,
      );
    const readLate = reader.past.filter(({ kind, endMs }) => kind === "answer" && endMs - cutMs > fenceMs);
    expect(readLate).toEqual([]);
    expect(reader.past.filter(({ kind }) => kind === "refused").length).toBeGreaterThan(10);
    expect(callers.flatMap(late)).toEqual([]);
    expect(await statusOf(`${services.addresses[cutOff]?.url}/readyz`)).toBe(503);
    for (const proxy of proxies.flat()) proxy.mend();
    await pair.rejoin("rewind");
    await running.reach(100);
    running.end();
    await running.ended;
    expect(await judge()).toEqual([]);
    expect(await statusOf(`${services.addresses[cutOff]?.url}/readyz`)).toBe(200);
    reader.close();
  }, 120_000);

  const addressesOf = (index: number) => services.addresses.filter((_each, each) => each === index);
});

test("afterwards both stop in order, and doctor finds log and tables in agreement", async () => {
  expect(await services.stop()).toEqual([0, 0]);
  expect(await services.run(["doctor"])).toMatchObject({ code: 0 });
});

async function statusOf(url: string): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}
