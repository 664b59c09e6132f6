import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { GroupId, UserId } from "../../../src/kernel/base/ids.ts";
import {
  isConnected,
  listRolesInEffect,
} from "../../../src/identity/user-grants/effective-role-repository.ts";
import { createGroupServiceCommands } from "../../../src/identity/group-service/commands.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { addUsers, type GroupStage, openGroupStage } from "./stage.ts";

// What grants to groups give their members.

let stage: GroupStage;
let user: UserId;

beforeEach(async () => {
  stage = await openGroupStage();
  user = await stage.addUser(stage.home);
  await stage.addRoles(stage.projectId, "reader", "writer");
});

afterEach(() => stage.close());

const grant = async (groupId: string, ...roleKeys: readonly string[]) =>
  (
    await stage.groups.grants.add(stage.owner, {
      groupId,
      projectId: stage.projectId,
      projectGrantId: "",
      roleKeys,
    })
  ).id;

async function listEffective(userId: string = user) {
  const asked = { userId, projectId: "", organizationId: "" };
  const page = { pageSize: 0, pageToken: "", countTotal: true };
  const listed = await stage.userGrants.listEffective(stage.owner, asked, page);
  expect(listed.page.totalResult).toBe(listed.page.items.length);
  return listed.page.items.map(({ id, groupId, roleKeys }) => ({ id, groupId, roleKeys }));
}

/** What tokens tell. */
async function listTold(userId: string = user) {
  const rows = await stage.log.database.read((tx) => listRolesInEffect(tx, userId, [stage.projectId]));
  return rows.flatMap(({ roleKeys }) => roleKeys);
}

const isUserConnected = (homeId: string = stage.home) =>
  stage.log.database.read((tx) => isConnected(tx, { userId: user, homeId, projectId: stage.projectId }));

/** Gives the group a role, and counts what that takes. */
async function countGiving(groupId: string) {
  let statements = 0;
  const { context, database } = stage.log;
  const count = <T extends object>(tx: T) =>
    new Proxy(tx, {
      get(target, property) {
        if (["get", "all", "run", "change"].includes(String(property))) statements += 1;
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  const counting: typeof database = {
    ...database,
    write: (work, options) => database.write((tx) => work(count(tx)), options),
  };
  const before = (await stage.log.events()).length;
  await createGroupServiceCommands({ ...context, database: counting }).grants.add(stage.owner, {
    groupId,
    projectId: stage.projectId,
    projectGrantId: "",
    roleKeys: ["reader"],
  });
  return { statements, events: (await stage.log.events()).length - before };
}

describe("a group grant", () => {
  test("gives the members its roles at once, beside their own, and says by which group", async () => {
    const group = await stage.addGroup("group");
    const own = await stage.userGrants.add(stage.owner, {
      userId: user,
      projectId: stage.projectId,
      projectGrantId: "",
      roleKeys: ["reader"],
    });
    const id = await grant(group, "writer", "reader");
    expect(await listEffective()).toHaveLength(1);
    await stage.join(group, user);
    expect(await listEffective()).toEqual([
      { id: own.id, groupId: "", roleKeys: ["reader"] },
      { id, groupId: group, roleKeys: ["writer", "reader"] },
    ]);
    expect(await listTold()).toEqual(["reader", "writer", "reader"]);
    await stage.leave(group, user);
    expect(await listEffective()).toHaveLength(1);
    expect(await listTold()).toEqual(["reader"]);
  });

  test("follows what becomes of it and of what it rests on", async () => {
    const group = await stage.addGroup("group");
    const grantId = await grant(group, "writer", "reader");
    await stage.join(group, user);
    const name = { groupId: group, grantId };
    const { grants } = stage.groups;
    await grants.update(stage.owner, name, { roleKeys: ["reader"] });
    expect(await listTold()).toEqual(["reader"]);
    await grants.deactivate(stage.owner, name);
    expect(await listTold()).toEqual([]);
    await grants.reactivate(stage.owner, name);
    const project = { aggregateId: stage.projectId, resourceOwner: stage.home };
    await stage.log.append([{ type: "project.deactivated", ...project, payload: {} }]);
    expect(await listTold()).toEqual([]);
    await stage.log.append([{ type: "project.reactivated", ...project, payload: {} }]);
    expect(await listTold()).toEqual(["reader"]);
    await stage.log.append([{ type: "project.role.removed", ...project, payload: { role_key: "reader" } }]);
    expect(await listTold()).toEqual([]);
    expect(await grants.get(stage.owner, name)).toMatchObject({ roleKeys: [], state: "ACTIVE" });
    await grants.remove(stage.owner, name);
    expect(await outcomeOf(grants.get(stage.owner, name))).toBe("NOT_FOUND");
    const { before, after } = await stage.rebuilt();
    expect(after).toEqual(before);
  });

  test("is one event, and as many statements for many members as for one; groups that come into the group later have its roles, too", async () => {
    const [outer, inner] = [await stage.addGroup("outer"), await stage.addGroup("inner")];
    await stage.nest(outer, inner);
    const few = await countGiving(outer);
    expect(await listTold()).toEqual([]);
    await stage.join(outer, user);
    expect(await listTold()).toEqual(["reader"]);
    const large = await stage.addGroup("large");
    await stage.join(large, ...(await addUsers(stage, 40)));
    expect(await countGiving(large)).toEqual(few);
    expect(few.events).toBe(1);
    const [late, member] = [await stage.addGroup("late"), (await addUsers(stage, 1))[0]!];
    await stage.join(late, member);
    await stage.nest(inner, late);
    expect(await listTold(member)).toEqual(["reader"]);
  });

  test("is one for each project and group, with roles that there are", async () => {
    const group = await stage.addGroup("group");
    expect((await problemOf(grant(group, "admin"))).resource?.type).toBe("role");
    await grant(group, "reader");
    expect(await outcomeOf(grant(group, "writer"))).toBe("ALREADY_EXISTS");
    expect(await outcomeOf(grant("5", "writer"))).toBe("NOT_FOUND");
    const { projectId, projectGrantId } = stage;
    const asked = { groupId: group, projectId, roleKeys: [] };
    const elsewhere = stage.by(stage.owner.caller.held, stage.partner);
    const add = (asking: typeof elsewhere, id: string) =>
      outcomeOf(stage.groups.grants.add(asking, { ...asked, projectGrantId: id }));
    expect(await add(elsewhere, "")).toBe("PROJECT_GRANT_REQUIRED");
    expect(await add(stage.owner, projectGrantId)).toBe("PROJECT_GRANT_NOT_ALLOWED");
    expect(await add(elsewhere, projectGrantId)).toBe("ok");
  });

  test("needs group.write where the group is, beside user.grant.write", async () => {
    const group = await stage.addGroup("group");
    const ofProject = { scope: stage.scopes.project, roles: ["PROJECT_OWNER"] } as const;
    const asked = { groupId: group, projectId: stage.projectId, projectGrantId: "", roleKeys: [] };
    const add = (...held: Parameters<typeof stage.by>[0]) =>
      outcomeOf(stage.groups.grants.add(stage.by(held), asked));
    expect(await add(ofProject)).toBe("NOT_FOUND");
    expect(await add(ofProject, stage.onHome("ORGANIZATION_VIEWER"))).toBe("PERMISSION_DENIED");
    expect(await add(ofProject, stage.onHome("ORGANIZATION_USER_MANAGER"))).toBe("ok");
  });

  test("connects the user with the project if it was given at home, or by somebody who could there", async () => {
    const group = await stage.addGroup("group");
    await stage.join(group, user);
    expect(await isUserConnected()).toBe(false);
    const { projectId, projectGrantId } = stage;
    const asked = { groupId: group, projectId, projectGrantId, roleKeys: ["reader"] };
    await stage.log.append([
      {
        type: "project_grant.changed",
        aggregateId: projectGrantId,
        resourceOwner: stage.home,
        payload: { role_keys: ["reader"] },
      },
    ]);
    const grantFrom = async (...held: Parameters<typeof stage.by>[0]) => {
      const { id } = await stage.groups.grants.add(stage.by(held, stage.partner), asked);
      const connected = await isUserConnected();
      await stage.groups.grants.remove(stage.by(held, stage.partner), { groupId: group, grantId: id });
      return connected;
    };
    const ofPartner = { scope: stage.scopes.partner, roles: ["ORGANIZATION_OWNER"] } as const;
    expect(await grantFrom(ofPartner, stage.onHome("ORGANIZATION_USER_MANAGER"))).toBe(true);
    await grant(group, "reader");
    expect(await isUserConnected()).toBe(true);
  });
});

test("members have what every group above has, once, as a plain model says", async () => {
  const users = await addUsers(stage, 2);
  const groups: GroupId[] = [];
  for (let number = 0; number < 4; number += 1) groups.push(await stage.addGroup(`group ${number}`));
  for (const group of groups) await grant(group, "reader");
  const links = fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(3)), { selector: String, maxLength: 10 });
  // Members 0 to 3 are groups, each in later ones only, 4 and 5 users.
  const check = async (drawn: readonly (readonly [number, number])[]) => {
    const used = drawn.filter(([member, group]) => member > 3 || member < group);
    const change = async (to: "add" | "remove") => {
      for (const [member, group] of used) {
        const members = {
          userIds: member > 3 ? [users[member - 4]!] : [],
          groupIds: member > 3 ? [] : [groups[member]!],
        };
        await stage.groups.members[to](stage.owner, groups[group]!, members);
      }
    };
    await change("add");
    for (const [at, userId] of users.entries()) {
      const found = new Set([at + 4]);
      for (const member of found) for (const [from, to] of used) if (from === member) found.add(to);
      const expected = [...found].filter((member) => member < 4).map((number) => String(groups[number]));
      const listed = (await listEffective(userId)).map(({ groupId }) => groupId);
      expect(listed.toSorted()).toEqual(expected.toSorted());
      expect(await listTold(userId)).toHaveLength(expected.length);
    }
    await change("remove");
  };
  await fc.assert(fc.asyncProperty(links, check), { numRuns: 25 });
});
