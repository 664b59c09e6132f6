import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createSoleLeadership } from "../../../src/kernel/base/leadership.ts";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { ApplicationId, OrganizationId, ProjectId } from "../../../src/kernel/base/ids.ts";
import {
  type ApplicationCommands,
  createApplicationCommands,
} from "../../../src/identity/applications/commands.ts";
import {
  createMetadataRefresh,
  type MetadataRefresh,
} from "../../../src/identity/applications/saml/metadata-refresh.ts";
import { createMetadataSource } from "../../../src/identity/applications/saml/metadata-source.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import {
  bytesOf,
  createMetadataServer,
  document,
  metadataOf,
  type MetadataServer,
  unreachable,
} from "./saml/metadata-server.ts";
import { samlOf } from "../../support/samples.ts";

const url = "https://sp.example.com/metadata";
const dayMs = 86_400_000;

let fixture: FeatureFixture;
let server: MetadataServer;
let commands: ApplicationCommands;
let refresh: MetadataRefresh;
let organization: OrganizationId;
let project: ProjectId;
let call: Call;
let entityId: string;
let id: ApplicationId;

const sent = (xml: string) => ({ metadataXml: bytesOf(xml), metadataUrl: "" });
const fetched = { metadataXml: new Uint8Array(), metadataUrl: url };
const named = (applicationId: string = id) => ({ projectId: project, applicationId });
const read = () => commands.get(call, named());
const create = (name: string, entity = `${entityId}/${name}`, projectId = project) =>
  commands.createSaml(call, { projectId, name, ...sent(metadataOf(entity)) });
const notFound = (type: string, name: string) => ({ reason: "NOT_FOUND", resource: { type, name } });

beforeAll(async () => {
  fixture = await openFeatureFixture();
});

beforeEach(async () => {
  organization = await fixture.addOrganization();
  project = await fixture.addProject(organization);
  call = callAs(organization, { permission: "project.app.write" });
  entityId = `https://sp.example.com/${project}`;
  server = createMetadataServer();
  const source = createMetadataSource({ fetcher: server, clock: fixture.clock, dev: false });
  commands = createApplicationCommands(fixture.context, source);
  refresh = createMetadataRefresh({
    context: fixture.context,
    source,
    timers: { setTimeout: () => undefined, clearTimeout: () => undefined },
    leadership: createSoleLeadership(),
    onError: (error) => {
      throw error;
    },
  });
  ({ id } = await create("first", entityId));
});

afterAll(() => fixture.close());

test("updateSaml fetches nothing for an application that is not there", async () => {
  await expect(commands.updateSaml(call, named("4711"), fetched)).rejects.toMatchObject(
    notFound("application", "4711"),
  );
  expect(server.requests).toEqual([]);
});

describe("rename", () => {
  test("changes the name and nothing else", async () => {
    const before = await read();
    const details = await commands.rename(call, named(), "Second");
    expect(details.sequence).toBeGreaterThan(before.details.sequence);
    expect(await read()).toEqual({ ...before, name: "Second", details });
  });

  test("records nothing when the name is the same", async () => {
    const before = await fixture.eventCount();
    expect(await commands.rename(call, named(), "first")).toEqual((await read()).details);
    expect(await fixture.eventCount()).toBe(before);
  });

  test("takes another spelling of the own name, and none of another application", async () => {
    await create("taken");
    await commands.rename(call, named(), " FIRST ");
    expect((await read()).name).toBe(" FIRST ");
    await expect(commands.rename(call, named(), "Taken")).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
  });
});

describe("deactivate and reactivate", () => {
  test("change the state, and are harmless to repeat", async () => {
    const stopped = await commands.deactivate(call, named());
    expect(await read()).toMatchObject({ state: "INACTIVE", details: stopped });
    expect(await commands.deactivate(call, named())).toEqual(stopped);
    const started = await commands.reactivate(call, named());
    expect(await read()).toMatchObject({ state: "ACTIVE", details: started });
    expect(await commands.reactivate(call, named())).toEqual(started);
    expect((await fixture.events(id)).map(({ type }) => type)).toEqual([
      "application.added",
      "application.deactivated",
      "application.reactivated",
    ]);
  });

  test("an inactive application can still be administered", async () => {
    await commands.deactivate(call, named());
    await commands.rename(call, named(), "other");
    await commands.updateSaml(call, named(), sent(metadataOf(entityId, "other")));
    expect(await read()).toMatchObject({ state: "INACTIVE", name: "other" });
  });
});

describe("remove", () => {
  test("takes the application away, and frees its name and its entity id", async () => {
    const { sequence } = (await commands.remove(call, named())).details;
    await expect(read()).rejects.toMatchObject(notFound("application", id));
    expect((await fixture.events(id)).at(-1)).toMatchObject({ type: "application.removed", sequence });
    const again = await create("FIRST", entityId);
    expect(again.id).not.toBe(id);
  });

  test("ends the fetches of its metadata", async () => {
    await commands.updateSaml(call, named(), fetched);
    await commands.remove(call, named());
    fixture.clock.turn(dayMs);
    server.requests.length = 0;
    await refresh.run();
    expect(server.requests).toEqual([]);
    const due = await fixture.database.read((tx) =>
      tx.all("SELECT * FROM metadata_refreshes WHERE application_id = ?", [id]),
    );
    expect(due).toEqual([]);
  });
});

describe("updateSaml with a document", () => {
  test("puts it in force at once, with another entity id too", async () => {
    const xml = metadataOf(`${entityId}/new`, "new");
    const details = await commands.updateSaml(call, named(), sent(xml));
    expect(await read()).toMatchObject({
      details,
      saml: { metadata: { entityId: `${entityId}/new`, xml }, metadataUrl: "", metadataState: "READY" },
    });
    expect((await create("second", entityId)).entityId).toBe(entityId);
  });

  test("refuses an entity id that another application has, and changes nothing", async () => {
    await create("second", `${entityId}/taken`);
    const before = await read();
    await expect(
      commands.updateSaml(call, named(), sent(metadataOf(`${entityId}/taken`))),
    ).rejects.toMatchObject({ reason: "ALREADY_EXISTS", resource: { type: "saml_entity_id" } });
    expect(await read()).toEqual(before);
  });

  test("records nothing for the document in force", async () => {
    const before = await fixture.eventCount();
    expect(await commands.updateSaml(call, named(), sent(metadataOf(entityId)))).toEqual(
      (await read()).details,
    );
    expect(await fixture.eventCount()).toBe(before);
  });

  test("refuses a document that breaks the rules", async () => {
    await expect(commands.updateSaml(call, named(), sent("<a/>"))).rejects.toMatchObject({
      reason: "SAML_METADATA_ROOT",
    });
  });

  test("ends the fetches of an earlier URL", async () => {
    server.answer(document(metadataOf(entityId, "fetched")));
    await commands.updateSaml(call, named(), fetched);
    await commands.updateSaml(call, named(), sent(metadataOf(entityId, "sent")));
    server.requests.length = 0;
    fixture.clock.turn(2 * dayMs);
    await refresh.run();
    expect(server.requests).toEqual([]);
    expect(samlOf(await read())).toMatchObject({ metadataUrl: "", metadataFetchDate: undefined });
  });
});

describe("updateSaml with a URL", () => {
  test("puts what it gives in force, and fetches it again the next day", async () => {
    server.answer(document(metadataOf(`${entityId}/new`)));
    const details = await commands.updateSaml(call, named(), fetched);
    expect(await read()).toMatchObject({
      details,
      saml: {
        metadata: { entityId: `${entityId}/new` },
        metadataUrl: url,
        metadataFetchDate: details.sequence,
        metadataState: "READY",
        metadataError: "",
      },
    });
    fixture.clock.turn(dayMs);
    server.answer(document(metadataOf(`${entityId}/new`, "later")));
    await refresh.run();
    expect(samlOf(await read()).metadata?.xml).toContain("later");
  });

  test("that gives what is in force moves its date and nothing else", async () => {
    server.answer(document(metadataOf(entityId)));
    const details = await commands.updateSaml(call, named(), fetched);
    fixture.clock.turn(1000);
    expect(await commands.updateSaml(call, named(), fetched)).toEqual(details);
    const metadataFetchDate = fixture.clock.nowMs() * 1000;
    expect(await read()).toMatchObject({ details, saml: { metadataFetchDate } });
    fixture.clock.turn(1000);
    server.answer(unreachable);
    await commands.updateSaml(call, named(), { ...fetched, metadataUrl: `${url}/other` });
    expect(samlOf(await read())).toMatchObject({ metadataFetchDate });
  });

  test("keeps what is in force while its server cannot be reached, and says so", async () => {
    const details = await commands.updateSaml(call, named(), fetched);
    expect(await read()).toMatchObject({
      details,
      saml: {
        metadata: { entityId },
        metadataUrl: url,
        metadataState: "READY",
        metadataError: "SAML_METADATA_UNREACHABLE",
      },
    });
    fixture.clock.turn(dayMs);
    server.answer(document(metadataOf(entityId, "at last")));
    await refresh.run();
    const saml = samlOf(await read());
    expect(saml).toMatchObject({ metadataState: "READY", metadataError: "" });
    expect(saml.metadata?.xml).toContain("at last");
  });

  test("waits for a first document as before: PENDING", async () => {
    const { id: waiting } = await commands.createSaml(call, { projectId: project, name: "w", ...fetched });
    await commands.updateSaml(call, named(waiting), { ...fetched, metadataUrl: `${url}/other` });
    const saml = samlOf(await commands.get(call, named(waiting)));
    expect(saml).toMatchObject({
      metadata: undefined,
      metadataState: "PENDING",
      metadataUrl: `${url}/other`,
    });
  });

  test.each([
    ["forbidden", { kind: "forbidden", message: "m" } as const, "URL_FORBIDDEN"],
    ["no document", document("<a/>"), "SAML_METADATA_ROOT"],
  ])("refuses one that is %s, and changes nothing", async (_what, outcome, reason) => {
    const before = await read();
    server.answer(outcome);
    await expect(commands.updateSaml(call, named(), fetched)).rejects.toMatchObject({ reason });
    expect(await read()).toEqual(before);
  });

  test("records nothing when the same URL gives the same document, or nothing again", async () => {
    server.answer(document(metadataOf(entityId)));
    await commands.updateSaml(call, named(), fetched);
    const before = await fixture.eventCount();
    await commands.updateSaml(call, named(), fetched);
    expect(await fixture.eventCount()).toBe(before);
    server.answer(unreachable);
    await commands.updateSaml(call, named(), fetched);
    await commands.updateSaml(call, named(), fetched);
    expect(await fixture.eventCount()).toBe(before + 1);
  });
});

describe("list", () => {
  const list = async (filter: { name?: string; state?: "ACTIVE" | "INACTIVE" } = {}, pageSize = 0) => {
    const asked = { projectId: project, name: "", state: undefined, ...filter };
    const { page } = await commands.list(call, asked, { pageSize, pageToken: "", countTotal: true });
    return page;
  };

  test("gives the applications of the project, oldest first, without their documents", async () => {
    await create("second");
    await create("elsewhere", `${entityId}/elsewhere`, await fixture.addProject(organization));
    const page = await list();
    expect(page.items.map(({ name }) => name)).toEqual(["first", "second"]);
    expect(page.items.map((item) => samlOf(item).metadata?.xml)).toEqual(["", ""]);
    expect(page.items[0]).toMatchObject({ saml: { metadata: { entityId } } });
    expect(page.totalResult).toBe(2);
  });
});
