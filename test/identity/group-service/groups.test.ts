import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toId } from "../../../src/kernel/base/ids.ts";
import { largeTest } from "../../support/large.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { addUsers, type GroupStage, openGroupStage } from "./stage.ts";

let stage: GroupStage;

beforeEach(async () => {
  stage = await openGroupStage();
});

afterEach(() => stage.close());

const page = { pageSize: 0, pageToken: "", countTotal: true };

async function namesOf(filter: { readonly userId?: string; readonly search?: string }) {
  const { page: found } = await stage.groups.list(stage.owner, { userId: "", ...filter }, page);
  return found.items.map(({ name }) => name);
}

async function membersOf(groupId: string) {
  const { page: found } = await stage.groups.members.list(stage.owner, { groupId }, page);
  return found.items.map(({ kind, id }) => `${kind} ${id}`);
}

describe("a group", () => {
  test("has a name of its own in the organization, and what it was given", async () => {
    const settings = { name: "Sales", description: "All of sales", externalId: "x-1", source: undefined };
    const { id } = await stage.groups.add(stage.owner, settings);
    expect(await stage.groups.get(stage.owner, id)).toMatchObject(settings);
    expect(await outcomeOf(stage.groups.add(stage.owner, { ...settings, name: " sales" }))).toBe(
      "ALREADY_EXISTS",
    );
    expect(await outcomeOf(stage.groups.add(stage.owner, { ...settings, name: "Sa\u200bles" }))).toBe(
      "FIELD_INVALID",
    );
    const elsewhere = stage.by(stage.owner.caller.held, stage.partner);
    expect(await outcomeOf(stage.groups.get(elsewhere, id))).toBe("NOT_FOUND");
    const changed = { ...settings, name: "Selling", externalId: "" };
    await stage.groups.update(stage.owner, id, changed);
    expect(await stage.groups.get(stage.owner, id)).toMatchObject(changed);
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
  });

  test("is found by its words, its ids, and its members", async () => {
    const [user] = await addUsers(stage, 1);
    const sales = await stage.addGroup("Sales Berlin");
    await stage.addGroup("Support Berlin");
    await stage.join(sales, user!);
    expect(await namesOf({})).toEqual(["Sales Berlin", "Support Berlin"]);
    expect(await namesOf({ search: "ber sal" })).toEqual(["Sales Berlin"]);
    expect(await namesOf({ search: sales })).toEqual(["Sales Berlin"]);
    expect(await namesOf({ userId: user! })).toEqual(["Sales Berlin"]);
    expect(await namesOf({ userId: user!, search: "support" })).toEqual([]);
  });

  test("goes with its members' places, grants and memberships, and the groups around it stay", async () => {
    const [user] = await addUsers(stage, 1);
    const [outer, middle, inner] = [
      await stage.addGroup("outer"),
      await stage.addGroup("middle"),
      await stage.addGroup("inner"),
    ];
    await stage.nest(outer, middle);
    await stage.nest(middle, inner);
    await stage.join(middle, user!);
    await stage.memberships.add(stage.owner, {
      userId: "",
      groupId: middle,
      scope: { kind: "organization", id: stage.home },
      roles: ["ORGANIZATION_VIEWER"],
    });
    const grant = { groupId: middle, projectId: stage.projectId, projectGrantId: "", roleKeys: [] };
    await stage.groups.grants.add(stage.owner, grant);
    const { removed } = await stage.groups.remove(stage.owner, middle);
    expect(removed).toEqual([
      { type: "group.member", count: 3 },
      { type: "group_grant", count: 1 },
      { type: "membership", count: 1 },
    ]);
    expect(await membersOf(outer)).toEqual([]);
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
    expect(await outcomeOf(stage.nest(inner, outer))).toBe("ok"); // nothing is left of the way between them
  });

  test("loses a user who is removed, and counts as changed", async () => {
    const [user] = await addUsers(stage, 1);
    const group = await stage.addGroup("group");
    await stage.join(group, user!);
    const { details } = await stage.groups.get(stage.owner, group);
    const about = { aggregateId: user!, resourceOwner: stage.home };
    await stage.log.append([{ type: "user.removed", ...about, payload: {} }]);
    expect(await membersOf(group)).toEqual([]);
    expect((await stage.groups.get(stage.owner, group)).details.sequence).toBeGreaterThan(details.sequence);
  });
});

describe("members", () => {
  test("are added once, by one event, and removed likewise", async () => {
    const users = await addUsers(stage, 2);
    const [group, inner] = [await stage.addGroup("group"), await stage.addGroup("inner")];
    const both = { userIds: [...users, users[0]!], groupIds: [inner] };
    const first = await stage.groups.members.add(stage.owner, group, both);
    expect(await stage.groups.members.add(stage.owner, group, both)).toEqual(first);
    expect(new Set(await membersOf(group))).toEqual(
      new Set([...users.map((id) => `user ${id}`), `group ${inner}`]),
    );
    const added = (await stage.log.events()).filter(({ type }) => type === "group.member.added");
    expect(added.map(({ payload }) => JSON.parse(payload) as object)).toEqual([
      { user_ids: [...users], group_ids: [inner] },
    ]);
    await stage.groups.members.remove(stage.owner, group, { userIds: [users[0]!, "77"], groupIds: [inner] });
    expect(await membersOf(group)).toEqual([`user ${users[1]!}`]);
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
  });

  test("are users and groups of the same organization", async () => {
    const group = await stage.addGroup("group");
    const add = (userIds: readonly string[], groupIds: readonly string[]) =>
      problemOf(stage.groups.members.add(stage.owner, group, { userIds, groupIds }));
    expect((await add([stage.userId, stage.partnerUserId], [])).resource).toEqual({
      type: "user",
      name: stage.partnerUserId,
    });
    expect((await add([], ["5"])).resource).toEqual({ type: "group", name: "5" });
    expect(await membersOf(group)).toEqual([]);
  });

  test("change by the source alone, if there is one", async () => {
    const users = await addUsers(stage, 2);
    const group = await stage.addGroup("group", { kind: "user", userId: users[0]! });
    const members = { userIds: [users[1]!], groupIds: [] };
    for (const change of [stage.groups.members.add, stage.groups.members.remove])
      expect(await outcomeOf(change(stage.owner, group, members))).toBe("PERMISSION_DENIED");
    const manager = stage.by([stage.onHome("ORGANIZATION_USER_MANAGER")]);
    const source = { ...manager, caller: { ...manager.caller, userId: users[0]! } };
    await stage.groups.members.add(source, group, members);
    expect(await membersOf(group)).toEqual([`user ${users[1]!}`]);
    const unknown = { kind: "provider", idpId: "7" } as const;
    expect(await outcomeOf(stage.addGroup("other", unknown))).toBe("NOT_FOUND");
    const elsewhere = { kind: "user", userId: stage.partnerUserId } as const;
    expect(await outcomeOf(stage.addGroup("other", elsewhere))).toBe("NOT_FOUND");
  });

  test("are given nothing that the caller could not give: grants need user.grant.write where they were given", async () => {
    const [user] = await addUsers(stage, 1);
    const [outer, group] = [await stage.addGroup("outer"), await stage.addGroup("group")];
    await stage.nest(outer, group);
    const elsewhere = stage.by(stage.owner.caller.held, stage.partner);
    const { projectId, projectGrantId } = stage;
    await stage.groups.grants.add(elsewhere, { groupId: outer, projectId, projectGrantId, roleKeys: [] });
    const members = { userIds: [user!], groupIds: [] };
    const manager = stage.by([stage.onHome("ORGANIZATION_USER_MANAGER")]);
    const refused = await problemOf(stage.groups.members.add(manager, group, members));
    expect(refused.metadata).toEqual({ permission: "user.grant.write" });
    const both = stage.by([
      stage.onHome("ORGANIZATION_USER_MANAGER"),
      { scope: stage.scopes.grant, roles: ["PROJECT_GRANT_OWNER"] },
    ]);
    await stage.groups.members.add(both, group, members);
    expect(await outcomeOf(stage.groups.members.remove(manager, group, members))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(stage.groups.remove(manager, group))).toBe("PERMISSION_DENIED");
    const source = { kind: "user", userId: user! } as const;
    const settings = { name: "group", description: "", externalId: "", source };
    expect(await outcomeOf(stage.groups.update(manager, group, settings))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(stage.groups.update(both, group, settings))).toBe("ok");
  });

  largeTest("are in at most 1,000 groups", async () => {
    const [user] = await addUsers(stage, 1);
    const group = await stage.addGroup("group");
    for (let number = 0; number < 1000; number += 1) {
      const about = { aggregateId: String(900_000 + number), resourceOwner: stage.home };
      const settings = { name: `group ${number}`, description: "", external_id: "" };
      await stage.log.append([
        { type: "group.added", ...about, payload: settings },
        { type: "group.member.added", ...about, payload: { user_ids: [user!], group_ids: [] } },
      ]);
    }
    expect(await outcomeOf(stage.join(group, user!))).toBe("LIMIT_REACHED");
    await stage.leave(toId("900000"), user!);
    expect(await outcomeOf(stage.join(group, user!))).toBe("ok");
  });
});
