import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toId, type TokenId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role, Scope } from "../../../src/kernel/base/permission.ts";
import { readCarriedRoles } from "../../../src/identity/held-roles/carried-roles-repository.ts";
import { listHeldRoles } from "../../../src/identity/held-roles/repository.ts";
import { findToken } from "../../../src/identity/programs/tokens/repository.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { largeTest } from "../../support/large.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { serviceProfile } from "../../support/samples.ts";
import { addUsers, type GroupStage, openGroupStage } from "./stage.ts";

// Memberships of groups: decision 14, S5 and rule 47 of each user in the group.

let stage: GroupStage;
let user: UserId;

beforeEach(async () => {
  stage = await openGroupStage();
  user = await stage.addUser(stage.home);
});

afterEach(() => stage.close());

async function give(groupId: string, ...roles: readonly Role[]) {
  const isOnInstance = roles.some((role) => role.startsWith("INSTANCE"));
  const scope = isOnInstance
    ? ({ kind: "instance" } as const)
    : ({ kind: "organization", id: stage.home } as const);
  return (await stage.memberships.add(stage.owner, { userId: "", groupId, scope, roles })).id;
}

const toTexts = (held: readonly HeldRoles[]) =>
  held.flatMap(({ scope, roles }) => roles.map((role) => `${role} on ${scope.kind}`));

const heldBy = async (userId: string) =>
  toTexts(await stage.log.database.read((tx) => listHeldRoles(tx, userId)));

function carried(id: TokenId) {
  return stage.log.database.read(async (tx) => {
    const token = await findToken(tx, id);
    if (token === undefined) throw new Error(`there is no token ${id}`);
    return { isLimited: token.isLimited, roles: toTexts((await readCarriedRoles(tx, token)).held) };
  });
}

/** A token of the user that a manager made with a token that carries no more than a manager's roles. */
async function addWeakToken(): Promise<TokenId> {
  const manager = await stage.addUser(stage.home);
  await stage.give(manager, stage.scopes.home, "ORGANIZATION_USER_MANAGER");
  const { id: parent } = await stage.addToken({ userId: manager, by: "system" });
  return (await stage.addToken({ userId: user, by: manager, with: parent })).id;
}

const ownerOn = "ORGANIZATION_OWNER on organization";

describe("a membership of a group", () => {
  test("gives its roles to all who are in the group, at every depth, while they are", async () => {
    const groups = [];
    for (let depth = 0; depth < 5; depth += 1) groups.push(await stage.addGroup(`group ${depth}`));
    for (let depth = 1; depth < 5; depth += 1) await stage.nest(groups[depth - 1]!, groups[depth]!);
    const id = await give(groups[0]!, "ORGANIZATION_OWNER");
    for (const group of groups) {
      await stage.join(group, user);
      expect(await heldBy(user)).toEqual([ownerOn]);
      await stage.leave(group, user);
      expect(await heldBy(user)).toEqual([]);
    }
    await stage.join(groups[4]!, user);
    await stage.memberships.update(stage.owner, id, { roles: ["ORGANIZATION_VIEWER"] });
    expect(await heldBy(user)).toEqual(["ORGANIZATION_VIEWER on organization"]);
    await stage.memberships.remove(stage.owner, id);
    expect(await heldBy(user)).toEqual([]);
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
  });

  test("is listed as one of the group, and is one for each scope", async () => {
    const group = await stage.addGroup("group");
    const id = await give(group, "ORGANIZATION_OWNER");
    const { page } = await stage.memberships.list(
      stage.owner,
      { userId: "", groupId: group, scopes: [] },
      { pageSize: 0, pageToken: "", countTotal: false },
    );
    expect(page.items).toMatchObject([{ id, groupId: group, roles: ["ORGANIZATION_OWNER"] }]);
    expect(await outcomeOf(give(group, "ORGANIZATION_VIEWER"))).toBe("ALREADY_EXISTS");
  });
});

describe("tokens that others made with less carry nothing that their user gains", () => {
  const ways: Readonly<
    Record<
      string,
      () => Promise<{ readonly undo: () => Promise<unknown>; readonly again: () => Promise<unknown> }>
    >
  > = {
    async "by a membership of the group"() {
      const group = await stage.addGroup("group");
      await stage.join(group, user);
      let id = await give(group, "ORGANIZATION_OWNER");
      return {
        undo: () => stage.memberships.remove(stage.owner, id),
        again: async () => (id = await give(group, "ORGANIZATION_OWNER")),
      };
    },
    async "by joining the group"() {
      const group = await stage.addGroup("group");
      await give(group, "ORGANIZATION_OWNER");
      await stage.join(group, user);
      return { undo: () => stage.leave(group, user), again: () => stage.join(group, user) };
    },
    async "by the group that gets into another"() {
      const [outer, inner] = [await stage.addGroup("outer"), await stage.addGroup("inner")];
      await give(outer, "ORGANIZATION_OWNER");
      await stage.join(inner, user);
      await stage.nest(outer, inner);
      const members = { userIds: [], groupIds: [inner] };
      return {
        undo: () => stage.groups.members.remove(stage.owner, outer, members),
        again: () => stage.nest(outer, inner),
      };
    },
    async "by a role that the membership gains"() {
      const group = await stage.addGroup("group");
      await stage.join(group, user);
      const id = await give(group, "ORGANIZATION_VIEWER");
      await stage.memberships.update(stage.owner, id, { roles: ["ORGANIZATION_OWNER"] });
      const update = (role: Role) => () => stage.memberships.update(stage.owner, id, { roles: [role] });
      return { undo: update("ORGANIZATION_VIEWER"), again: update("ORGANIZATION_OWNER") };
    },
  };
  for (const [name, gain] of Object.entries(ways))
    test(name, async () => {
      const weak = await addWeakToken();
      const { id: own } = await stage.addToken({ userId: user, by: "system" });
      const { undo, again } = await gain();
      expect(await carried(own)).toEqual({ isLimited: false, roles: [ownerOn] });
      expect((await carried(weak)).roles).not.toContain(ownerOn);
      expect((await carried(weak)).isLimited).toBe(true);
      await undo();
      expect((await carried(own)).roles).not.toContain(ownerOn);
      await again();
      expect((await carried(weak)).roles).not.toContain(ownerOn);
      expect((await carried(own)).roles).toEqual([ownerOn]);
      const { before, after } = await stage.rebuilt();
      expect(after).toEqual(before);
    });

  test("and forget that when the user leaves, who is checked again on coming back", async () => {
    const weak = await addWeakToken();
    const group = await stage.addGroup("group");
    await give(group, "ORGANIZATION_OWNER");
    await stage.join(group, user);
    const [row] = await stage.log.database.read((tx) =>
      tx.all<{ creator: UserId }>("SELECT creator FROM credentials WHERE id = ?", [weak]),
    );
    await stage.leave(group, user);
    expect(await carried(weak)).toEqual({ isLimited: false, roles: [] });
    // The maker's token carries it by now, so that it counts as made with as much.
    await stage.give(row!.creator, stage.scopes.instance, "INSTANCE_OWNER");
    await stage.join(group, user);
    expect(await carried(weak)).toEqual({ isLimited: false, roles: [ownerOn] });
  });
});

test("a password that others know is worth nothing to a user who comes into the group", async () => {
  const manager = await stage.addUser(stage.home);
  const about = { aggregateId: user, resourceOwner: stage.home };
  const payload = { change_required: false, by: manager };
  await stage.log.append([{ ...about, type: "user.password.set", payload }]);
  const [outer, group] = [await stage.addGroup("outer"), await stage.addGroup("group")];
  await give(outer, "ORGANIZATION_OWNER");
  await give(group, "ORGANIZATION_VIEWER");
  await stage.nest(outer, group);
  await stage.join(group, user);
  const types = (await stage.log.events()).map(({ type }) => type);
  expect(types.filter((type) => type === "user.password.removed")).toHaveLength(1);
  expect(types.indexOf("user.password.removed")).toBeGreaterThan(types.lastIndexOf("group.member.added"));
});

test("who leaves one group of several that have the membership keeps it, and what a token lacks", async () => {
  const weak = await addWeakToken();
  const [outer, one, other] = [
    await stage.addGroup("outer"),
    await stage.addGroup("one"),
    await stage.addGroup("other"),
  ];
  await give(outer, "ORGANIZATION_OWNER");
  await stage.nest(outer, one, other);
  await stage.join(one, user);
  const { length } = await stage.log.events();
  await stage.join(other, user);
  expect(await stage.log.events()).toHaveLength(length + 1); // nothing is gained a second time
  await stage.leave(one, user);
  expect(await heldBy(user)).toEqual([ownerOn]);
  expect(await carried(weak)).toEqual({ isLimited: true, roles: [] });
});

describe("nobody gives by a group what they lack", () => {
  const manager = () => stage.by([stage.onHome("ORGANIZATION_USER_MANAGER")]);

  test("by members, groups in it, their removal, or its end", async () => {
    const [group, inner] = [await stage.addGroup("group"), await stage.addGroup("inner")];
    await stage.join(group, user);
    await give(group, "ORGANIZATION_OWNER");
    const other = await stage.addUser(stage.home);
    const { members } = stage.groups;
    const attempts = [
      members.add(manager(), group, { userIds: [other], groupIds: [] }),
      members.add(manager(), group, { userIds: [], groupIds: [inner] }),
      members.remove(manager(), group, { userIds: [user], groupIds: [] }),
      stage.groups.remove(manager(), group),
    ];
    for (const attempt of attempts) expect(await outcomeOf(attempt)).toBe("PERMISSION_DENIED");
    await stage.nest(group, inner);
    const refused = await problemOf(members.add(manager(), inner, { userIds: [other], groupIds: [] }));
    expect(refused.metadata).toEqual({ permission: "membership.write" });
    expect(await heldBy(other)).toEqual([]);
  });

  test("and memberships of groups need group.write where the group is", async () => {
    const group = await stage.addGroup("group");
    const held: readonly HeldRoles[] = [{ scope: stage.scopes.partner, roles: ["ORGANIZATION_OWNER"] }];
    const scope = { kind: "organization", id: stage.partner } as const;
    const add = (...more: readonly HeldRoles[]) =>
      outcomeOf(
        stage.memberships.add(stage.by([...held, ...more], stage.partner), {
          userId: "",
          groupId: group,
          scope,
          roles: ["ORGANIZATION_OWNER"],
        }),
      );
    expect(await add()).toBe("NOT_FOUND");
    expect(await add(stage.onHome("ORGANIZATION_VIEWER"))).toBe("PERMISSION_DENIED");
    expect(await add(stage.onHome("ORGANIZATION_USER_MANAGER"))).toBe("ok");
    const given = await stage.memberships.list(
      stage.owner,
      { userId: "", groupId: group, scopes: [] },
      { pageSize: 0, pageToken: "", countTotal: false },
    );
    const update = (...more: readonly HeldRoles[]) =>
      outcomeOf(
        stage.memberships.update(stage.by([...held, ...more], stage.partner), given.page.items[0]!.id, {
          roles: ["ORGANIZATION_VIEWER"],
        }),
      );
    expect(await update()).toBe("PERMISSION_DENIED");
    expect(await update(stage.onHome("ORGANIZATION_USER_MANAGER"))).toBe("ok");
  });

  test("a group with a source holds none, itself or by a group around it", async () => {
    const source = { kind: "user", userId: user } as const;
    const [outer, sourced] = [await stage.addGroup("outer"), await stage.addGroup("sourced", source)];
    expect(await outcomeOf(give(sourced, "ORGANIZATION_VIEWER"))).toBe("GROUP_SOURCED");
    const settings = { name: "outer", description: "", externalId: "", source };
    await give(outer, "ORGANIZATION_VIEWER");
    expect(await outcomeOf(stage.groups.update(stage.owner, outer, settings))).toBe("GROUP_SOURCED");
    expect(await outcomeOf(stage.nest(outer, sourced))).toBe("GROUP_SOURCED");
    const third = await stage.addGroup("third");
    await stage.nest(third, sourced);
    expect(await outcomeOf(give(third, "ORGANIZATION_VIEWER"))).toBe("GROUP_SOURCED");
  });
});

describe("a group that administers the instance", () => {
  test("cannot lose the last owner, by whatever way", async () => {
    const group = await stage.addGroup("group");
    const id = await give(group, "INSTANCE_OWNER");
    await stage.join(group, user);
    expect(await heldBy(user)).toEqual(["INSTANCE_OWNER on instance"]);
    const attempts: (() => Promise<unknown>)[] = [
      () => stage.leave(group, user),
      () => stage.groups.remove(stage.owner, group),
      () => stage.memberships.remove(stage.owner, id),
      () => stage.memberships.update(stage.owner, id, { roles: ["INSTANCE_VIEWER"] }),
    ];
    for (const attempt of attempts) expect(await outcomeOf(attempt())).toBe("LAST_INSTANCE_OWNER");
    expect(await heldBy(user)).toEqual(["INSTANCE_OWNER on instance"]);
    const [other] = await addUsers(stage, 1);
    await stage.join(group, other!);
    expect(await outcomeOf(stage.leave(group, user))).toBe("ok");
  });
});

describe("a group with a membership", () => {
  largeTest("has at most 1,000 users in it, at all levels", async () => {
    const [group, inner] = [await stage.addGroup("group"), await stage.addGroup("inner")];
    const about = (aggregateId: string) => ({ aggregateId, resourceOwner: stage.home });
    const users = await addUsers(stage, 1);
    const many = Array.from({ length: 1000 }, (_, number) => toId<UserId>(String(800_000 + number)));
    await stage.log.append(
      many.map((id) => addServiceUser(id, stage.home, serviceProfile({ username: `user-${id}` }))),
    );
    const payload = { user_ids: many, group_ids: [] };
    await stage.log.append([{ type: "group.member.added", ...about(inner), payload }]);
    const scope: Scope = stage.scopes.project;
    const membership = {
      userId: "",
      groupId: inner,
      scope: { kind: "project", id: stage.projectId },
      roles: ["PROJECT_VIEWER"],
    } as const;
    await stage.memberships.add(stage.owner, membership);
    expect(await outcomeOf(stage.join(inner, ...users))).toBe("LIMIT_REACHED");
    expect(await outcomeOf(stage.nest(group, inner))).toBe("ok");
    await stage.join(group, ...users);
    expect(await outcomeOf(stage.memberships.add(stage.owner, { ...membership, groupId: group }))).toBe(
      "LIMIT_REACHED",
    );
    expect(await heldBy("800999")).toEqual([`PROJECT_VIEWER on ${scope.kind}`]);
  });
});
