// What is remembered of clients, and for how long. That requests see each change at once: test/sites/oidc/clients.test.ts and
// test/sites/oidc/token.test.ts, and of another process test/postgres/two-processes/clients.test.ts.
import { afterAll, beforeEach, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { OidcTokenType } from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { Database } from "../../../../src/kernel/base/database.ts";
import { consoleId } from "../../../../src/identity/applications/oidc/console.ts";
import type { Client } from "../../../../src/sites/oidc/clients/client.ts";
import { createKnownClients } from "../../../../src/sites/oidc/clients/known-clients.ts";
import { startService } from "../../../support/service.ts";
import { createCaller, createWorld, idOf, uniqueName, type World } from "../../../support/world.ts";
import { addApplicationKey, type ClientOfTest, createOidc, createOidcBy } from "../support/clients.ts";
import { addKey, createMachine, type Machine } from "../support/machine.ts";

const service = await startService();
let world: World;
let reads = 0;
let duringRead: () => Promise<unknown> = async () => {};
let duringRefresh: () => Promise<unknown> = async () => {};
const { database: real } = service.context;
const database: Pick<Database, "read" | "refresh" | "watch"> = {
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

test("an application with keys is read once until one of them is removed", async () => {
  const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
  const { key } = await addApplicationKey(service, app);
  const find = createKnownClients(database);
  const first = await find(app.appId, lookup);
  expect(first?.keys.map(({ id }) => id)).toEqual([key.keyId]);
  expect(await find(app.appId, lookup)).toBe(first);
  const { projectId, appId } = app;
  await inside()(method.removeApplicationKey, { projectId, appId, keyId: key.keyId });
  expect(await find(app.appId, lookup)).toMatchObject({ keys: [] });
  expect(reads).toBe(2);
});

const { removeServiceUserKey, removeServiceUserSecret, updateServiceUser, ...users } = UserService.method;
const { deactivateOrganization, removeOrganization } = OrganizationService.method;

test.each<[string, (machine: Machine) => Promise<unknown>, (former: Client | undefined) => unknown]>([
  [
    "its key was removed",
    ({ userId, key: { keyId } }) => service.call(removeServiceUserKey, { userId, keyId }),
    (former) => ({ ...former, keys: [] }),
  ],
  [
    "it has another key",
    ({ userId }) => addKey(service, userId, "EdDSA"),
    (former) => ({ ...former, keys: [...(former?.keys ?? []), expect.anything()] }),
  ],
  [
    "its secret was removed",
    ({ userId }) => service.call(removeServiceUserSecret, { userId }),
    (former) => ({ ...former, secret: undefined }),
  ],
  [
    "it gets tokens of another type",
    ({ userId }) => {
      const profile = { username: uniqueName("machine"), name: "Machine" };
      return service.call(updateServiceUser, { userId, ...profile, accessTokenType: OidcTokenType.JWT });
    },
    (former) => ({ ...former, accessTokenType: "JWT", signingAlgorithm: "RS256" }),
  ],
  // Each request asks for the states of the user and of the organization, too.
  ["it was locked", ({ userId }) => service.call(users.lockUser, { userId }), (former) => former],
  ["it was deactivated", ({ userId }) => service.call(users.deactivateUser, { userId }), (former) => former],
  ["it was removed", ({ userId }) => service.call(users.removeUser, { userId }), () => undefined],
  [
    "its organization was deactivated",
    () => service.call(deactivateOrganization, { id: world.organizationId }),
    (former) => former,
  ],
  [
    "its organization was removed",
    () => service.call(removeOrganization, { id: world.organizationId }),
    () => undefined,
  ],
])("a service user is read once until %s", async (_name, change, toLatter) => {
  const machine = await createMachine(service, world.organizationId);
  const find = createKnownClients(database);
  const former = await find(machine.userId, lookup);
  expect(former?.keys.map(({ id }) => id)).toEqual([machine.key.keyId]);
  expect(await find(machine.userId, lookup)).toBe(former);
  await change(machine);
  expect(await find(machine.userId, lookup)).toEqual(toLatter(former));
  expect(reads).toBe(2);
});

test.each<[string, (endMs: number) => Promise<string>, object]>([
  [
    "a key of a service user",
    async (endMs) => {
      const { userId } = await createMachine(service, world.organizationId);
      await addKey(service, userId, "EdDSA", endMs);
      await addKey(service, userId, "ES384", endMs + 60_000);
      return userId;
    },
    { keys: [{ expirationMs: undefined }, { publicKey: { crv: "P-384" } }] },
  ],
  [
    "the secret of a service user",
    async (endMs) => {
      const { id: userId } = world.owner;
      const expirationDate = { seconds: BigInt(endMs / 1000), nanos: 0 };
      const token = await service.call(users.addPersonalAccessToken, { userId, expirationDate });
      // A secret that a user makes for themselves lives no longer than the token that it is made with.
      await service.call(users.generateServiceUserSecret, { userId }, idOf(token, "token"));
      return userId;
    },
    { secret: undefined },
  ],
  [
    "a key of an application",
    async (endMs) => {
      const app = await createOidcBy(service, world.organizationId, "PRIVATE_KEY_JWT");
      await addApplicationKey(service, app, endMs);
      return app.appId;
    },
    { keys: [] },
  ],
])("a client is remembered until %s expires, and not longer", async (_name, create, latter) => {
  const endMs = (Math.ceil(service.clock.nowMs() / 1000) + 60) * 1000;
  const id = await create(endMs);
  const find = createKnownClients(database);
  const former = await find(id, { ...lookup, nowMs: endMs - 1 });
  expect(former).not.toMatchObject(latter);
  expect(await find(id, { ...lookup, nowMs: endMs - 1 })).toBe(former);
  expect(reads).toBe(1);
  expect(await find(id, { ...lookup, nowMs: endMs })).toMatchObject(latter);
  expect(reads).toBe(2);
});

test("what changes without a commit is read each time: the console, and clients that do not exist", async () => {
  const find = createKnownClients(database);
  const [first, other] = [
    await find(consoleId, lookup),
    await find(consoleId, { ...lookup, issuer: "https://other.example" }),
  ];
  expect(other).not.toEqual(first);
  expect([await find("1", lookup), await find("1", lookup)]).toEqual([undefined, undefined]);
  expect(reads).toBe(4);
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
