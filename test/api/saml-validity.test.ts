import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { answerOf } from "../support/service.ts";
import { createProject, idOf, uniqueName, type World } from "../support/world.ts";
import { everyLane, onEveryLane, type Setting, startSetting } from "./support/lanes.ts";
import { bytes, metadata, newEntityId } from "./support/saml-documents.ts";

let service: Setting["service"];
let callOn: Setting["callOn"];
let world: World;
let projectId: string;
beforeAll(async () => {
  ({ service, callOn, world } = await startSetting());
  projectId = await createProject(service, world.organizationId);
});
afterAll(() => service.stop());

const { createSamlApplication, getApplication, listApplications, updateSamlConfig } =
  ApplicationService.method;

describe("metadata whose validUntil passes", () => {
  const hourMs = 3_600_000;
  const valid = () => ` validUntil="${new Date(service.clock.nowMs() + hourMs).toISOString()}"`;

  /** Returns what each lane reads of the application, in the list and by itself. */
  async function expiredOn(appId: string): Promise<readonly unknown[]> {
    const { token } = world.owner;
    const seen = await onEveryLane(async (lane) => {
      const one = answerOf(await callOn[lane](getApplication, { projectId, appId }, { token }));
      const all = answerOf(await callOn[lane](listApplications, { projectId }, { token }));
      return [one["application"] as JsonObject, ...(all["applications"] as JsonObject[])];
    });
    return Object.values(seen).flatMap((applications) =>
      applications.map(({ saml }) => (saml as JsonObject)["metadataExpired"]),
    );
  }

  test("shows that it is expired, on every lane and in the list, until there is a new document", async () => {
    const entityId = newEntityId();
    const metadataXml = () => bytes(metadata({ entityId, attributes: valid() }));
    const { token } = world.owner;
    const application = { projectId, name: uniqueName("Portal"), metadataXml: metadataXml() };
    const created = answerOf(await callOn.json(createSamlApplication, application, { token }));
    const appId = idOf(created, "appId");
    const everywhere = everyLane.flatMap(() => [0, 1]);
    service.clock.turn(hourMs - 1);
    expect(await expiredOn(appId)).toEqual(everywhere.map(() => false));
    service.clock.turn(1);
    expect(await expiredOn(appId)).toEqual(everywhere.map(() => true));
    const request = { projectId, appId, metadataXml: metadataXml() };
    answerOf(await callOn.json(updateSamlConfig, request, { token }));
    expect(await expiredOn(appId)).toEqual(everywhere.map(() => false));
  });
});
