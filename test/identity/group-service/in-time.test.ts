import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type TokenId, toId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { Role, Scope } from "../../../src/kernel/base/permission.ts";
import { readCarriedRoles } from "../../../src/identity/held-roles/carried-roles-repository.ts";
import { listHeldRoles } from "../../../src/identity/held-roles/repository.ts";
import { findToken } from "../../../src/identity/programs/tokens/repository.ts";
import type { Period } from "../../../src/identity/rights-in-time/period.ts";
import { microsFrom } from "../../support/instants.ts";
import { outcomeOf } from "../../support/problems.ts";
import { type GroupStage, openGroupStage } from "./stage.ts";

// Memberships of groups, and users in groups, from a start until an end.

let stage: GroupStage;
let user: UserId;
let group: string;

beforeEach(async () => {
  stage = await openGroupStage();
  user = await stage.addUser(stage.home);
  group = await stage.addGroup("group");
});

afterEach(() => stage.close());

/** An instant that many milliseconds from now. */
const at = (ms: number) => microsFrom(stage.log.clock, ms * 1000);
const turn = (ms: number) => stage.log.clock.turn(ms);
const add = (period: Period, userId: string = user, call: Call = stage.owner) =>
  stage.groups.members.add(call, group, { userIds: [userId], groupIds: [], ...period });
const home = () => ({ kind: "organization", id: stage.home }) as const;
const give = (period: Period, role: Role, call: Call = stage.owner) =>
  stage.memberships.add(call, {
    userId: "",
    groupId: group,
    scope: role.startsWith("INSTANCE") ? { kind: "instance" } : home(),
    roles: [role],
    ...period,
  });

/** How many roles the user holds, and how many a token of theirs carries. */
async function seen(token: TokenId) {
  return await stage.log.database.read(async (tx) => {
    const found = await findToken(tx, token);
    if (found === undefined) throw new Error("the token is gone");
    const carried = (await readCarriedRoles(tx, found)).held.flatMap(({ roles }) => roles);
    return [(await listHeldRoles(tx, user)).length, carried.length];
  });
}

const payloads = async () =>
  (await stage.log.events()).map(({ type, payload }) => [type, JSON.parse(payload)]);

describe("a user in a group", () => {
  test("has its membership while both are in effect, and holds it from the write on until the first end", async () => {
    const { id } = await stage.addToken({ userId: user, by: "system" });
    await give({ startDate: at(2), endDate: at(6) }, "ORGANIZATION_VIEWER");
    await add({ startDate: at(1), endDate: at(4) });
    const outcomes: unknown[] = [];
    for (const ms of [0, 1, 1, 1, 1]) {
      turn(ms);
      outcomes.push(await seen(id));
    }
    expect(outcomes).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
      [1, 1],
      [0, 0],
    ]);
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
  });

  test("keeps the dates when added again without any, gets those that are sent, and has none after the end", async () => {
    const dates = { startDate: at(0), endDate: at(2) };
    await add(dates);
    const events = (await payloads()).length;
    await add({});
    await add(dates);
    expect(await payloads()).toHaveLength(events);
    await add({ endDate: at(1) });
    expect((await payloads()).at(-1)).toEqual([
      "group.member.added",
      { user_ids: [user], group_ids: [], end_date: at(1) },
    ]);
    turn(1);
    await add({});
    expect((await payloads()).at(-1)).toEqual(["group.member.added", { user_ids: [user], group_ids: [] }]);
    const page = { pageSize: 0, pageToken: "", countTotal: false };
    const members = await stage.groups.members.list(stage.owner, { groupId: group }, page);
    expect(members.page.items).toMatchObject([{ id: user, startDate: undefined, endDate: undefined }]);
    expect((await stage.groups.list(stage.owner, { userId: user }, page)).members).toEqual(
      members.page.items,
    );
    expect((await stage.groups.list(stage.owner, { userId: "" }, page)).members).toEqual([]);
  });

  test.each([
    ["a later end", 2000, 0],
    ["no end any more", undefined, 0],
    ["an earlier end", 500, 1],
  ])("gains all of it again by %s, or nothing", async (_what, end, count) => {
    await give({}, "ORGANIZATION_VIEWER");
    const other = await stage.addUser(stage.home);
    await add({ endDate: at(1000) });
    const { id } = await stage.addToken({ userId: user, by: other });
    await add({ startDate: at(-1), endDate: end === undefined ? undefined : at(end) });
    expect(await seen(id)).toEqual([1, count]);
  });
});

describe("the last owner of the instance", () => {
  test("is nobody who is in a group until an end, or gets one", async () => {
    const last = await stage.give(stage.userId, stage.scopes.instance, "INSTANCE_OWNER");
    await give({}, "INSTANCE_OWNER");
    await add({ endDate: at(1000) });
    expect(await outcomeOf(stage.memberships.remove(stage.owner, last))).toBe("LAST_INSTANCE_OWNER");
    await add({ startDate: at(0) });
    await stage.memberships.remove(stage.owner, last);
    expect(await outcomeOf(add({ endDate: at(1000) }))).toBe("LAST_INSTANCE_OWNER");
  });
});

describe("callers", () => {
  const self = toId<UserId>("2");
  /** A call of a user of home who has the role until then. */
  const until = (endDate: Period["endDate"], scope: Scope = stage.scopes.home): Call => {
    const call = stage.by([{ scope, roles: ["ORGANIZATION_OWNER"], endDate }]);
    return { ...call, caller: { ...call.caller, userId: self } };
  };

  beforeEach(async () => {
    await stage.log.append([
      {
        type: "user.added",
        aggregateId: self,
        resourceOwner: stage.home,
        payload: { kind: "service", username: "self", name: "self", description: "" },
      },
    ]);
  });

  test("do not prolong a membership of their own beyond what lets them give it", async () => {
    const given = { userId: self, scope: home(), roles: ["ORGANIZATION_OWNER"], endDate: at(1000) };
    const { id } = await stage.memberships.add(stage.owner, given);
    const update = (call: Call, endDate: Period["endDate"] | null) =>
      outcomeOf(stage.memberships.update(call, id, { roles: ["ORGANIZATION_OWNER"], endDate }));
    expect(await update(until(at(1000)), at(1001))).toBe("PERMISSION_DENIED");
    expect(await update(until(at(1000)), null)).toBe("PERMISSION_DENIED");
    expect(await update(until(at(1000)), at(500))).toBe("ok");
    expect(await update(until(at(1000)), at(1000))).toBe("ok");
    expect(await update(until(undefined), null)).toBe("ok");
  });

  test("do not get more time by a group, or by another scope, but give it to others", async () => {
    const call = until(at(1000));
    await give({}, "ORGANIZATION_VIEWER");
    expect(await outcomeOf(add({}, self, call))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(add({ endDate: at(1001) }, self, call))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(add({ endDate: at(1000) }, self, call))).toBe("ok");
    expect(await outcomeOf(add({}, user, call))).toBe("ok");
    const project = { kind: "project", id: stage.projectId } as const;
    const owning = (endDate: Period["endDate"], userId: string = self) =>
      outcomeOf(stage.memberships.add(call, { userId, scope: project, roles: ["PROJECT_OWNER"], endDate }));
    expect(await owning(undefined)).toBe("PERMISSION_DENIED");
    expect(await owning(at(1000))).toBe("ok");
    expect(await owning(undefined, user)).toBe("ok");
  });
});
