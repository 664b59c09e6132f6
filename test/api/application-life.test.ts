import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationState } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { createWorld, idOf, samlMetadata, uniqueName, type World } from "../support/world.ts";
import { type Call, type EveryLane, openLanes } from "./support/lanes.ts";

const { method } = ApplicationService;

let service: TestService;
let callOn: Readonly<Record<EveryLane, Call>>;
let world: World;

beforeAll(async () => {
  service = await startService();
  callOn = openLanes(service);
  world = await createWorld(service);
});
afterAll(() => service.stop());

const ask = <M extends DescMethodUnary>(lane: EveryLane, asked: M, request: MessageInitShape<M["input"]>) =>
  callOn[lane](asked, request, { token: world.owner.token });

describe("over REST", () => {
  const lane = "rest";
  const run = async <M extends DescMethodUnary>(asked: M, request: MessageInitShape<M["input"]>) =>
    answerOf(await ask(lane, asked, request));
  const create = async () => {
    const entityId = `https://sp.example.com/${encodeURIComponent(uniqueName(lane))}`;
    const request = {
      projectId: world.projectId,
      name: uniqueName("App"),
      metadataXml: samlMetadata(entityId),
    };
    const answer = await run(method.createSamlApplication, request);
    return { projectId: world.projectId, appId: idOf(answer, "appId"), name: request.name, entityId };
  };
  const read = async (app: { projectId: string; appId: string }) => {
    const { projectId, appId } = app;
    return (await run(method.getApplication, { projectId, appId }))["application"] as JsonObject;
  };

  test("an application is renamed, given other metadata, stopped, started and removed; each read shows it", async () => {
    const { projectId, appId } = await create();
    const app = { projectId, appId };
    const name = uniqueName("Renamed");
    const renamed = await run(method.updateApplication, { ...app, name });
    expect(await read(app)).toMatchObject({ name, details: renamed["details"] });

    const entityId = `https://sp.example.com/${appId}`;
    const changed = await run(method.updateSamlConfig, { ...app, metadataXml: samlMetadata(entityId) });
    expect(await read(app)).toMatchObject({ saml: { entityId }, details: changed["details"] });

    const stopped = await run(method.deactivateApplication, app);
    expect(await read(app)).toMatchObject({
      state: "APPLICATION_STATE_INACTIVE",
      details: stopped["details"],
    });
    expect(await run(method.deactivateApplication, app)).toEqual(stopped);
    const started = await run(method.reactivateApplication, app);
    expect(await read(app)).toMatchObject({ state: "APPLICATION_STATE_ACTIVE", details: started["details"] });

    const removed = (await run(method.removeApplication, app))["details"] as JsonObject;
    expect(BigInt(idOf(removed, "sequence"))).toBeGreaterThan(
      BigInt(idOf(started["details"] as JsonObject, "sequence")),
    );
    for (const gone of [method.getApplication, method.removeApplication, method.deactivateApplication]) {
      expect(refusalOf(await ask(lane, gone, app))).toMatchObject({ code: 5, reason: "NOT_FOUND" });
    }
  });

  test("a list filters, counts and goes on in pages, without the documents", async () => {
    const first = await create();
    const second = await create();
    const { projectId } = first;
    await run(method.deactivateApplication, { projectId, appId: second.appId });
    const byName = await run(method.listApplications, {
      projectId,
      name: first.name.toUpperCase(),
      countTotal: true,
    });
    expect(byName).toMatchObject({
      details: { totalResult: "1" },
      applications: [{ id: first.appId, saml: { entityId: first.entityId } }],
      nextPageToken: "",
    });
    expect(JSON.stringify(byName)).not.toMatch(/"metadataXml":"[^"]/);
    const stopped = { projectId, state: ApplicationState.INACTIVE, pageSize: 1 };
    const ids: string[] = [];
    for (let pageToken = "", more = true; more; more = pageToken !== "") {
      const page = await run(method.listApplications, { ...stopped, pageToken });
      ids.push(...(page["applications"] as JsonObject[]).map((app) => idOf(app, "id")));
      pageToken = page["nextPageToken"] as string;
    }
    expect(ids).toContain(second.appId);
    expect(ids).not.toContain(first.appId);
    const foreign = await ask(lane, method.listApplications, { ...stopped, pageToken: "x" });
    expect(refusalOf(foreign)).toMatchObject({ code: 3, reason: "PAGE_TOKEN_INVALID" });
  });

  test("a viewer may list and not change", async () => {
    const { projectId, appId } = await create();
    const options = { token: world.viewer.token };
    expect((await callOn[lane](method.listApplications, { projectId }, options)).kind).toBe("answer");
    const refused = await callOn[lane](method.removeApplication, { projectId, appId }, options);
    expect(refusalOf(refused)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });
});
