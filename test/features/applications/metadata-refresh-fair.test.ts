import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { unreachable } from "./metadata-server.ts";
import { minuteMs, openRefreshFixture, type RefreshFixture } from "./refresh-fixture.ts";

let world: RefreshFixture;
/** Hosts in the order in which they were asked during the refresh. */
let asked: string[];
let mostOf: Map<string, number>;
let running: Map<string, number>;
let mostAtOnce: number;

beforeEach(async () => {
  world = await openRefreshFixture();
  asked = [];
  mostOf = new Map();
  running = new Map();
  mostAtOnce = 0;
});

afterEach(() => world.close());

/** Answers as soon as it may: hosts that hold wait for `release`. */
function serve(isHeld: (host: string) => boolean): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  world.server.answer(async (url) => {
    const { host } = new URL(url);
    asked.push(host);
    running.set(host, (running.get(host) ?? 0) + 1);
    mostOf.set(host, Math.max(mostOf.get(host) ?? 0, running.get(host) ?? 0));
    mostAtOnce = Math.max(
      mostAtOnce,
      running.values().reduce((sum, each) => sum + each, 0),
    );
    if (isHeld(host)) await promise;
    else await new Promise(setImmediate);
    running.set(host, (running.get(host) ?? 0) - 1);
    return unreachable;
  });
  return () => resolve(undefined);
}

describe("what is due", () => {
  test("of one organization with slow servers does not hold up that of another", async () => {
    await world.createElsewhere("slow.example.com", 12);
    await world.createElsewhere("quick.example.com", 12);
    world.fixture.clock.turn(minuteMs);
    const release = serve((host) => host.startsWith("slow"));
    const run = world.refresh.run();
    const count = (host: string) => asked.filter((each) => each === host).length;
    while (count("quick.example.com") < 12) await new Promise(setImmediate);
    expect(count("slow.example.com")).toBe(5);
    release();
    expect(await run).toBe(24);
    expect(Object.fromEntries(mostOf)).toEqual({ "slow.example.com": 5, "quick.example.com": 5 });
  });

  test("is begun in turns of organizations, whoever was due first", async () => {
    await world.createElsewhere("a.example.com", 3);
    world.fixture.clock.turn(minuteMs);
    await world.createElsewhere("b.example.com", 2);
    await world.createElsewhere("c.example.com", 1);
    world.fixture.clock.turn(minuteMs);
    serve(() => false);
    await world.refresh.run();
    const hosts = asked.map((host) => host.charAt(0));
    expect(hosts.slice(0, 3).toSorted()).toEqual(["a", "b", "c"]);
    expect(hosts.slice(3, 5).toSorted()).toEqual(["a", "b"]);
    expect(hosts.slice(5)).toEqual(["a"]);
  });

  test("is fetched 50 at a time at most", async () => {
    for (let index = 0; index < 12; index++) await world.createElsewhere(`h${index}.example.com`, 6);
    world.fixture.clock.turn(minuteMs);
    const release = serve(() => true);
    const run = world.refresh.run();
    while (asked.length < 50) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(asked).toHaveLength(50);
    release();
    expect(await run).toBe(72);
    expect(mostAtOnce).toBe(50);
  });
});
