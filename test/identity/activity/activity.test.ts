import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { createActivityCommands } from "../../../src/identity/activity/commands.ts";
import { deleteOldActiveUsers, deleteOldCounts } from "../../../src/identity/activity/repository.ts";
import { deleteAllExpired } from "../../../src/identity/delete-expired.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { logIn } from "../../support/logins.ts";

let fixture: FeatureFixture;
let commands: ReturnType<typeof createActivityCommands>;
beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createActivityCommands({ ...fixture.context, sendsEmails: true });
});
afterAll(() => fixture.close());

const get = (call: Call, days = 7, utcOffsetHours = 0) => commands.get(call, { days, utcOffsetHours });
const store = () => fixture.activity.store(fixture.context);
const applicationId = "4711";
const dayMs = 86_400_000;

async function makePlace() {
  const organizationId = await fixture.addOrganization();
  const userId = await fixture.addUser(organizationId);
  const wrong: NewEvent = {
    type: "user.password.check.failed",
    aggregateId: userId,
    resourceOwner: organizationId,
    payload: { reason: "wrong" },
  };
  return { organizationId, userId, wrong, call: callAs(organizationId) };
}

/** A call without an organization: it spans all where the permission is held. */
function spanning(organizationId: OrganizationId, held: readonly HeldRoles[]): Call {
  const call = callAs(organizationId, { held });
  return { ...call, access: { ...call.access, spansOrganizations: true } };
}

const today = (date: readonly unknown[]) => date.at(-1);

test("counts sign-ins, refusals, methods, users and applications of an organization, and nobody else's", async () => {
  const [ours, theirs] = [await makePlace(), await makePlace()];
  const other = await fixture.addUser(ours.organizationId);
  await logIn(fixture.context, { userId: ours.userId, applicationId, methods: ["PASSWORD", "TOTP"] });
  await logIn(fixture.context, { userId: ours.userId, applicationId: "4712", methods: ["PASSKEY"] });
  await logIn(fixture.context, { userId: other, applicationId });
  await logIn(fixture.context, { userId: other, applicationId: "gatehouse-console" });
  await logIn(fixture.context, { userId: theirs.userId, applicationId });
  await fixture.record(ours.wrong);
  await store();
  const { days, activeUsers, applications } = await get(ours.call);
  expect(days).toHaveLength(7);
  expect(today(days)).toEqual({
    date: new Date(fixture.clock.nowMs()).toISOString().slice(0, 10),
    signIns: 4,
    refusals: 1,
    methods: [
      { method: "PASSWORD", signIns: 3, refusals: 1 },
      { method: "PASSKEY", signIns: 1, refusals: 0 },
      { method: "TOTP", signIns: 1, refusals: 0 },
    ],
  });
  expect(days.slice(0, 6).map(({ signIns, refusals }) => signIns + refusals)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(activeUsers).toEqual({ lastDay: 2, last7Days: 2, last30Days: 2 });
  expect(applications).toEqual([
    { appId: applicationId, count: 2 },
    { appId: "4712", count: 1 },
  ]);
  expect(today((await get(theirs.call)).days)).toMatchObject({ signIns: 1, refusals: 0 });
});

test("without an organization counts those where the permission is held, or the whole instance", async () => {
  const [one, two, three] = [await makePlace(), await makePlace(), await makePlace()];
  const before = today(
    (await get(spanning(one.organizationId, [{ scope: { kind: "instance" }, roles: ["INSTANCE_VIEWER"] }])))
      .days,
  );
  for (const { userId } of [one, two, three]) await logIn(fixture.context, { userId, applicationId });
  await store();
  const held = [one, two].map(
    ({ organizationId }): HeldRoles => ({
      scope: { kind: "organization", organizationId },
      roles: ["ORGANIZATION_VIEWER"],
    }),
  );
  const ofTwo = await get(spanning(one.organizationId, held));
  expect(today(ofTwo.days)).toMatchObject({ signIns: 2 });
  expect(ofTwo.activeUsers.lastDay).toBe(2);
  const all = await get(
    spanning(one.organizationId, [{ scope: { kind: "instance" }, roles: ["INSTANCE_VIEWER"] }]),
  );
  expect(today(all.days)).toMatchObject({ signIns: (before as { signIns: number }).signIns + 3 });
});

test("counts nothing of a write that is undone, and keeps what could not be stored", async () => {
  const { userId, wrong, call } = await makePlace();
  const undone = fixture.database.write(async (tx) => {
    await fixture.context.log.append(tx, { editor: userId, remoteAddress: undefined, requestId: "r" }, [
      wrong,
    ]);
    throw new Error("undone");
  });
  await expect(undone).rejects.toThrow("undone");
  await fixture.record(wrong);
  const failing = { database: { ...fixture.database, write: () => Promise.reject(new Error("full")) } };
  await expect(fixture.activity.store(failing)).rejects.toThrow("full");
  const late = {
    ...fixture.database,
    write: (fn: never) =>
      fixture.database.write(async (tx) => {
        await (fn as (within: typeof tx) => Promise<void>)(tx);
        throw new Error("too late");
      }),
  };
  await expect(fixture.activity.store({ database: late as never })).rejects.toThrow("too late");
  await store();
  await store();
  expect(today((await get(call)).days)).toMatchObject({ signIns: 0, refusals: 1 });
});

test("lets days begin where the caller is, and looks back as far as it is asked", async () => {
  const { userId, call } = await makePlace();
  const { clock } = fixture;
  clock.turn(dayMs - (clock.nowMs() % dayMs) + 23.5 * 3_600_000); // 23:30 UTC
  await logIn(fixture.context, { userId, applicationId });
  await store();
  const signIns = async (utcOffsetHours: number) =>
    (await get(call, 2, utcOffsetHours)).days.map((day) => day.signIns);
  clock.turn(3_600_000);
  expect(await signIns(0)).toEqual([1, 0]);
  expect(await signIns(1)).toEqual([0, 1]);
  expect(await signIns(-8)).toEqual([0, 1]);
  expect((await get(call, 90)).days).toHaveLength(90);
  expect((await get(call, 0)).days).toHaveLength(30);
  clock.turn(5 * dayMs);
  expect((await get(call)).activeUsers).toEqual({ lastDay: 0, last7Days: 1, last30Days: 1 });
  clock.turn(30 * dayMs);
  expect((await get(call)).activeUsers.last30Days).toBe(0);
  expect((await get(call, 90)).days.reduce((sum, day) => sum + day.signIns, 0)).toBe(1);
});

test("counts the users that have a factor", async () => {
  const { userId, organizationId, call } = await makePlace();
  const about = { aggregateId: userId, resourceOwner: organizationId };
  await fixture.record({ ...about, type: "user.totp.added", payload: { totp_id: "81" } });
  expect((await get(call)).factors).toEqual([]);
  await fixture.record({ ...about, type: "user.totp.verified", payload: { totp_id: "81" } });
  expect((await get(call)).factors).toEqual([{ method: "TOTP", users: 1 }]);
});

test("says nothing of a removed application or organization, and forgets what is old", async () => {
  const { userId, organizationId, call } = await makePlace();
  const projectId = await fixture.addProject(organizationId);
  await logIn(fixture.context, { userId, applicationId: "4799" });
  await store();
  await fixture.record({
    type: "application.removed",
    aggregateId: "4799",
    resourceOwner: organizationId,
    payload: { project_id: projectId },
  });
  expect((await get(call)).applications).toEqual([]);
  const rows = (table: string) =>
    fixture.database.read((tx) => tx.all<{ resource_owner: string }>(`SELECT * FROM ${table}`));
  const ownersOf = async (table: string) => (await rows(table)).map((row) => row.resource_owner);
  expect(await ownersOf("activity_hours")).toContain(organizationId);
  expect(JSON.stringify(await rows("activity_hours"))).not.toContain(userId);
  await fixture.record({
    type: "organization.removed",
    aggregateId: organizationId,
    resourceOwner: organizationId,
    payload: {},
  });
  for (const table of ["activity_hours", "active_users"])
    expect(await ownersOf(table)).not.toContain(organizationId);
  fixture.clock.turn(93 * dayMs);
  await deleteAllExpired(fixture.context, [deleteOldCounts, deleteOldActiveUsers]);
  expect([await rows("activity_hours"), await rows("active_users")]).toEqual([[], []]);
});
