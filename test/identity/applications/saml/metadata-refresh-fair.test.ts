import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { unreachable } from "./metadata-server.ts";
import { minuteMs, openRefreshFixture, type RefreshFixture } from "./refresh-fixture.ts";
import { largeTest } from "../../../support/large.ts";

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

/** Stores as many applications as that many calls like those before would leave. */
function multiply(count: number): Promise<void> {
  const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)";
  return world.fixture.context.database.write(async (tx) => {
    await tx.run(
      `${numbers} INSERT INTO stored_applications (id, sequence, creation_date, resource_owner, state, project_id, name, folded_name,
         metadata_url, metadata_state, metadata_error, assertion_consumer_services)
       SELECT id || i, sequence, creation_date, resource_owner, state, project_id, name || i, folded_name || i,
         metadata_url || i, metadata_state, metadata_error, assertion_consumer_services FROM n CROSS JOIN applications`,
      [count],
    );
    return await tx.run(
      `${numbers} INSERT INTO metadata_refreshes (application_id, next_ms, failures)
       SELECT application_id || i, next_ms, failures FROM n CROSS JOIN metadata_refreshes`,
      [count],
    );
  });
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

  largeTest("of one organization is not put before that of others, however much it is", async () => {
    await world.createElsewhere("much.example.com", 1);
    await multiply(20_000);
    world.fixture.clock.turn(minuteMs);
    await world.createElsewhere("other.example.com", 1);
    world.fixture.clock.turn(minuteMs);
    const release = serve((host) => host.startsWith("much"));
    const run = world.refresh.run();
    while (asked.length < 5) await new Promise(setImmediate);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(asked).toContain("other.example.com");
    release();
    const done = await run;
    expect(world.errors).toEqual([]);
    expect(done).toBe(2002); // two times 9,000 of 10,000 were put back
    const rest = await world.fixture.context.database.read((tx) =>
      tx.get<{ total: number }>("SELECT COUNT(*) AS total FROM metadata_refreshes WHERE next_ms = ?", [
        world.fixture.clock.nowMs() + 10 * minuteMs,
      ]),
    );
    expect(rest?.total).toBe(18_000);
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
