// What is remembered of clients, and for how long. That requests see each change at once: test/oidc/clients.test.ts, and of another
// process test/postgres/two-processes/clients.test.ts.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import type { Database } from "../../../src/base/database.ts";
import { createKnownClients } from "../../../src/oidc/clients/known-clients.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createCaller, createWorld, type World } from "../../support/world.ts";
import { type ClientOfTest, createOidc, createOidcBy } from "../support/clients.ts";
import { createMachine } from "../support/machine.ts";

let service: TestService;
let world: World;
let reads = 0;
let duringRead: () => Promise<unknown> = async () => {};
let duringRefresh: () => Promise<unknown> = async () => {};
let database: Pick<Database, "read" | "refresh" | "watch">;
beforeAll(async () => {
  service = await startService();
  const { database: real } = service.context;
  database = {
    async refresh() {
      await duringRefresh();
      await real.refresh();
    },
    watch: (tables) => real.watch(tables),
    async read(work) {
      reads++;
      const found = await real.read(work);
      await duringRead();
      return found;
    },
  };
});
afterAll(() => service.stop());
beforeEach(async () => {
  world = await createWorld(service);
  reads = 0;
  duringRead = async () => {};
  duringRefresh = async () => {};
});

const lookup = { nowMs: 0, issuer: "https://issuer.example" };

const inside = () => createCaller(service, world.organizationId);
const { method } = ApplicationService;

async function replaceSecret({ projectId, appId }: ClientOfTest): Promise<void> {
  await inside()(method.generateClientSecret, { projectId, appId });
}

test("an application is read once until it has another secret", async () => {
  const app = await createOidc(service, world.organizationId);
  const find = createKnownClients(database);
  const first = await find(app.appId, lookup);
  expect(await find(app.appId, lookup)).toBe(first);
  expect(reads).toBe(1);
  await replaceSecret(app);
  const second = await find(app.appId, lookup);
  expect(second?.secret?.id).not.toBe(first?.secret?.id);
  expect(await find(app.appId, lookup)).toBe(second);
  expect(reads).toBe(2);
});

test.each([
  [
    "it",
    ({ projectId, appId }: ClientOfTest) => inside()(method.deactivateApplication, { projectId, appId }),
  ],
  [
    "its project",
    ({ projectId }: ClientOfTest) => inside()(ProjectService.method.deactivateProject, { id: projectId }),
  ],
  [
    "its organization",
    () => service.call(OrganizationService.method.deactivateOrganization, { id: world.organizationId }),
  ],
])("an application is not active any more as soon as %s was deactivated", async (_name, deactivate) => {
  const app = await createOidc(service, world.organizationId);
  const find = createKnownClients(database);
  expect(await find(app.appId, lookup)).toMatchObject({ isActive: true });
  await deactivate(app);
  expect(await find(app.appId, lookup)).toMatchObject({ isActive: false });
});

test("what others have changed is learned before what is remembered counts", async () => {
  const app = await createOidc(service, world.organizationId);
  const find = createKnownClients(database);
  const former = await find(app.appId, lookup);
  duringRefresh = () => replaceSecret(app);
  expect((await find(app.appId, lookup))?.secret?.id).not.toBe(former?.secret?.id);
});

test("what a commit changes while it is read is read again", async () => {
  const app = await createOidc(service, world.organizationId);
  const find = createKnownClients(database);
  duringRead = async () => {
    duringRead = async () => {};
    await replaceSecret(app);
    await find(app.appId, lookup); // another request, which is done first
  };
  const former = await find(app.appId, lookup);
  expect((await find(app.appId, lookup))?.secret?.id).not.toBe(former?.secret?.id);
});

test("what changes without a commit is read each time: clients with keys, service users, and those that do not exist", async () => {
  const byKey = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
  const { userId } = await createMachine(service, world.organizationId);
  const find = createKnownClients(database);
  for (const id of [byKey.appId, userId, "1"]) {
    reads = 0;
    expect(await find(id, lookup)).toEqual(await find(id, lookup));
    expect([id, reads]).toEqual([id, 2]);
  }
});

test("no more are remembered than there is room for", async () => {
  const [first, second] = [
    await createOidc(service, world.organizationId),
    await createOidc(service, world.organizationId),
  ];
  const find = createKnownClients(database, 1);
  for (const { appId } of [first, second, second, first]) await find(appId, lookup);
  expect(reads).toBe(3);
});
