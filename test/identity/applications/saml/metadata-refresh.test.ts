import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createSoleLeadership } from "../../../../src/kernel/base/leadership.ts";
import { createMetadataRefresh } from "../../../../src/identity/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "../../../../src/identity/applications/saml/metadata-source.ts";
import { document, metadataOf, unreachable } from "./metadata-server.ts";
import { dayMs, minuteMs, openRefreshFixture, type RefreshFixture, url } from "./refresh-fixture.ts";

let world: RefreshFixture;

beforeEach(async () => {
  world = await openRefreshFixture();
});

afterEach(() => world.close());

describe("run", () => {
  test("fetches nothing before it is due", async () => {
    await world.create();
    world.fixture.clock.turn(0.8 * minuteMs - 1);
    expect(await world.refresh.run()).toBe(0);
    expect(world.server.requests).toHaveLength(1);
  });

  test("puts the document of a pending application in force", async () => {
    const id = await world.create();
    world.fixture.clock.turn(minuteMs);
    world.server.answer(document(metadataOf("e")));
    expect(await world.refresh.run()).toBe(1);
    const events = await world.fixture.events(id);
    expect(await world.samlOf(id)).toMatchObject({
      metadata: { entityId: "e", xml: metadataOf("e") },
      metadataFetchDate: events[1]?.sequence,
      metadataState: "READY",
      metadataError: "",
    });
    expect(events[1]).toMatchObject({
      type: "application.metadata.fetched",
      editor: "system",
      request_id: "metadata-refresh",
      resource_owner: world.organization,
    });
  });

  test("tries again with growing pauses up to an hour, and records nothing while nothing changes", async () => {
    const id = await world.create();
    for (const pauseMinutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      world.fixture.clock.turn(0.8 * pauseMinutes * minuteMs - 1);
      expect(await world.refresh.run()).toBe(0);
      world.fixture.clock.turn(0.2 * pauseMinutes * minuteMs + 1);
      expect(await world.refresh.run()).toBe(1);
    }
    expect(await world.samlOf(id)).toMatchObject({ metadataState: "PENDING" });
    expect(await world.fixture.events(id)).toHaveLength(1);
  });

  test("fetches metadata in force daily, and records nothing but the date when it is the same", async () => {
    world.server.answer(document(metadataOf("e")));
    const id = await world.create();
    const [added] = await world.fixture.events(id);
    expect((await world.samlOf(id)).metadataFetchDate).toBe(added?.sequence);
    world.fixture.clock.turn(0.8 * dayMs - 1);
    expect(await world.refresh.run()).toBe(0);
    world.fixture.clock.turn(0.2 * dayMs + 1);
    expect(await world.refresh.run()).toBe(1);
    expect(await world.refresh.run()).toBe(0);
    world.fixture.clock.turn(dayMs);
    expect(await world.refresh.run()).toBe(1);
    expect(await world.fixture.events(id)).toHaveLength(1);
    const fetchedDate = world.fixture.clock.nowMs() * 1000;
    expect(fetchedDate).toBeGreaterThan(added?.sequence ?? 0);
    expect((await world.samlOf(id)).metadataFetchDate).toBe(fetchedDate);
    await world.fixture.rebuild();
    expect((await world.samlOf(id)).metadataFetchDate).toBe(fetchedDate);
  });

  test("moves the date for nothing but what is in force", async () => {
    world.server.answer(document(metadataOf("e")));
    const id = await world.create();
    const { metadataFetchDate } = await world.samlOf(id);
    for (const outcome of [
      document(metadataOf("f")),
      document(metadataOf("f")),
      document("<a/>"),
      unreachable,
    ]) {
      world.fixture.clock.turn(dayMs);
      world.server.answer(outcome);
      expect(await world.refresh.run()).toBe(1);
      expect((await world.samlOf(id)).metadataFetchDate).toBe(metadataFetchDate);
    }
  });

  test("puts a changed document in force and moves the date", async () => {
    world.server.answer(document(metadataOf("e")));
    const id = await world.create();
    world.fixture.clock.turn(dayMs);
    world.server.answer(document(metadataOf("e", "changed")));
    await world.refresh.run();
    const { metadata, metadataFetchDate } = await world.samlOf(id);
    expect(metadata?.xml).toBe(metadataOf("e", "changed"));
    expect(metadataFetchDate).toBe(world.fixture.clock.nowMs() * 1000);
  });

  test("never fetches for an application whose document was sent", async () => {
    await world.createWith("", metadataOf("e"));
    world.fixture.clock.turn(30 * dayMs);
    expect(await world.refresh.run()).toBe(0);
  });

  test("keeps the last good document when the new one cannot be used, and says why", async () => {
    world.server.answer(document(metadataOf("e")));
    const id = await world.create();
    for (const [outcome, reason] of [
      [document("<a/>"), "SAML_METADATA_ROOT"],
      [document(metadataOf("f")), "SAML_METADATA_ENTITY_ID"],
      [{ kind: "refused", cause: "size", message: "m" }, "SAML_METADATA_TOO_LARGE"],
      [{ kind: "forbidden", message: "m" }, "URL_FORBIDDEN"],
    ] as const) {
      world.fixture.clock.turn(dayMs);
      world.server.answer(outcome);
      await world.refresh.run();
      expect(await world.samlOf(id)).toMatchObject({
        metadata: { entityId: "e", xml: metadataOf("e") },
        metadataState: "FAILED",
        metadataError: reason,
      });
    }
    await expect(world.createWith("", metadataOf("e"), "m")).rejects.toMatchObject({
      resource: { type: "saml_entity_id", name: "e" },
    });
  });

  test("is ready again when the document can be used again", async () => {
    world.server.answer(document(metadataOf("e")));
    const id = await world.create();
    world.fixture.clock.turn(dayMs);
    world.server.answer(document("<a/>"));
    await world.refresh.run();
    world.fixture.clock.turn(dayMs);
    world.server.answer(document(metadataOf("e")));
    await world.refresh.run();
    expect(await world.samlOf(id)).toMatchObject({ metadataState: "READY", metadataError: "" });
  });

  test("does not use a document whose entity id was taken in the meantime", async () => {
    const id = await world.create();
    await world.createWith("", metadataOf("e"), "m");
    world.fixture.clock.turn(minuteMs);
    world.server.answer(document(metadataOf("e")));
    await world.refresh.run();
    expect(await world.samlOf(id)).toMatchObject({
      metadata: undefined,
      metadataState: "FAILED",
      metadataError: "ALREADY_EXISTS",
    });
  });

  test("gives an entity id to one of two pending applications", async () => {
    const ids = [await world.create("a"), await world.create("b")];
    world.fixture.clock.turn(minuteMs);
    world.server.answer(document(metadataOf("e")));
    expect(await world.refresh.run()).toBe(2);
    const states = await Promise.all(ids.map(async (id) => (await world.samlOf(id)).metadataState));
    expect(states.toSorted()).toEqual(["FAILED", "READY"]);
  });

  test("stays ready, with the reason, while the server of a ready application cannot be reached", async () => {
    world.server.answer(document(metadataOf("e")));
    const id = await world.create();
    world.server.answer(unreachable);
    world.fixture.clock.turn(dayMs);
    await world.refresh.run();
    expect(await world.samlOf(id)).toMatchObject({
      metadata: { entityId: "e" },
      metadataState: "READY",
      metadataError: "SAML_METADATA_UNREACHABLE",
    });
    world.fixture.clock.turn(minuteMs);
    expect(await world.refresh.run()).toBe(1);
  });

  test("waits for its turn while calls of the organization use up its fetches", async () => {
    const id = await world.create();
    world.fixture.clock.turn(minuteMs);
    const release = world.server.hold();
    const calls = Array.from({ length: 10 }, (_, index) => world.create(`c${index}`));
    while (world.server.requests.length < 11) await new Promise(setImmediate);
    expect(await world.refresh.run()).toBe(1);
    expect(world.server.requests).toHaveLength(11);
    release();
    await Promise.all(calls);
    world.server.answer(document(metadataOf("e")));
    world.fixture.clock.turn(10_000);
    await world.refresh.run();
    expect(await world.samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("goes on after a fault, tells of it, and tries that application later", async () => {
    const id = await world.create();
    world.fixture.clock.turn(minuteMs);
    world.server.answer(() => Promise.reject(new Error("a bug")));
    expect(await world.refresh.run()).toBe(1);
    expect(world.errors).toEqual([expect.objectContaining({ message: "a bug" })]);
    expect(await world.refresh.run()).toBe(0);
    world.server.answer(document(metadataOf("e")));
    world.fixture.clock.turn(2 * minuteMs);
    await world.refresh.run();
    expect(await world.samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("puts off a result that the log does not take, instead of fetching it for ever", async () => {
    await world.create();
    await world.fixture.place.raw.breakWrites("INSERT", "events");
    world.fixture.clock.turn(minuteMs);
    world.server.answer(document(metadataOf("e")));
    expect(await world.refresh.run()).toBe(1);
    expect(world.errors).toHaveLength(1);
    expect(await world.refresh.run()).toBe(0);
  });

  test("puts off nothing for an application that goes in the meantime", async () => {
    await world.create();
    const { context, clock, database } = world.fixture;
    const run = (sql: string) => database.write((tx) => tx.run(sql));
    await world.fixture.place.raw.breakWrites("INSERT", "events");
    clock.turn(minuteMs);
    world.server.answer(document(metadataOf("e")));
    const removals: Promise<unknown>[] = [];
    const refresh = createMetadataRefresh({
      context,
      source: createMetadataSource({ fetcher: world.server, clock, dev: false }),
      timers: world.timers,
      leadership: createSoleLeadership(),
      // As the removal does it; it is in the queue of writes before what follows the failure.
      onError: () =>
        removals.push(run("DELETE FROM metadata_refreshes"), run("DELETE FROM stored_applications")),
    });
    await refresh.run();
    await Promise.all(removals);
    const rows = await database.read((tx) => tx.all("SELECT * FROM metadata_refreshes"));
    expect([removals.length, rows]).toEqual([2, []]);
  });

  test("says that nothing was done when the database takes no result at all", async () => {
    await world.create();
    await world.fixture.place.raw.breakWrites("UPDATE", "metadata_refreshes");
    world.fixture.clock.turn(minuteMs);
    expect(await world.refresh.run()).toBe(0);
    expect(world.errors).toHaveLength(2);
  });

  test("drops what was fetched from a URL that the application does not have any more", async () => {
    const id = await world.create();
    world.fixture.clock.turn(minuteMs);
    world.server.answer(async (asked) => {
      if (asked !== url) return unreachable;
      await world.fixture.database.write((tx) =>
        tx.run("UPDATE stored_applications SET metadata_url = 'https://new.example.com'"),
      );
      return document(metadataOf("e"));
    });
    await world.refresh.run();
    expect(await world.samlOf(id)).toMatchObject({ metadata: undefined, metadataState: "PENDING" });
    expect(world.server.requests.at(-1)?.url).toBe("https://new.example.com");
  });

  test("never rejects, also when the database does not answer", async () => {
    await world.fixture.database.write((tx) => tx.run("DROP TABLE metadata_refreshes"));
    expect(await world.refresh.run()).toBe(0);
    expect(world.errors).toHaveLength(1);
  });
});
