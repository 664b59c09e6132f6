// Users who are linked to a directory follow it, also those who do not log in.
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createDirectoryServers } from "../../../src/identity/directories/servers.ts";
import { createPeriodicSync } from "../../../src/identity/directories/periodic-sync.ts";
import { syncDirectory, type SyncOptions, type SyncResult } from "../../../src/identity/directories/sync.ts";
import { createSoleLeadership } from "../../../src/kernel/base/leadership.ts";
import { addGroup } from "../../../src/identity/groups/group.ts";
import { listMembersAmong } from "../../../src/identity/groups/sourced-repository.ts";
import { createIdentityProviderCommands } from "../../../src/identity/providers/commands.ts";
import { toLdapConfig } from "../../../src/identity/providers/ldap.ts";
import { findUserById } from "../../../src/identity/people/user/repository.ts";
import { addHumanUser } from "../../../src/identity/people/user/user.ts";
import { type GroupId, type OrganizationId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import { createDirectories } from "../../../src/kernel/outbound/directory/directories.ts";
import { callAs, openFeatureFixture } from "../../support/feature-fixture.ts";
import { humanProfile, identityProviderSettings, ldapPayload } from "../../support/samples.ts";
import { startTestDirectory, type TestEntry } from "../../support/directory/test-directory.ts";

const fixture = await openFeatureFixture();
const directory = await startTestDirectory([]);
afterAll(async () => {
  await directory.stop();
  await fixture.close();
});
beforeEach(() => void directory.entries.splice(0));

// Somebody has to own the instance, or nobody could be deactivated.
await fixture.record({
  type: "membership.added",
  aggregateId: "600000000001",
  resourceOwner: "1",
  payload: {
    user_id: await fixture.addUser(await fixture.addOrganization()),
    instance: true,
    roles: ["INSTANCE_OWNER"],
  },
});

const { context, record } = fixture;
const { issuer: _issuer, bindSecretId: _secret, ...plain } = toLdapConfig(ldapPayload);
const directories = createDirectories({ dev: true, allowedHosts: [], plainTextHosts: [] });
const ports = { ...context, servers: createDirectoryServers(directories, context.clock) };
const asUsual: SyncOptions = { isForced: false, isDryRun: false };

let lastId = 700_000_000_000;
const newId = <T extends string>(): T => `${++lastId}` as T;

/** Makes an organization with a directory. */
async function addPlace(url = directory.url) {
  const organizationId = await fixture.addOrganization();
  const commands = createIdentityProviderCommands(context);
  const config = { kind: "ldap", ...plain, servers: [url], plainText: true } as const;
  const settings = identityProviderSettings({ name: "Directory" });
  const { id } = await commands.add(callAs(organizationId), settings, { ...config, bindPassword: undefined });
  const provider = await commands.get(callAs(organizationId), id);
  if (provider.config.kind !== "ldap") throw new Error("it is no directory");
  return { organizationId, provider: { ...provider, config: provider.config } };
}

type Place = Awaited<ReturnType<typeof addPlace>>;

/** Adds users with entries of theirs that say the same. */
async function addPeople(place: Place, count: number): Promise<readonly UserId[]> {
  const ids: UserId[] = [];
  for (let index = 0; index < count; index++) {
    const id = newId<UserId>();
    const subject = `${index}`.padStart(8, "0");
    const { givenName, familyName, displayName } = humanProfile();
    const username = `u${id}`;
    await record(addHumanUser(id, place.organizationId, humanProfile({ username })));
    await record({
      type: "user.idp_link.added",
      aggregateId: id,
      resourceOwner: place.organizationId,
      payload: {
        link_id: newId(),
        idp_id: place.provider.id,
        issuer: "ldap",
        external_user_id: subject,
      },
    });
    directory.entries.push({
      dn: `uid=u${index},dc=example`,
      attributes: { entryUUID: subject, givenName, sn: familyName, displayName, objectClass: "person" },
    });
    ids.push(id);
  }
  return ids;
}

const sync = ({ provider }: Place, options: Partial<SyncOptions> = {}) =>
  syncDirectory(ports, provider, { ...asUsual, ...options });
const readUser = (id: string) => context.database.read((tx) => findUserById(tx, id));
const countEvents = () => fixture.eventCount();

/** Changes what an entry says. */
function change(index: number, attributes: TestEntry["attributes"]): void {
  const entry = directory.entries[index] as TestEntry;
  directory.entries[index] = { ...entry, attributes: { ...entry.attributes, ...attributes } };
}

/** Gives somebody a role in an organization, or on the instance. */
async function giveRole(
  userId: UserId,
  organizationId: OrganizationId | undefined,
  role: string,
): Promise<void> {
  await record({
    type: "membership.added",
    aggregateId: newId(),
    resourceOwner: organizationId ?? "1",
    payload: {
      user_id: userId,
      ...(organizationId === undefined ? { instance: true } : { organization_id: organizationId }),
      roles: [role],
    },
  });
}

test("nothing that is as it was makes an event", async () => {
  const place = await addPlace();
  await addPeople(place, 12);
  const before = await countEvents();
  expect(await sync(place)).toMatchObject({
    people: 12,
    linked: 12,
    changed: 0,
    leavers: 0,
    isStopped: false,
  });
  expect(await countEvents()).toBe(before);
});

test("profiles follow, those of linked users alone", async () => {
  const place = await addPlace();
  const [first = "", second = ""] = await addPeople(place, 2);
  change(0, { sn: "Byron" });
  directory.entries.push({
    dn: "uid=new,dc=example",
    attributes: { entryUUID: "new", objectClass: "person" },
  });
  expect(await sync(place)).toMatchObject({ people: 3, linked: 2, changed: 1 });
  expect(await readUser(first)).toMatchObject({ familyName: "Byron" });
  expect(await readUser(second)).toMatchObject({ familyName: humanProfile().familyName });
});

test("members of groups follow", async () => {
  const place = await addPlace();
  const [first = ""] = await addPeople(place, 2);
  const groupId = newId<GroupId>();
  const source = { kind: "provider", idpId: place.provider.id } as const;
  await record(
    addGroup(groupId, place.organizationId, {
      name: "Staff",
      description: "",
      externalId: "cn=staff",
      source,
    }),
  );
  change(0, { memberOf: "CN=Staff" });
  expect((await sync(place)).changed).toBe(1);
  const members = () => context.database.read((tx) => listMembersAmong(tx, [first], [groupId]));
  expect(await members()).toHaveLength(1);
  change(0, { memberOf: [] });
  expect((await sync(place)).changed).toBe(1);
  expect(await members()).toEqual([]);
});

describe("a leaver", () => {
  test.each([
    ["who is gone", () => void directory.entries.splice(3, 1)],
    ["whose entry is disabled", () => change(3, { nsAccountLock: "TRUE" })],
  ])("%s is deactivated", async (_name, leave) => {
    const place = await addPlace();
    const ids = await addPeople(place, 10);
    leave();
    expect(await sync(place)).toMatchObject({ leavers: 1, kept: 0, isStopped: false });
    expect(await readUser(ids[3] ?? "")).toMatchObject({ state: "INACTIVE" });
    expect(await readUser(ids[4] ?? "")).toMatchObject({ state: "ACTIVE" });
  });

  test("stays in a dry run", async () => {
    const place = await addPlace();
    const [id = ""] = await addPeople(place, 10);
    directory.entries.splice(0, 1);
    expect(await sync(place, { isDryRun: true })).toMatchObject({ leavers: 1 });
    expect(await readUser(id)).toMatchObject({ state: "ACTIVE" });
  });

  test("who holds a role outside stays, with the profile", async () => {
    const place = await addPlace();
    const [id = toId<UserId>("0")] = await addPeople(place, 10);
    await giveRole(id, undefined, "INSTANCE_VIEWER");
    directory.entries.splice(0, 1);
    expect(await sync(place)).toMatchObject({ leavers: 1, kept: 1, isStopped: false });
    expect(await readUser(id)).toMatchObject({ state: "ACTIVE" });
  });

  test("who is the last owner of the organization stays", async () => {
    const place = await addPlace();
    const [first = toId<UserId>("0"), second = toId<UserId>("0")] = await addPeople(place, 40);
    await giveRole(first, place.organizationId, "ORGANIZATION_OWNER");
    await giveRole(second, place.organizationId, "ORGANIZATION_OWNER");
    directory.entries.splice(0, 2);
    expect(await sync(place)).toMatchObject({ leavers: 2, kept: 1 });
    expect(await readUser(first)).toMatchObject({ state: "ACTIVE" });
    expect(await readUser(second)).toMatchObject({ state: "INACTIVE" });
  });
});

test("more than a tenth go only by force, and nothing else is done without it", async () => {
  const place = await addPlace();
  const ids = await addPeople(place, 19);
  directory.entries.splice(0, 2);
  change(0, { sn: "Changed" });
  expect(await sync(place)).toMatchObject({ leavers: 2, changed: 1, isStopped: true });
  expect((await Promise.all(ids.map(readUser))).every((user) => user?.state === "ACTIVE")).toBe(true);
  expect(await readUser(ids[2] ?? "")).toMatchObject({ familyName: humanProfile().familyName });
  expect(await sync(place, { isForced: true })).toMatchObject({ leavers: 2, isStopped: false });
  expect(await readUser(ids[0] ?? "")).toMatchObject({ state: "INACTIVE" });
});

test("a directory that breaks off in the middle changes nothing", async () => {
  const place = await addPlace();
  const [id = ""] = await addPeople(place, 20);
  directory.play({ answers: { search: () => Buffer.from("30ff", "hex") } });
  await expect(sync(place, { isForced: true })).rejects.toMatchObject({ kind: "unreachable" });
  directory.play({});
  expect(await readUser(id)).toMatchObject({ state: "ACTIVE" });
});

describe("a service that syncs by itself", () => {
  const failed: (string | undefined)[] = [];
  const createSync = (onDone: (idpId: string, result: SyncResult) => void) =>
    createPeriodicSync({
      ports,
      leadership: createSoleLeadership(),
      everyMs: 60_000,
      onDone: ({ id }, result) => onDone(id, result),
      onError: (_error, provider) => failed.push(provider?.id),
    });

  test("does it at its start, without force, and goes on where a directory does not answer", async () => {
    const { provider } = await addPlace("ldap://127.0.0.1:1");
    const place = await addPlace();
    const [id = ""] = await addPeople(place, 20);
    change(0, { sn: "Changed" });
    directory.entries.splice(1, 1);
    const { promise, resolve } = Promise.withResolvers<SyncResult>();
    const rounds = createSync((idpId, result) => idpId === place.provider.id && resolve(result));
    rounds.start();
    expect(await promise).toMatchObject({ changed: 1, leavers: 1, isStopped: false });
    await rounds.stop();
    expect(failed).toEqual([provider.id]);
    expect(await readUser(id)).toMatchObject({ familyName: "Changed" });
  });

  test("stops at once while it waits for a directory", async () => {
    await addPeople(await addPlace(), 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const silence = () => {
      resolve();
      return Buffer.alloc(0);
    };
    directory.play({ answers: { search: silence } });
    failed.length = 0;
    const rounds = createSync(() => {});
    rounds.start();
    await promise;
    await rounds.stop();
    directory.play({});
    expect(failed).toEqual([]);
  });
});
