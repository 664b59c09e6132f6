import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import type { Outcome } from "../support/clients.ts";
import { answerOf, refusalOf, startService } from "../support/service.ts";
import { createProject, createWorld, idOf, uniqueName, type World } from "../support/world.ts";
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
  badDocuments,
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

const { createSamlApplication, getApplication } = ApplicationService.method;
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

  test("keeps its document byte for byte, with a byte order mark and line ends of any kind", async () => {
    const xml = `\uFEFF${metadata({ before: "\r\n<!-- \r \t -->\n" })}\r\n\n`;
    const answer = answerOf(await create(callOn.grpc, { metadataXml: bytes(xml) }));
    const { saml } = await read(idOf(answer, "appId"));
    expect((saml as JsonObject)["metadataXml"]).toBe(Buffer.from(xml).toString("base64"));
  });

  test("needs a document or a URL, and not both; an empty one counts as absent", async () => {
    const both = { metadataXml: bytes(metadata()), metadataUrl: site.serve({ body: metadata() }) };
    const connections = site.connections();
    for (const request of [{}, both, { metadataXml: new Uint8Array(0), metadataUrl: "" }]) {
      const outcomes = await onEveryLane((lane) => create(callOn[lane], request));
      const reasons = Object.values(outcomes).map((outcome) => refusalOf(outcome).reason);
      expect(reasons).toEqual(everyLane.map(() => "FIELD_INVALID"));
    }
    expect(site.connections()).toBe(connections);
    answerOf(await create(callOn.grpc, { metadataXml: bytes(metadata()), metadataUrl: "" }));
    const { metadataUrl } = both;
    answerOf(await create(callOn.grpc, { metadataXml: new Uint8Array(0), metadataUrl }));
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

  test("follows three redirects and no fourth", async () => {
    let metadataUrl = site.serve({ body: metadata() });
    for (let hop = 0; hop < 3; hop++) metadataUrl = site.serve({ status: 302, location: metadataUrl });
    answerOf(await create(callOn.json, { metadataUrl }));
    const fourth = site.serve({ status: 307, location: metadataUrl });
    expect(refusalOf(await create(callOn.json, { metadataUrl: fourth }))).toMatchObject({
      code: 3,
      reason: "SAML_METADATA_UNREACHABLE",
      fields: ["metadata_url"],
    });
  });

  test.each<readonly [string, () => Promise<string>]>([
    [
      "takes no connections",
      async () => {
        const closed = await openSite();
        closed.stop();
        return `${closed.origin}/metadata`;
      },
    ],
    ["answers 503", async () => site.serve({ status: 503 })],
    ["answers 500", async () => site.serve({ status: 500, body: metadata() })],
    ["answers 429", async () => site.serve({ status: 429 })],
  ])("whose server %s is created all the same and waits: PENDING", async (_what, prepare) => {
    const metadataUrl = await prepare();
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

  const badAnswers = [
    ["404", { status: 404, body: metadata() }, "SAML_METADATA_UNREACHABLE"],
    ["401", { status: 401 }, "SAML_METADATA_UNREACHABLE"],
    ["204", { status: 204 }, "SAML_METADATA_UNREACHABLE"],
    ["too much", { body: " ".repeat(500_001) }, "SAML_METADATA_TOO_LARGE"],
    ["too much, unannounced", { body: " ".repeat(500_001), isChunked: true }, "SAML_METADATA_TOO_LARGE"],
    ["a page", { body: "<html><body>hello</body></html>" }, "SAML_METADATA_ROOT"],
    ["nothing", { body: "" }, "SAML_METADATA_MALFORMED"],
  ] as const;

  test.each(
    badAnswers.map(([what, answer, reason], index) => [what, answer, reason, lanesOfRow(index)] as const),
  )("whose server answers %s is refused", async (_what, answer, reason, lanes) => {
    const metadataUrl = site.serve(answer);
    expect(await refusalOn(lanes, { metadataUrl })).toMatchObject({
      code: 3,
      details: [{ reason }, { fieldViolations: [{ field: "metadata_url" }] }],
    });
  });

  const refusedUrls = [
    ["http://example.com/metadata", "URL_FORBIDDEN"],
    ["https://10.0.0.1/", "URL_FORBIDDEN"],
    ["https://169.254.169.254/latest/meta-data", "URL_FORBIDDEN"],
    ["https://[fd00::1]/", "URL_FORBIDDEN"],
    ["https://[::ffff:10.0.0.1]/", "URL_FORBIDDEN"],
    ["https://0x0a000001/", "URL_FORBIDDEN"],
    ["https://167772161/", "URL_FORBIDDEN"],
    ["https://0.0.0.0/", "URL_FORBIDDEN"],
    ["https://user:secret@sp.example.com/", "URL_FORBIDDEN"],
    ["ftp://sp.example.com/metadata", "URL_FORBIDDEN"],
    ["file:///etc/passwd", "URL_FORBIDDEN"],
    ["javascript:alert(1)", "URL_FORBIDDEN"],
    // On a host or port that nobody can have: it would be PENDING for ever.
    ["https://./", "FIELD_INVALID"],
    ["https://a..b/", "FIELD_INVALID"],
    ["https://sp.example.com:0/", "FIELD_INVALID"],
    [`https://${"a".repeat(64)}.example/`, "FIELD_INVALID"],
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

  test("that redirects to where the service must not go is forbidden", async () => {
    for (const location of [
      "https://10.0.0.1/",
      "file:///etc/passwd",
      "http://192.168.0.1/",
      "//user@127.0.0.1/",
    ]) {
      const metadataUrl = site.serve({ status: 301, location });
      const refusal = refusalOf(await create(callOn.json, { metadataUrl }));
      expect([location, refusal.code, refusal.reason]).toEqual([location, 3, "URL_FORBIDDEN"]);
    }
  });

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

describe("without --dev", () => {
  test("loopback sees no connection, however it is spelled", async () => {
    const strict = await startService();
    try {
      const { projectId: strictProject, owner } = await createWorld(strict);
      const { host, port } = new URL(site.serve({ body: metadata() }));
      const before = site.connections();
      const seen = [];
      for (const spelling of [
        `http://${host}/`,
        `https://${host}/`,
        `https://localhost:${port}/`,
        `https://localhost.:${port}/`,
        `https://a.localhost:${port}/`,
        `https://[::1]:${port}/`,
        `https://[::ffff:127.0.0.1]:${port}/`,
        `https://0x7f.1:${port}/`,
        `https://2130706433:${port}/`,
        `https://0177.0.0.1:${port}/`,
        `https://0:${port}/`,
      ]) {
        const request = { projectId: strictProject, name: uniqueName("App"), metadataUrl: spelling };
        const outcome = await strict.clients.json.call(createSamlApplication, request, {
          token: owner.token,
        });
        seen.push([spelling, refusalOf(outcome).reason]);
      }
      expect(seen).toEqual(seen.map(([spelling]) => [spelling, "URL_FORBIDDEN"]));
      expect(site.connections()).toBe(before);
      const services = '<m:AssertionConsumerService Binding="b" Location="http://127.0.0.1/acs" index="0"/>';
      const request = { projectId: strictProject, name: "x", metadataXml: bytes(metadata({ services })) };
      const outcome = await strict.clients.json.call(createSamlApplication, request, { token: owner.token });
      expect(refusalOf(outcome).reason).toBe("SAML_METADATA_ACS_LOCATION");
    } finally {
      await strict.stop();
    }
  });
});

describe("a document is refused alike on every lane and from a URL:", () => {
  test.each(
    badDocuments.map(
      ([what, reason, document], index) => [what, reason, document, lanesOfRow(index)] as const,
    ),
  )("%s", async (_what, reason, document, lanes) => {
    const metadataXml = typeof document === "string" ? bytes(document) : new Uint8Array(document);
    expect(await refusalOn(lanes, { metadataXml })).toMatchObject({
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

  test("an entity id of 1,024 characters is not too long, and one of 1 not too short", async () => {
    for (const entityId of ["\u{1F600}".repeat(1024), "x"]) {
      const answer = answerOf(await create(callOn.json, { metadataXml: bytes(metadata({ entityId })) }));
      expect(answer["entityId"]).toBe(entityId);
    }
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

  test("is compared exactly as written, and not reserved while metadata is pending", async () => {
    const entityId = newEntityId();
    const body = metadata({ entityId });
    const created = [
      await create(callOn.json, { metadataUrl: site.serve({ status: 503, body }) }),
      await create(callOn.json, { metadataXml: bytes(body) }),
      await create(callOn.json, { metadataXml: bytes(metadata({ entityId: entityId.toUpperCase() })) }),
    ];
    const entityIds = created.map((outcome) => answerOf(outcome)["entityId"]);
    expect(entityIds).toEqual(["", entityId, entityId.toUpperCase()]);
  });

  test("that is taken leaves nothing behind: the name is still free", async () => {
    const entityId = newEntityId();
    answerOf(await create(callOn.json, { metadataXml: bytes(metadata({ entityId })) }));
    const name = uniqueName("Free");
    const taken = await create(callOn.json, { name, metadataXml: bytes(metadata({ entityId })) });
    expect(refusalOf(taken)).toMatchObject({ code: 6, resource: "saml_entity_id" });
    answerOf(await create(callOn.json, { name, metadataXml: bytes(metadata()) }));
    const again = await create(callOn.json, {
      name: ` ${name.toUpperCase()}`,
      metadataXml: bytes(metadata()),
    });
    expect(refusalOf(again)).toMatchObject({ code: 6, resource: "application" });
  });
});
