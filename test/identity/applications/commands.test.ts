import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId, ProjectId } from "../../../src/kernel/base/ids.ts";
import {
  type ApplicationCommands,
  createApplicationCommands,
} from "../../../src/identity/applications/commands.ts";
import {
  createMetadataSource,
  type FetchOutcome,
} from "../../../src/identity/applications/saml/metadata-source.ts";
import { initialSamlSettings } from "../../../src/identity/applications/saml/saml-settings.ts";
import type { NewSamlApplication } from "../../../src/identity/applications/saml/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import {
  bytesOf,
  createMetadataServer,
  document,
  metadataOf,
  type MetadataServer,
  services,
} from "./saml/metadata-server.ts";
import { samlOf } from "../../support/samples.ts";

const url = "https://sp.example.com/metadata";

let fixture: FeatureFixture;
let server: MetadataServer;
let commands: ApplicationCommands;
let organization: OrganizationId;
let project: ProjectId;
let call: Call;
let entityId: string;

const sent = (change: Partial<NewSamlApplication> = {}): NewSamlApplication => ({
  projectId: project,
  name: "n",
  metadataXml: bytesOf(metadataOf(entityId)),
  metadataUrl: "",
  ...change,
});
const fetched = (change: Partial<NewSamlApplication> = {}) =>
  sent({ metadataXml: new Uint8Array(), metadataUrl: url, ...change });

beforeAll(async () => {
  fixture = await openFeatureFixture();
});

beforeEach(async () => {
  organization = await fixture.addOrganization();
  project = await fixture.addProject(organization);
  call = callAs(organization, { permission: "project.app.write" });
  entityId = `https://sp.example.com/${project}`; // unique in the instance, so of each case its own
  server = createMetadataServer();
  const source = createMetadataSource({ fetcher: server, clock: fixture.clock, dev: false });
  commands = createApplicationCommands(fixture.context, source);
});

afterAll(() => fixture.close());

describe("createSaml with a document", () => {
  test("stores it as it was sent, and reads it back", async () => {
    const added = await commands.createSaml(call, sent({ name: " N " }));
    expect(added).toMatchObject({ entityId, details: { resourceOwner: organization } });
    expect(added.details.creationDate).toBe(added.details.sequence);
    expect(await commands.get(call, { projectId: project, applicationId: added.id })).toEqual({
      id: added.id,
      kind: "saml",
      details: added.details,
      state: "ACTIVE",
      projectId: project,
      name: " N ",
      saml: {
        metadata: { entityId, xml: metadataOf(entityId), assertionConsumerServices: services },
        metadataUrl: "",
        metadataFetchDate: undefined,
        metadataState: "READY",
        metadataError: "",
        settings: initialSamlSettings,
      },
    });
    expect(server.requests).toEqual([]);
  });

  test("judges the existence of the project before the document", async () => {
    const input = sent({ projectId: "4711", metadataXml: bytesOf("<a/>") });
    await expect(commands.createSaml(call, input)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  });

  test("judges the document before the name", async () => {
    await commands.createSaml(call, sent());
    const input = sent({ metadataXml: bytesOf("<a/>") });
    await expect(commands.createSaml(call, input)).rejects.toMatchObject({ reason: "SAML_METADATA_ROOT" });
  });

  test("refuses a name that counts as the same in the project", async () => {
    await commands.createSaml(call, sent({ name: "Straße" }));
    const input = sent({ name: "STRASSE ", metadataXml: bytesOf(metadataOf(`${entityId}/2`)) });
    await expect(commands.createSaml(call, input)).rejects.toMatchObject({
      kind: "already-exists",
      reason: "ALREADY_EXISTS",
      resource: { type: "application", name: "STRASSE " },
    });
  });

  test("refuses an entity id that is taken anywhere in the instance", async () => {
    await commands.createSaml(call, sent());
    const elsewhere = await fixture.addOrganization();
    const input = sent({ projectId: await fixture.addProject(elsewhere) });
    await expect(commands.createSaml(callAs(elsewhere), input)).rejects.toMatchObject({
      kind: "already-exists",
      reason: "ALREADY_EXISTS",
      resource: { type: "saml_entity_id", name: entityId },
    });
  });

  test("compares entity ids exactly as written", async () => {
    await commands.createSaml(call, sent());
    const upper = entityId.toUpperCase();
    const input = sent({ name: "m", metadataXml: bytesOf(metadataOf(upper)) });
    expect((await commands.createSaml(call, input)).entityId).toBe(upper);
  });

  test("allows the same name in another project", async () => {
    await commands.createSaml(call, sent());
    const input = sent({
      projectId: await fixture.addProject(organization),
      metadataXml: bytesOf(metadataOf(`${entityId}/2`)),
    });
    expect((await commands.createSaml(call, input)).entityId).toBe(`${entityId}/2`);
  });

  test("adds exactly one of many with the same entity id that arrive at once", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => commands.createSaml(call, sent({ name: `n${index}` }))),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });
});

describe("createSaml with a URL", () => {
  test("fetches the document for the caller's organization, within their deadline", async () => {
    server.answer(document(metadataOf(entityId)));
    const { signal } = new AbortController();
    const deadlineMs = fixture.clock.nowMs() + 1234;
    const patient = callAs(organization, { permission: "project.app.write", deadlineMs, signal });
    const added = await commands.createSaml(patient, fetched());
    expect(server.requests).toEqual([{ url, options: expect.objectContaining({ timeoutMs: 1234, signal }) }]);
    expect(added.entityId).toBe(entityId);
    expect(samlOf(await commands.get(call, { projectId: project, applicationId: added.id }))).toEqual({
      metadata: { entityId, xml: metadataOf(entityId), assertionConsumerServices: services },
      metadataUrl: url,
      metadataFetchDate: added.details.sequence,
      metadataState: "READY",
      metadataError: "",
      settings: initialSamlSettings,
    });
  });

  test("adds the application, pending, when the server cannot be reached", async () => {
    const added = await commands.createSaml(call, fetched());
    expect(added.entityId).toBeUndefined();
    expect(samlOf(await commands.get(call, { projectId: project, applicationId: added.id }))).toEqual({
      metadata: undefined,
      metadataUrl: url,
      metadataFetchDate: undefined,
      metadataState: "PENDING",
      metadataError: "SAML_METADATA_UNREACHABLE",
      settings: initialSamlSettings,
    });
  });

  test("reserves no entity id while pending", async () => {
    await commands.createSaml(call, fetched());
    expect((await commands.createSaml(call, sent({ name: "m" }))).entityId).toBe(entityId);
  });

  test.each<[string, FetchOutcome, string]>([
    ["forbidden", { kind: "forbidden", message: "must name a public host" }, "URL_FORBIDDEN"],
    ["refused", { kind: "refused", cause: "status", message: "m" }, "SAML_METADATA_UNREACHABLE"],
    ["too large", { kind: "refused", cause: "size", message: "m" }, "SAML_METADATA_TOO_LARGE"],
    ["not metadata", document("<a/>"), "SAML_METADATA_ROOT"],
  ])("refuses a document that is %s", async (_name, outcome, reason) => {
    server.answer(outcome);
    const before = await fixture.eventCount();
    await expect(commands.createSaml(call, fetched())).rejects.toMatchObject({ kind: "invalid", reason });
    expect(await fixture.eventCount()).toBe(before);
  });

  test("fetches nothing when the project is not there, not open to the caller, or has the name already", async () => {
    await commands.createSaml(call, sent());
    const other = await fixture.addProject(organization);
    const ofOther = callAs(organization, {
      held: [
        {
          scope: { kind: "project", projectId: other, organizationId: organization },
          roles: ["PROJECT_OWNER"],
        },
      ],
      permission: "project.app.write",
    });
    const stranger = callAs(await fixture.addOrganization());
    for (const [caller, input] of [
      [call, fetched({ projectId: "4711" })],
      [stranger, fetched({ name: "m" })],
      [ofOther, fetched({ name: "m" })],
    ] as const) {
      await expect(commands.createSaml(caller, input)).rejects.toMatchObject({
        reason: "NOT_FOUND",
        resource: { type: "project", name: input.projectId },
      });
    }
    await expect(commands.createSaml(call, fetched())).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
    expect(server.requests).toEqual([]);
  });

  test("judges name and entity id again after the fetch", async () => {
    server.answer(async () => {
      await commands.createSaml(call, sent());
      return document(metadataOf(`${entityId}/2`));
    });
    await expect(commands.createSaml(call, fetched())).rejects.toMatchObject({
      resource: { type: "application", name: "n" },
    });
    server.answer(document(metadataOf(entityId)));
    await expect(commands.createSaml(call, fetched({ name: "m" }))).rejects.toMatchObject({
      resource: { type: "saml_entity_id", name: entityId },
    });
  });

  test("serves other callers during the fetch", async () => {
    const release = server.hold();
    const waiting = commands.createSaml(call, fetched());
    expect((await commands.createSaml(call, sent({ name: "m" }))).entityId).toBe(entityId);
    release();
    expect((await waiting).entityId).toBeUndefined();
  });

  test("refuses an eleventh fetch at once of an organization, with a pause to wait", async () => {
    const release = server.hold();
    const underWay = Array.from({ length: 10 }, (_, index) =>
      commands.createSaml(call, fetched({ name: `n${index}` })),
    );
    while (server.requests.length < 10) await new Promise(setImmediate);
    await expect(commands.createSaml(call, fetched({ name: "m" }))).rejects.toMatchObject({
      kind: "exhausted",
      reason: "RATE_LIMITED",
      retryAfterMs: 5000,
    });
    release();
    expect(await Promise.all(underWay)).toHaveLength(10);
  });

  test("adds nothing when the caller has gone during the fetch", async () => {
    const gone = new AbortController();
    server.hold();
    const late = callAs(organization, { permission: "project.app.write", signal: gone.signal });
    const before = await fixture.eventCount();
    const waiting = commands.createSaml(late, fetched());
    while (server.requests.length === 0) await new Promise(setImmediate);
    gone.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "cancelled", reason: "CANCELLED" });
    expect(await fixture.eventCount()).toBe(before);
  });

  test("adds nothing when the deadline has passed during the fetch", async () => {
    server.answer(async () => {
      fixture.clock.turn(2000);
      return document(metadataOf(entityId));
    });
    const deadlineMs = fixture.clock.nowMs() + 2000;
    const late = callAs(organization, { permission: "project.app.write", deadlineMs });
    await expect(commands.createSaml(late, fetched())).rejects.toMatchObject({ kind: "deadline" });
  });
});

describe("get", () => {
  test("answers NOT_FOUND for an application of another project and one that never existed", async () => {
    const { id } = await commands.createSaml(call, sent());
    const other = await fixture.addProject(organization);
    for (const [projectId, applicationId] of [
      [other, id],
      [project, "4711"],
    ] as const) {
      await expect(commands.get(call, { projectId, applicationId })).rejects.toMatchObject({
        reason: "NOT_FOUND",
        resource: { type: "application", name: applicationId },
      });
    }
  });
});
