import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { createProject, idOf, uniqueName, type World } from "../support/world.ts";
import {
  alike,
  type Call,
  type EveryLane,
  everyLane,
  lanesOfRow,
  onEveryLane,
  type Setting,
  startSetting,
  statusOf,
} from "./support/lanes.ts";
import {
  artifact,
  oneService,
  bytes,
  initialSettings,
  metadata,
  newEntityId,
  post,
} from "./support/saml-documents.ts";
import { openSite, type Site } from "./support/site.ts";

let service: Setting["service"];
let callOn: Setting["callOn"];
let world: World;
let other: World;
let site: Site;
beforeAll(async () => {
  ({ service, callOn, world, other } = await startSetting({ dev: true }));
  site = await openSite();
});
afterAll(async () => {
  site.stop();
  await service.stop();
});

const { createSamlApplication, getApplication, listApplications, updateSamlConfig } =
  ApplicationService.method;
let projectId: string;
beforeEach(async () => {
  projectId = await createProject(service, world.organizationId);
});

/** Creates an application in the project of the test, as the owner of its organization. */
function create(
  call: Call,
  request: { readonly metadataXml?: Uint8Array; readonly metadataUrl?: string; readonly name?: string },
  token = world.owner.token,
): Promise<Outcome> {
  return call(createSamlApplication, { projectId, name: uniqueName("Portal"), ...request }, { token });
}

/** Makes a request that must be refused, alike on all these lanes, and returns the refusal. */
async function refusalOn(lanes: readonly EveryLane[], request: Parameters<typeof create>[1]) {
  const statuses = await onEveryLane(async (lane) => statusOf(await create(callOn[lane], request)), lanes);
  const [status] = Object.values(statuses);
  expect(statuses).toEqual(alike(status, lanes));
  return status;
}

async function read(appId: string): Promise<JsonObject> {
  const answer = await service.call(getApplication, { projectId, appId }, world.owner.token);
  return answer["application"] as JsonObject;
}

describe("an application by its document", () => {
  test.each(everyLane)("is created over %s, and reads back as it was sent", async (lane) => {
    const entityId = newEntityId();
    const services = `
      <m:AssertionConsumerService Binding="${post}" Location="https://sp.example.com/acs?a=1&amp;b=2" index="7"/>
      <m:AssertionConsumerService Binding="${artifact}" Location="http://127.0.0.1:9/acs" index="3" isDefault="true"/>`;
    const xml = metadata({ entityId, services, before: "<!-- ünïcode \u{1F600} -->" });
    const name = uniqueName("Portal");
    const answer = answerOf(await create(callOn[lane], { metadataXml: bytes(xml), name }));
    expect(answer["entityId"]).toBe(entityId);
    expect(await read(idOf(answer, "appId"))).toEqual({
      id: answer["appId"],
      details: answer["details"],
      state: "APPLICATION_STATE_ACTIVE",
      name,
      projectId,
      saml: {
        entityId,
        metadataXml: Buffer.from(xml).toString("base64"),
        metadataUrl: "",
        assertionConsumerServices: [
          { binding: post, location: "https://sp.example.com/acs?a=1&b=2", index: 7, isDefault: false },
          { binding: artifact, location: "http://127.0.0.1:9/acs", index: 3, isDefault: true },
        ],
        metadataState: "SAML_METADATA_STATE_READY",
        metadataError: "",
        ...initialSettings,
        serviceProviderCertificates: [],
        problems: [],
        metadataExpired: false,
      },
    });
  });
});

describe("an application by a URL", () => {
  test.each(everyLane)("is created over %s when the server gives its document", async (lane) => {
    const entityId = newEntityId();
    const xml = metadata({ entityId });
    const metadataUrl = site.serve({ body: xml });
    const answer = answerOf(await create(callOn[lane], { metadataUrl }));
    expect(answer["entityId"]).toBe(entityId);
    const { saml } = await read(idOf(answer, "appId"));
    const { changeDate } = answer["details"] as JsonObject;
    expect(saml).toMatchObject({
      entityId,
      metadataXml: Buffer.from(xml).toString("base64"),
      metadataUrl,
      metadataState: "SAML_METADATA_STATE_READY",
      metadataError: "",
      metadataFetchDate: changeDate,
    });
  });

  test("whose server answers 503 is created all the same and waits: PENDING", async () => {
    const metadataUrl = site.serve({ status: 503 });
    const answer = answerOf(await create(callOn.grpc, { metadataUrl }));
    expect(answer["entityId"]).toBe("");
    const application = await read(idOf(answer, "appId"));
    expect(application["state"]).toBe("APPLICATION_STATE_ACTIVE");
    expect(application["saml"]).toEqual({
      entityId: "",
      metadataXml: "",
      metadataUrl,
      assertionConsumerServices: [],
      metadataState: "SAML_METADATA_STATE_PENDING",
      metadataError: "SAML_METADATA_UNREACHABLE",
      ...initialSettings,
      serviceProviderCertificates: [],
      problems: [],
      metadataExpired: false,
    });
  });

  // Which addresses are public, however they are spelled, is tested in test/kernel/outbound.
  const refusedUrls = [
    ["http://example.com/metadata", "URL_FORBIDDEN"],
    ["https://169.254.169.254/latest/meta-data", "URL_FORBIDDEN"],
    ["https://[::ffff:10.0.0.1]/", "URL_FORBIDDEN"],
    ["https://user:secret@sp.example.com/", "URL_FORBIDDEN"],
    ["file:///etc/passwd", "URL_FORBIDDEN"],
    // On a port that nobody can have: it would be PENDING for ever.
    ["https://sp.example.com:0/", "FIELD_INVALID"],
  ] as const;

  test.each(refusedUrls.map(([url, reason], index) => [url, reason, lanesOfRow(index)] as const))(
    "%s is refused at once: %s",
    async (metadataUrl, reason, lanes) => {
      expect(await refusalOn(lanes, { metadataUrl })).toMatchObject({
        code: 3,
        details: [{ reason }, { fieldViolations: [{ field: "metadata_url" }] }],
      });
    },
  );

  test("is not fetched for who may not create it, or where it cannot be created", async () => {
    const metadataUrl = site.serve({ body: metadata() });
    const before = site.connections();
    const { token } = world.owner;
    const refused = [
      await create(callOn.json, { metadataUrl }, ""),
      await create(callOn.json, { metadataUrl }, world.viewer.token),
      await create(callOn.json, { metadataUrl }, other.owner.token),
      await create(callOn.json, { metadataUrl, name: "" }),
      await callOn.json(createSamlApplication, { projectId: "1", name: "x", metadataUrl }, { token }),
      await callOn.json(
        createSamlApplication,
        { projectId: other.projectId, name: "x", metadataUrl },
        { token },
      ),
    ];
    expect(refused.map((outcome) => refusalOf(outcome).code)).toEqual([16, 7, 5, 3, 5, 5]);
    expect(site.connections()).toBe(before);
  });
});

describe("a document is refused alike on every lane and from a URL:", () => {
  const hostile = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>';
  const script = oneService.replace("https://sp.example.com/acs", "javascript:alert(1)");
  test.each([
    ["not XML", "SAML_METADATA_MALFORMED", "hello"],
    ["an entity bomb", "SAML_METADATA_DOCTYPE", metadata({ before: hostile, entityId: "&c;" })],
    ["assertions to a script", "SAML_METADATA_ACS_LOCATION", metadata({ services: script })],
  ])("%s", async (_what, reason, document) => {
    const metadataXml = bytes(document);
    expect(await refusalOn(everyLane, { metadataXml })).toMatchObject({
      code: 3,
      details: [{ reason }, { fieldViolations: [{ field: "metadata_xml" }] }],
    });
    const metadataUrl = site.serve({ body: metadataXml });
    expect(refusalOf(await create(callOn.grpc, { metadataUrl }))).toMatchObject({
      code: 3,
      reason,
      fields: ["metadata_url"],
    });
  });
});

describe("an entity id", () => {
  test("is taken once in the instance, by document and by URL, and tells nothing of who has it", async () => {
    const entityId = newEntityId();
    const first = answerOf(await create(callOn.json, { metadataXml: bytes(metadata({ entityId })) }));
    const again = bytes(metadata({ entityId }));
    const metadataUrl = site.serve({ body: again });
    for (const request of [{ metadataXml: again }, { metadataUrl }]) {
      const outcomes = await onEveryLane((lane) =>
        callOn[lane](
          createSamlApplication,
          { projectId: other.projectId, name: uniqueName("Theirs"), ...request },
          { token: other.owner.token },
        ),
      );
      const statuses = Object.fromEntries(
        Object.entries(outcomes).map(([lane, each]) => [lane, statusOf(each)]),
      );
      expect(statuses).toEqual(alike(statuses["json"]));
      expect(statuses["json"]).toMatchObject({
        code: 6,
        details: [{ reason: "ALREADY_EXISTS" }, { resourceType: "saml_entity_id", resourceName: entityId }],
      });
      const words = JSON.stringify(statuses);
      const known = [idOf(first, "appId"), projectId, world.organizationId].filter((id) =>
        words.includes(id),
      );
      expect(known).toEqual([]);
    }
  });
});

test("an application shows that its metadata is expired, in the list too, until there is a new document", async () => {
  const hourMs = 3_600_000;
  const entityId = newEntityId();
  const metadataXml = () => {
    const validUntil = new Date(service.clock.nowMs() + hourMs).toISOString();
    return bytes(metadata({ entityId, attributes: ` validUntil="${validUntil}"` }));
  };
  const appId = idOf(answerOf(await create(callOn.json, { metadataXml: metadataXml() })), "appId");
  const areExpired = async () => {
    const { applications } = await service.call(listApplications, { projectId }, world.owner.token);
    const shown = [await read(appId), ...(applications as readonly JsonObject[])];
    return shown.map(({ saml }) => (saml as JsonObject)["metadataExpired"]);
  };
  service.clock.turn(hourMs - 1);
  expect(await areExpired()).toEqual([false, false]);
  service.clock.turn(1);
  expect(await areExpired()).toEqual([true, true]);
  const replaced = { projectId, appId, metadataXml: metadataXml() };
  answerOf(await callOn.json(updateSamlConfig, replaced, { token: world.owner.token }));
  expect(await areExpired()).toEqual([false, false]);
});
