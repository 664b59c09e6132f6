import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { OrganizationId, ProjectId } from "../../../src/base/ids.ts";
import {
  type ApplicationCommands,
  createApplicationCommands,
} from "../../../src/features/applications/commands.ts";
import {
  createMetadataRefresh,
  type MetadataRefresh,
} from "../../../src/features/applications/metadata-refresh.ts";
import { createMetadataSource } from "../../../src/features/applications/metadata-source.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import {
  bytesOf,
  createMetadataServer,
  document,
  metadataOf,
  type MetadataServer,
  unreachable,
} from "./metadata-server.ts";

const url = "https://sp.example.com/metadata";
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

let fixture: FeatureFixture;
let server: MetadataServer;
let commands: ApplicationCommands;
let refresh: MetadataRefresh;
let timers: ReturnType<typeof createTestTimers>;
let organization: OrganizationId;
let project: ProjectId;
let errors: unknown[];

const createWith = (metadataUrl: string, xml = "", name = "n") => {
  const application = { projectId: project, name, metadataXml: bytesOf(xml), metadataUrl };
  return commands.createSaml(callAs(organization), application);
};
const create = async (name = "n") => (await createWith(url, "", name)).id;
const samlOf = async (applicationId: string) =>
  (await commands.get(callAs(organization), { projectId: project, applicationId })).saml;

/** Makes everything that a start of the process makes. */
const start = () => {
  timers = createTestTimers();
  const source = createMetadataSource({ fetcher: server, clock: fixture.clock, dev: false });
  commands = createApplicationCommands(fixture.context, source);
  const onError = (error: unknown) => {
    errors.push(error);
  };
  refresh = createMetadataRefresh({ context: fixture.context, source, timers, onError });
};

beforeEach(async () => {
  fixture = openFeatureFixture();
  server = createMetadataServer();
  errors = [];
  start();
  organization = await fixture.addOrganization();
  project = await fixture.addProject(organization);
});

afterEach(async () => {
  await refresh.stop();
  await fixture.close();
});

describe("run", () => {
  test("fetches nothing before it is due", async () => {
    await create();
    fixture.clock.turn(0.8 * minuteMs - 1);
    expect(await refresh.run()).toBe(0);
    expect(server.requests).toHaveLength(1);
  });

  test("puts the document of a pending application in force", async () => {
    const id = await create();
    fixture.clock.turn(minuteMs);
    server.answer(document(metadataOf("e")));
    expect(await refresh.run()).toBe(1);
    const events = await fixture.events(id);
    expect(await samlOf(id)).toMatchObject({
      metadata: { entityId: "e", xml: metadataOf("e") },
      metadataFetchDate: events[1]?.sequence,
      metadataState: "READY",
      metadataError: "",
    });
    expect(events[1]).toMatchObject({
      type: "application.metadata.fetched",
      editor: "system",
      request_id: "metadata-refresh",
      resource_owner: organization,
    });
  });

  test("tries again with growing pauses up to an hour, and records nothing while nothing changes", async () => {
    const id = await create();
    for (const pauseMinutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      fixture.clock.turn(0.8 * pauseMinutes * minuteMs - 1);
      expect(await refresh.run()).toBe(0);
      fixture.clock.turn(0.2 * pauseMinutes * minuteMs + 1);
      expect(await refresh.run()).toBe(1);
    }
    expect(await samlOf(id)).toMatchObject({ metadataState: "PENDING" });
    expect(await fixture.events(id)).toHaveLength(1);
  });

  test("fetches metadata in force daily and records nothing when it is the same", async () => {
    server.answer(document(metadataOf("e")));
    const id = await create();
    const { metadataFetchDate } = await samlOf(id);
    fixture.clock.turn(0.8 * dayMs - 1);
    expect(await refresh.run()).toBe(0);
    fixture.clock.turn(0.2 * dayMs + 1);
    expect(await refresh.run()).toBe(1);
    expect(await refresh.run()).toBe(0);
    fixture.clock.turn(dayMs);
    expect(await refresh.run()).toBe(1);
    expect(await fixture.events(id)).toHaveLength(1);
    expect((await samlOf(id)).metadataFetchDate).toBe(metadataFetchDate);
  });

  test("puts a changed document in force and moves the date", async () => {
    server.answer(document(metadataOf("e")));
    const id = await create();
    fixture.clock.turn(dayMs);
    server.answer(document(metadataOf("e", "changed")));
    await refresh.run();
    const { metadata, metadataFetchDate } = await samlOf(id);
    expect(metadata?.xml).toBe(metadataOf("e", "changed"));
    expect(metadataFetchDate).toBe(fixture.clock.nowMs() * 1000);
  });

  test("never fetches for an application whose document was sent", async () => {
    await createWith("", metadataOf("e"));
    fixture.clock.turn(30 * dayMs);
    expect(await refresh.run()).toBe(0);
  });

  test("keeps the last good document when the new one cannot be used, and says why", async () => {
    server.answer(document(metadataOf("e")));
    const id = await create();
    for (const [outcome, reason] of [
      [document("<a/>"), "SAML_METADATA_ROOT"],
      [document(metadataOf("f")), "SAML_METADATA_ENTITY_ID"],
      [{ kind: "refused", cause: "size", message: "m" }, "SAML_METADATA_TOO_LARGE"],
      [{ kind: "forbidden", message: "m" }, "URL_FORBIDDEN"],
    ] as const) {
      fixture.clock.turn(dayMs);
      server.answer(outcome);
      await refresh.run();
      expect(await samlOf(id)).toMatchObject({
        metadata: { entityId: "e", xml: metadataOf("e") },
        metadataState: "FAILED",
        metadataError: reason,
      });
    }
    await expect(createWith("", metadataOf("e"), "m")).rejects.toMatchObject({
      resource: { type: "saml_entity_id", name: "e" },
    });
  });

  test("is ready again when the document can be used again", async () => {
    server.answer(document(metadataOf("e")));
    const id = await create();
    fixture.clock.turn(dayMs);
    server.answer(document("<a/>"));
    await refresh.run();
    fixture.clock.turn(dayMs);
    server.answer(document(metadataOf("e")));
    await refresh.run();
    expect(await samlOf(id)).toMatchObject({ metadataState: "READY", metadataError: "" });
  });

  test("does not use a document whose entity id was taken in the meantime", async () => {
    const id = await create();
    await createWith("", metadataOf("e"), "m");
    fixture.clock.turn(minuteMs);
    server.answer(document(metadataOf("e")));
    await refresh.run();
    expect(await samlOf(id)).toMatchObject({
      metadata: undefined,
      metadataState: "FAILED",
      metadataError: "ALREADY_EXISTS",
    });
  });

  test("gives an entity id to one of two pending applications", async () => {
    const ids = [await create("a"), await create("b")];
    fixture.clock.turn(minuteMs);
    server.answer(document(metadataOf("e")));
    expect(await refresh.run()).toBe(2);
    const states = await Promise.all(ids.map(async (id) => (await samlOf(id)).metadataState));
    expect(states.toSorted()).toEqual(["FAILED", "READY"]);
  });

  test("stays ready, with the reason, while the server of a ready application cannot be reached", async () => {
    server.answer(document(metadataOf("e")));
    const id = await create();
    server.answer(unreachable);
    fixture.clock.turn(dayMs);
    await refresh.run();
    expect(await samlOf(id)).toMatchObject({
      metadata: { entityId: "e" },
      metadataState: "READY",
      metadataError: "SAML_METADATA_UNREACHABLE",
    });
    fixture.clock.turn(minuteMs);
    expect(await refresh.run()).toBe(1);
  });

  test("keeps its tables after a rebuild", async () => {
    const id = await create();
    fixture.clock.turn(minuteMs);
    server.answer(document(metadataOf("e")));
    await refresh.run();
    fixture.clock.turn(dayMs);
    server.answer(document("<a/>"));
    await refresh.run();
    const before = await samlOf(id);
    await fixture.rebuild();
    expect(before.metadataState).toBe("FAILED");
    expect(await samlOf(id)).toEqual(before);
  });

  test("waits for its turn while calls of the organization use up its fetches", async () => {
    const id = await create();
    fixture.clock.turn(minuteMs);
    const release = server.hold();
    const calls = Array.from({ length: 10 }, (_, index) => create(`c${index}`));
    while (server.requests.length < 11) await new Promise(setImmediate);
    expect(await refresh.run()).toBe(1);
    expect(server.requests).toHaveLength(11);
    release();
    await Promise.all(calls);
    server.answer(document(metadataOf("e")));
    fixture.clock.turn(10_000);
    await refresh.run();
    expect(await samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("goes on after a fault, tells of it, and tries that application later", async () => {
    const id = await create();
    fixture.clock.turn(minuteMs);
    server.answer(() => Promise.reject(new Error("a bug")));
    expect(await refresh.run()).toBe(1);
    expect(errors).toEqual([expect.objectContaining({ message: "a bug" })]);
    expect(await refresh.run()).toBe(0);
    server.answer(document(metadataOf("e")));
    fixture.clock.turn(2 * minuteMs);
    await refresh.run();
    expect(await samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("puts off a result that the log does not take, instead of fetching it for ever", async () => {
    await create();
    await fixture.database.write((tx) =>
      tx.run("CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'broken'); END"),
    );
    fixture.clock.turn(minuteMs);
    server.answer(document(metadataOf("e")));
    expect(await refresh.run()).toBe(1);
    expect(errors).toHaveLength(1);
    expect(await refresh.run()).toBe(0);
  });

  test("never rejects, also when the database does not answer", async () => {
    await fixture.database.write((tx) => tx.run("DROP TABLE metadata_refreshes"));
    expect(await refresh.run()).toBe(0);
    expect(errors).toHaveLength(1);
  });
});

describe("start and stop", () => {
  test("look at once and then every 15 s", async () => {
    refresh.start();
    expect((await timers.next()).ms).toBe(0);
    const id = await create();
    await timers.fire();
    expect((await timers.next()).ms).toBe(15_000);
    fixture.clock.turn(minuteMs);
    server.answer(document(metadataOf("e")));
    await timers.fire();
    await timers.next();
    expect(await samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("take all that is due without a pause, five at a time", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 12; index++) ids.push(await create(`n${index}`));
    fixture.clock.turn(minuteMs);
    let running = 0;
    let most = 0;
    server.answer(async () => {
      running++;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running--;
      return document(metadataOf(`e${server.requests.length}`));
    });
    refresh.start();
    await timers.fire();
    await timers.next();
    expect(server.requests).toHaveLength(24);
    expect(most).toBe(5);
  });

  test("find after a restart what was due before", async () => {
    const id = await create();
    await refresh.stop();
    fixture.clock.turn(minuteMs);
    start();
    server.answer(document(metadataOf("e")));
    refresh.start();
    await timers.fire();
    await timers.next();
    expect(await samlOf(id)).toMatchObject({ metadataState: "READY" });
  });

  test("break off a fetch that is under way, record nothing of it, and look no more", async () => {
    const id = await create();
    fixture.clock.turn(minuteMs);
    const release = server.hold();
    refresh.start();
    await timers.fire();
    while (server.requests.length < 2) await new Promise(setImmediate);
    await refresh.stop();
    expect(timers.pending()).toBe(0);
    expect(await fixture.events(id)).toHaveLength(1);
    expect(errors).toEqual([]);
    release();
    start();
    expect(await refresh.run()).toBe(1);
  });

  test("stop what was not started", async () => {
    await refresh.stop();
    expect(timers.pending()).toBe(0);
  });
});

/** Timers that go off when a test says so. */
function createTestTimers() {
  let waiting: { readonly run: () => void; readonly ms: number }[] = [];
  const next = async () => {
    while (waiting[0] === undefined) await new Promise(setImmediate);
    return waiting[0];
  };
  return {
    setTimeout(run: () => void, ms: number) {
      const timer = { run, ms };
      waiting.push(timer);
      return timer;
    },
    clearTimeout(timer: unknown) {
      waiting = waiting.filter((each) => each !== timer);
    },
    /** Returns the timer that goes off next, once there is one. */
    next,
    async fire() {
      const timer = await next();
      waiting = waiting.filter((each) => each !== timer);
      timer.run();
    },
    pending: () => waiting.length,
  };
}
