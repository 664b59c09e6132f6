import { afterAll, describe, expect, test } from "@jest/globals";
import { ExternalClientKind } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject } from "../../support/world.ts";
import { documentRedirect, openDocumentHost } from "./support/document-host.ts";
import { createLoginPlace, type LoginPlace } from "./support/login-place.ts";
import { authorize, getTokens, refresh, signIn } from "./support/signed-in.ts";

// Rows of removed organizations stay until a test sweeps.
const service = await startService({ dev: true }, { isSweepOff: true });
const host = await openDocumentHost();
afterAll(async () => {
  host.stop();
  await service.stop();
});

const { method } = ApplicationService;
const { METADATA_DOCUMENT: kind } = ExternalClientKind;
const people = await createLoginPlace(service);
const browser = await signIn(service, await createHumanUser(service, people.organizationId));

async function letIn({ projectId }: Pick<LoginPlace, "projectId">) {
  service.clock.turn(61_000); // whatever was fetched before, and failed
  await service.call(method.updateExternalClientSettings, { kinds: [kind], projectId });
}

function clientAt(path: string) {
  return { clientId: host.put(path), secret: "", projectId: "", redirectUri: documentRedirect };
}

const { database, log } = service.context;
const sweep = () => database.write(async (tx) => void (await log.sweep(tx, 1000)));

describe("a client with a metadata document", () => {
  test("moves to another project with the setting, and takes nothing along", async () => {
    const [first, second] = [await createLoginPlace(service), await createLoginPlace(service)];
    const client = clientAt("/moving");
    await letIn(first);
    const { refreshToken } = await getTokens(service, client, { browser });
    await letIn(second);
    expect((await authorize(service, client, { browser })).status).toBe(303);
    expect((await refresh(service, client, refreshToken)).json).toMatchObject({ error: "invalid_grant" });
    const [before, after] = [first, second].map(({ organizationId, projectId }) =>
      createCaller(service, organizationId)(method.getApplication, { projectId, appId: client.clientId }),
    );
    await expect(before).rejects.toThrow("NOT_FOUND");
    expect(await after).toMatchObject({ application: { projectId: second.projectId } });
  });

  test("stays deactivated when the setting names another project", async () => {
    const first = await createLoginPlace(service);
    const client = clientAt("/deactivated");
    await letIn(first);
    await getTokens(service, client, { browser });
    const inFirst = createCaller(service, first.organizationId);
    const name = { projectId: first.projectId, appId: client.clientId };
    await inFirst(method.deactivateApplication, name);
    await letIn({ projectId: await createProject(service, first.organizationId) });
    expect((await authorize(service, client, { browser })).status).toBe(400);
    await inFirst(method.removeApplication, name);
    service.clock.turn(61_000);
    expect((await authorize(service, client, { browser })).status).toBe(303);
  });

  test("is unknown while rows of its removed organization are left, comes back after them, and is rebuilt", async () => {
    const [first, second] = [await createLoginPlace(service), await createLoginPlace(service)];
    const client = clientAt("/left");
    await letIn(first);
    const { refreshToken } = await getTokens(service, client, { browser });
    await service.call(OrganizationService.method.removeOrganization, { id: first.organizationId });
    await letIn(second);
    expect((await authorize(service, client, { browser })).status).toBe(400);
    await sweep();
    service.clock.turn(61_000);
    expect((await authorize(service, client, { browser })).status).toBe(303);
    expect((await refresh(service, client, refreshToken)).json).toMatchObject({ error: "invalid_grant" });
    const name = { projectId: second.projectId, appId: client.clientId };
    const read = () => createCaller(service, second.organizationId)(method.getApplication, name);
    const before = await read();
    await database.write((tx) => log.rebuild(tx));
    expect(await read()).toEqual(before);
  });

  test("may carry notes of its organization as metadata, which go with it", async () => {
    const place = await createLoginPlace(service);
    const client = clientAt("/noted");
    await letIn(place);
    await getTokens(service, client, { browser });
    const inside = createCaller(service, place.organizationId);
    const name = { projectId: place.projectId, appId: client.clientId };
    const { setApplicationMetadata, bulkSetApplicationMetadata, listApplicationMetadata } =
      MetadataService.method;
    await inside(setApplicationMetadata, { ...name, key: "seen", value: Buffer.from("by Ada") });
    await inside(bulkSetApplicationMetadata, {
      ...name,
      items: [{ key: "risk", value: Buffer.from("low") }],
    });
    expect((await inside(listApplicationMetadata, name))["metadata"]).toHaveLength(2);
    expect((await authorize(service, client, { browser })).status).toBe(303);
    await inside(method.removeApplication, name);
    await getTokens(service, client, { browser });
    expect((await inside(listApplicationMetadata, name))["metadata"] ?? []).toEqual([]);
  });
});
