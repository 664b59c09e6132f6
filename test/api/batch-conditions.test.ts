import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { resultsOf } from "../support/batch.ts";
import { createLaneClient, type Lane } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { createCaller, createProject, idOf, samlMetadata, uniqueName } from "../support/world.ts";
import { answerAt, type BatchGround, endingOf, infoOf, startBatchGround } from "./support/batch-ground.ts";
import { statusOf } from "./support/lanes.ts";
import { openSite, type Site } from "./support/site.ts";
import { startTwin } from "./support/twins.ts";

// That every lane carries a batch alike is in `batch.test.ts`, and what each lane makes of the headers, for every rpc and so
// for batches, in `conditions-….sized.test.ts`.

let ground: BatchGround;
let site: Site;
beforeAll(async () => {
  ground = await startBatchGround({ dev: true });
  site = await openSite();
});
afterAll(async () => {
  site.stop();
  await ground.service.stop();
});

const addProject = (bulkId = ""): JsonObject => ({ bulkId, addProject: { name: uniqueName("Project") } });
const rename = (id: string, ifMatch: string): JsonObject => ({
  ifMatch,
  updateProject: { id, name: uniqueName("Renamed") },
});

async function makeProject() {
  const { world, service } = ground;
  const id = await createProject(service, world.organizationId);
  return { id, sequence: await sequenceOf(id) };
}

async function sequenceOf(id: string): Promise<string> {
  const inside = createCaller(ground.service, ground.world.organizationId);
  const { project } = await inside(ProjectService.method.getProject, { id });
  return idOf((project as JsonObject)["details"] as JsonObject, "sequence");
}

describe("in a batch, if_match", () => {
  const lane: Lane = "grpc";

  test("is judged for its item, on what the items before it have changed", async () => {
    const { id, sequence } = await makeProject();
    const results = await ground.results(
      [
        rename(id, `"${sequence}"`),
        rename(id, `"${sequence}"`),
        rename(id, "*"),
        rename("1", "*"),
        { bulkId: "x", ...addProject() },
        { ...addProject(), ifMatch: "*" },
        { ifMatch: "*", bulkRemoveUserGrants: { grantIds: ["1"] } },
        rename(id, `W/"${sequence}"`),
        rename(id, sequence),
      ],
      { lane },
    );
    expect(results.map(endingOf)).toEqual([
      "OK",
      "SEQUENCE_MISMATCH",
      "OK",
      "NOT_FOUND",
      "OK",
      "FIELD_INVALID",
      "FIELD_INVALID",
      "INVALID_REQUEST",
      "INVALID_REQUEST",
    ]);
    const renamed = answerAt(results, 0, "updateProject")["details"] as JsonObject;
    expect(results[1]?.["error"]).toMatchObject({
      code: 10,
      details: [{ metadata: { sequence: renamed["sequence"] } }],
    });
  });

  test("that does not hold undoes a batch of all or nothing, and says for which item", async () => {
    const { id, sequence } = await makeProject();
    const before = await ground.tables();
    const outcome = await ground.write([addProject(), rename(id, '"1"')], { lane });
    expect(infoOf(outcome)).toMatchObject({
      code: 10,
      reason: "SEQUENCE_MISMATCH",
      metadata: { item: "1", sequence },
    });
    const misplaced = await ground.write([{ ...addProject(), ifMatch: "*" }], { lane });
    expect(refusalOf(misplaced)).toMatchObject({ reason: "FIELD_INVALID", fields: ["items[0].if_match"] });
    expect(await ground.tables()).toEqual(before);
  });

  test("as a header is not for a batch", async () => {
    const before = await ground.tables();
    const outcome = await ground.write([addProject()], { lane, headers: { "if-match": "*" } });
    expect(refusalOf(outcome)).toMatchObject({ code: 3, reason: "INVALID_REQUEST" });
    expect(await ground.tables()).toEqual(before);
  });
});

describe("in a batch, an idempotency-key", () => {
  const lane: Lane = "grpc-web";

  test.each([false, true])(
    "has a batch done once, and answered again without its secrets (each for itself: %s)",
    async (allowPartialSuccess) => {
      const { world } = ground;
      const token: JsonObject = { addPersonalAccessToken: { userId: world.owner.id } };
      const items = [addProject(), token, ...(allowPartialSuccess ? [rename("1", "*")] : [])];
      const options = { lane, allowPartialSuccess, headers: { "idempotency-key": uniqueName("key") } };
      const first = await ground.write(items, options);
      const before = await ground.tables();
      const second = await ground.write(items, options);
      expect(second.headers.get("idempotency-replayed")).toBe("true");
      expect(first.headers.get("idempotency-replayed")).toBeNull();
      const cut = resultsOf(first).map((result, index) =>
        index === 1
          ? {
              addPersonalAccessToken: {
                ...answerAt(resultsOf(first), 1, "addPersonalAccessToken"),
                token: "",
              },
            }
          : result,
      );
      expect(resultsOf(second)).toEqual(cut);
      expect(answerAt(resultsOf(first), 1, "addPersonalAccessToken")["token"]).not.toBe("");
      const others = [[addProject(), ...items.slice(1)], items.slice(0, 1)];
      for (const other of others)
        expect(refusalOf(await ground.write(other, options))).toMatchObject({
          code: 9,
          reason: "IDEMPOTENCY_KEY_REUSED",
        });
      expect(
        refusalOf(await ground.write(items, { ...options, allowPartialSuccess: !allowPartialSuccess }))
          .reason,
      ).toBe("IDEMPOTENCY_KEY_REUSED");
      const elsewhere = {
        ...options,
        headers: { ...options.headers, "x-service-orgid": world.organizationId },
      };
      expect(refusalOf(await ground.write(items, elsewhere)).reason).toBe("IDEMPOTENCY_KEY_REUSED");
      expect(await ground.tables()).toEqual(before);
    },
  );

  test("has a batch that references items asked again as it was sent", async () => {
    const items = [addProject("p"), { addProjectRole: { projectId: "bulkId:p", roleKey: "r" } }];
    const options = { lane, headers: { "idempotency-key": uniqueName("key") } };
    const first = resultsOf(await ground.write(items, options));
    expect(resultsOf(await ground.write(items, options))).toEqual(first);
  });

  test("of a batch that failed as a whole keeps nothing, so that it can be tried again", async () => {
    const options = { lane, headers: { "idempotency-key": uniqueName("key") } };
    const before = await ground.tables();
    expect(refusalOf(await ground.write([addProject(), rename("1", "*")], options)).reason).toBe("NOT_FOUND");
    expect(await ground.tables()).toEqual(before);
    answerOf(await ground.write([addProject()], options));
  });
});

describe("in a batch, x-service-validate-only", () => {
  const lane: Lane = "rest";
  const headers = { "x-service-validate-only": "true" };

  test.each([false, true])(
    "judges every item and writes nothing (each for itself: %s)",
    async (allowPartialSuccess) => {
      const { id, sequence } = await makeProject();
      const before = await ground.tables();
      const name = uniqueName("Taken");
      const items: readonly JsonObject[] = [
        { bulkId: "p", addProject: { name } },
        { addProjectRole: { projectId: "bulkId:p", roleKey: "r" } },
        rename(id, `"${sequence}"`),
        { addPersonalAccessToken: { userId: ground.world.owner.id } },
        { removeUser: { userId: ground.world.userId } },
        ...(allowPartialSuccess ? [{ addProject: { name } }, rename(id, `"${sequence}"`)] : []),
      ];
      const outcome = await ground.write(items, { lane, headers, allowPartialSuccess });
      expect(outcome.headers.get("x-service-validated-only")).toBe("true");
      expect(resultsOf(outcome).map(endingOf)).toEqual([
        "OK",
        "OK",
        "OK",
        "OK",
        "OK",
        ...(allowPartialSuccess ? ["ALREADY_EXISTS", "SEQUENCE_MISMATCH"] : []),
      ]);
      expect(answerAt(resultsOf(outcome), 3, "addPersonalAccessToken")["token"]).toBe("");
      expect(await ground.tables()).toEqual(before);
    },
  );

  test("says which item of all or nothing would fail", async () => {
    const before = await ground.tables();
    const outcome = await ground.write([addProject(), rename("1", "*")], { lane, headers });
    expect(infoOf(outcome)).toMatchObject({ reason: "NOT_FOUND", metadata: { item: "1" } });
    expect(await ground.tables()).toEqual(before);
  });
});

describe("SAML metadata in a batch", () => {
  const methods = ApplicationService.method;

  test("by its document makes an application that is complete", async () => {
    const { projectId } = ground.world;
    const entityId = `https://sp.example.com/${encodeURIComponent(uniqueName("e"))}`;
    const metadataXml = Buffer.from(samlMetadata(entityId)).toString("base64");
    const create = (): JsonObject => ({
      createSamlApplication: { projectId, name: uniqueName("Portal"), metadataXml },
    });
    const results = await ground.results([create(), create()]);
    expect(results.map(endingOf)).toEqual(["OK", "ALREADY_EXISTS"]);
    expect(answerAt(results, 0, "createSamlApplication")).toMatchObject({ entityId });
  });

  test.each([
    "https://user:password-in-a-url@sp.example.com/metadata",
    "https://10.0.0.1/metadata",
    "http://sp.example.com/metadata",
    "ftp://sp.example.com/metadata",
  ])("by a URL that is forbidden as it is written is refused as alone: %s", async (metadataUrl) => {
    const { service, world } = ground;
    const { projectId, appId, owner } = world;
    const request = { projectId, name: uniqueName("Portal"), metadataUrl };
    const alone = await service.clients.json.call(methods.createSamlApplication, request, {
      token: owner.token,
    });
    const before = await ground.tables();
    const results = await ground.results([
      { createSamlApplication: request },
      { updateSamlConfig: { projectId, appId, metadataUrl } },
    ]);
    const { code, message } = statusOf(alone);
    expect(results.map(({ error }) => error)).toMatchObject([
      { code, message },
      { code, message },
    ]);
    expect(results.map(endingOf)).toEqual(["URL_FORBIDDEN", "URL_FORBIDDEN"]);
    expect(await ground.tables()).toEqual(before);
  });

  test("by its URL makes no connection: the application is PENDING, and fetched in the background", async () => {
    const { service, world } = ground;
    const { projectId } = world;
    const entityId = `https://sp.example.com/${encodeURIComponent(uniqueName("e"))}`;
    const metadataUrl = site.serve({ body: samlMetadata(entityId) });
    const before = site.connections();
    const name = uniqueName("Portal");
    const results = resultsOf(
      await ground.write([
        { bulkId: "a", createSamlApplication: { projectId, name, metadataUrl } },
        { updateSamlConfig: { projectId, appId: "bulkId:a", metadataUrl } },
      ]),
    );
    const appId = idOf(answerAt(results, 0, "createSamlApplication"), "appId");
    const stateIn = (answer: JsonObject) =>
      ((answer["application"] as JsonObject)["saml"] as JsonObject)["metadataState"];
    const inside = createCaller(service, world.organizationId);
    expect(stateIn(await inside(methods.getApplication, { projectId, appId }))).toBe(
      "SAML_METADATA_STATE_PENDING",
    );
    expect(site.connections()).toBe(before);

    // A copy that starts later does what is due.
    const twin = await startTwin(service.place, { dev: true }, { isUnaryLaneOff: false });
    const client = createLaneClient("json", `http://127.0.0.1:${twin.port}`);
    try {
      const headers = { "x-service-orgid": world.organizationId };
      const read = async () =>
        stateIn(
          answerOf(
            await client.call(
              methods.getApplication,
              { projectId, appId },
              { token: service.adminToken, headers },
            ),
          ),
        );
      let state = await read();
      for (let tries = 0; state === "SAML_METADATA_STATE_PENDING" && tries < 500; tries++) {
        await new Promise(setImmediate);
        state = await read();
      }
      expect(state).toBe("SAML_METADATA_STATE_READY");
      expect(site.connections()).toBe(before + 1);
    } finally {
      client.close();
      await twin.stop();
      await twin.remove();
    }
  });
});
