import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { document, metadataOf, unreachable } from "./metadata-server.ts";
import { minuteMs, openRefreshFixture, type RefreshFixture } from "./refresh-fixture.ts";

let world: RefreshFixture;

beforeEach(async () => {
  world = await openRefreshFixture();
});

afterEach(() => world.close());

describe("start and stop", () => {
  test("look at once and then every 15 s", async () => {
    world.refresh.start();
    expect((await world.timers.next()).ms).toBe(0);
    const id = await world.create();
    await world.timers.fire();
    expect((await world.timers.next()).ms).toBe(15_000);
    world.fixture.clock.turn(minuteMs);
    world.server.answer(document(metadataOf("e")));
    await world.timers.fire();
    await world.timers.next();
    expect(await world.samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("take all that is due without a pause, five at a time of an organization", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.push(await world.create(`n${index}`));
    world.fixture.clock.turn(minuteMs);
    let running = 0;
    let most = 0;
    world.server.answer(async () => {
      running++;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running--;
      return document(metadataOf(`e${world.server.requests.length}`));
    });
    world.refresh.start();
    await world.timers.fire();
    await world.timers.next();
    expect(world.server.requests).toHaveLength(24);
    expect(most).toBe(5);
  });

  test("find after a restart what was due before", async () => {
    const id = await world.create();
    await world.refresh.stop();
    world.fixture.clock.turn(minuteMs);
    world.restart();
    world.server.answer(document(metadataOf("e")));
    world.refresh.start();
    await world.timers.fire();
    await world.timers.next();
    expect(await world.samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("break off a fetch that is under way, record nothing of it, and look no more", async () => {
    const id = await world.create();
    world.fixture.clock.turn(minuteMs);
    const release = world.server.hold();
    world.refresh.start();
    await world.timers.fire();
    while (world.server.requests.length < 2) await new Promise(setImmediate);
    await world.refresh.stop();
    expect(world.timers.pending()).toBe(0);
    expect(await world.fixture.events(id)).toHaveLength(1);
    expect(world.errors).toEqual([]);
    release();
    world.restart();
    expect(await world.refresh.run()).toBe(1);
  });

  test("wait for a fetch that cannot be broken off", async () => {
    await world.create();
    world.fixture.clock.turn(minuteMs);
    const { promise, resolve } = Promise.withResolvers<typeof unreachable>();
    world.server.answer(() => promise);
    world.refresh.start();
    await world.timers.fire();
    while (world.server.requests.length < 2) await new Promise(setImmediate);
    let isStopped = false;
    const stop = world.refresh.stop().then(() => {
      isStopped = true;
    });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    resolve(unreachable);
    await stop;
  });

  test("leave no timer behind", async () => {
    world.refresh.start();
    expect(world.timers.pending()).toBe(1);
    await world.refresh.stop();
    expect(world.timers.pending()).toBe(0);
  });

  test("stop what was not started", async () => {
    await world.refresh.stop();
    expect(world.timers.pending()).toBe(0);
  });
});

describe("one of several processes", () => {
  let term: AbortController | undefined;

  beforeEach(async () => {
    await world.create();
    world.fixture.clock.turn(minuteMs);
    term = undefined;
    world.restart({ term: () => term?.signal });
  });

  test("fetches only while it is the leader, and looks every 15 s whether it is", async () => {
    world.refresh.start();
    await world.timers.fire();
    expect((await world.timers.next()).ms).toBe(15_000);
    expect(world.server.requests).toHaveLength(1); // of the creation
    term = new AbortController();
    await world.timers.fire();
    await world.timers.next();
    expect(world.server.requests).toHaveLength(2);
  });

  test("breaks off its fetches when its term ends, and goes on in the next one", async () => {
    const release = world.server.hold();
    term = new AbortController();
    world.refresh.start();
    await world.timers.fire();
    while (world.server.requests.length < 2) await new Promise(setImmediate);
    term.abort();
    await world.timers.next();
    expect(world.errors).toEqual([]);
    release();
    term = new AbortController();
    expect(await world.refresh.run()).toBe(1);
  });
});
