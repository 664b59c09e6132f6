import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { createScratchDatabase } from "../../../src/kernel/storage/places/scratch-database.ts";
import type { AsOf } from "../../../src/identity/as-of/as-of.ts";
import { type Selection, selectPast } from "../../../src/identity/as-of/gather.ts";
import { createPast } from "../../../src/identity/as-of/past.ts";
import {
  findLastSequence,
  listEndsOfObject,
  listEventsOfObject,
  listEventsOfObjects,
  listEventsOfOwner,
  listEventsOfSubject,
} from "../../../src/identity/as-of/repository.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { createUserGrantCommands } from "../../../src/identity/user-grants/commands.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { type GroupStage, openGroupStage } from "../group-service/stage.ts";
import { instanceId } from "../memberships/setup.ts";

// That the past is what the present was is what `test/identity/explanations/agreement.test.ts` shows.

let stage: GroupStage;
let user: UserId;

beforeEach(async () => {
  stage = await openGroupStage();
  user = await stage.addUser(stage.home);
  await stage.addRoles(stage.projectId, "reader");
  stage.log.clock.turn(1);
});

afterEach(() => stage.close());

const scratch = createScratchDatabase();
const at = (micros: number): AsOf => ({ micros, field: "as_of_date" });
const now = () => stage.log.clock.nowMs() * 1000;

const read = (asOf: AsOf, more: Partial<Selection> = {}, limit?: number) =>
  createPast({ ...stage.log.context, scratch, ...(limit === undefined ? {} : { limit }) }).read(
    { asOf, selection: selectPast(user, { grants: "all", hasMemberships: true, ...more }) },
    async (tx, sequence) => ({
      sequence,
      grants: await tx.all<{ id: string }>("SELECT id FROM user_grants"),
      users: await tx.all<{ id: string }>("SELECT id FROM users"),
      members: await tx.all<{ user_id: string }>("SELECT user_id FROM group_members"),
    }),
  );

const addGrant = async (projectId: string = stage.projectId, roleKeys = ["reader"]) =>
  (await stage.userGrants.add(stage.owner, { userId: user, projectId, projectGrantId: "", roleKeys })).id;

describe("a moment", () => {
  test("is not in the future, and not before the first event", async () => {
    const [first] = await stage.log.events();
    expect(await outcomeOf(read(at(now())))).toBe("ok");
    expect(await problemOf(read(at(now() + 1)))).toMatchObject({
      reason: "FIELD_INVALID",
      violations: [{ field: "as_of_date" }],
    });
    expect(await outcomeOf(read(at((first?.sequence ?? 0) - 1)))).toBe("FIELD_INVALID");
    expect((await read(at(first?.sequence ?? 0))).users).toEqual([]);
  });

  test("within a command is the one before it: the command is not there in parts", async () => {
    const before = (await stage.log.events()).at(-1)?.sequence ?? 0;
    const date = await stage.log.append([
      { type: "user.deactivated", aggregateId: user, resourceOwner: stage.home, payload: {} },
      { type: "user.reactivated", aggregateId: user, resourceOwner: stage.home, payload: {} },
    ]);
    stage.log.clock.turn(1);
    expect((await read(at(date - 1))).sequence).toBe(before);
    expect((await read(at(date))).sequence).toBe(date);
  });
});

describe("the past of a user", () => {
  test("has what is gone since, and nothing of others", async () => {
    const id = await addGrant();
    const group = await stage.addGroup("group");
    await stage.join(group, user, stage.userId);
    stage.log.clock.turn(1);
    const moment = at(now());
    stage.log.clock.turn(1);
    await stage.userGrants.remove(stage.owner, { userId: user, grantId: id });
    await stage.log.append([
      { type: "group.removed", aggregateId: group, resourceOwner: stage.home, payload: {} },
    ]);
    stage.log.clock.turn(1);
    const then = await read(moment);
    expect(then).toMatchObject({ grants: [{ id }], users: [{ id: user }], members: [{ user_id: user }] });
    expect(await read(at(now()))).toMatchObject({ grants: [], members: [] });
  });

  test("that more events decide about than are read needs to be narrowed, as by a project", async () => {
    const other = await stage.addProject(stage.home);
    await addGrant(other, []);
    const payload = { display_name: "", group: "", role_key: "reader" };
    const changed = {
      type: "project.role.changed",
      aggregateId: stage.projectId,
      resourceOwner: stage.home,
      payload,
    } as const;
    await addGrant();
    await stage.log.append(Array.from({ length: 30 }, () => changed));
    stage.log.clock.turn(1);
    expect(await problemOf(read(at(now()), {}, 30))).toMatchObject({
      kind: "precondition",
      reason: "PAST_TOO_LONG",
      metadata: { limit: "30" },
    });
    expect((await read(at(now()), { projectId: other }, 30)).grants).toHaveLength(1);
    expect((await read(at(now()))).grants).toHaveLength(2);
  });

  test("goes with the user", async () => {
    await addGrant();
    const count = () =>
      stage.log.database.read((tx) => tx.all("SELECT 1 FROM right_events WHERE subject_id = ?", [user]));
    expect(await count()).toHaveLength(1);
    await stage.log.append([
      { type: "user.removed", aggregateId: user, resourceOwner: stage.home, payload: {} },
    ]);
    expect(await count()).toEqual([]);
  });

  test("is read without looking at what is not asked for", async () => {
    await addGrant();
    const range = { upTo: now(), limit: 10 };
    const object = { type: "project", id: stage.projectId };
    const plans = await stage.log.plansOf(async (tx) => {
      await findLastSequence(tx, now());
      await listEventsOfSubject(tx, { id: user, after: 0 }, range);
      await listEventsOfObjects(tx, { type: "project", ids: [stage.projectId, "1"] }, 10);
      await listEventsOfObject(tx, { ...object, after: 0, types: ["project.added"] }, 10);
      await listEndsOfObject(tx, object);
      await listEventsOfOwner(tx, { id: stage.home, type: "login_policy.added" }, range);
    });
    expect(plans).toHaveLength(7);
    const walked = plans.flat().filter(({ kind, table }) => kind === "walk" && table === "events");
    expect(walked).toEqual([]);
  });
});

test("the past is for callers that may read events, where they may", async () => {
  const past = createPast({ ...stage.log.context, scratch });
  const context = { ...stage.log.context, past };
  const userGrants = createUserGrantCommands(context);
  const memberships = createMembershipCommands(context, instanceId);
  const page = { pageSize: 0, pageToken: "", countTotal: false };
  const asOf = at(now());
  const filter = { userId: user, projectId: "", roleKey: "", asOf };
  const denied = { reason: "PERMISSION_DENIED", metadata: { permission: "event.read" } };
  const manager = stage.by([stage.onHome("ORGANIZATION_USER_MANAGER")]);
  const roles = { userId: user, projectId: "", organizationId: "", asOf };
  expect(await problemOf(userGrants.list(manager, filter, page))).toMatchObject(denied);
  expect(await problemOf(userGrants.listEffective(manager, roles, page))).toMatchObject(denied);
  expect(
    await outcomeOf(userGrants.list(stage.by([stage.onHome("ORGANIZATION_VIEWER")]), filter, page)),
  ).toBe("ok");
  const owner = stage.by([{ scope: stage.scopes.project, roles: ["PROJECT_OWNER"] }]);
  const list = (call: typeof owner) => memberships.list(call, { userId: user, scopes: [], asOf }, page);
  expect(await problemOf(list(owner))).toMatchObject(denied);
  await stage.give(user, stage.scopes.home, "ORGANIZATION_VIEWER");
  await stage.give(user, stage.scopes.partner, "ORGANIZATION_VIEWER");
  stage.log.clock.turn(1);
  const both = stage.by([
    stage.onHome("ORGANIZATION_VIEWER"),
    { scope: stage.scopes.grant, roles: ["PROJECT_GRANT_OWNER"] },
  ]);
  const later = { userId: user, scopes: [], asOf: at(now()) };
  const { items } = (await memberships.list(both, later, page)).page;
  expect(items.map(({ scope }) => scope)).toEqual([stage.scopes.home]);
});
