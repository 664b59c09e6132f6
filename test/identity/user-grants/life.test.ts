import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import {
  createUserGrantCommands,
  type UserGrantCommands,
  type UserGrantName,
} from "../../../src/identity/user-grants/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { newUserGrant } from "../../support/samples.ts";

let fixture: FeatureFixture;
let commands: UserGrantCommands;
let owner: OrganizationId;
let granted: OrganizationId;
let project: ProjectId;
let grant: ProjectGrantId;
let user: UserId;
let grantedUser: UserId;

const permission = "user.grant.write";
const asOwner = () => callAs(owner, { permission });
const asGranted = () => callAs(granted, { permission });
const onProject = (projectId: ProjectId) => {
  const scope = { kind: "project", projectId, organizationId: owner } as const;
  return callAs(owner, { held: [{ scope, roles: ["PROJECT_OWNER"] }], permission });
};
const onGrant = (projectGrantId: ProjectGrantId) => {
  const scope = { kind: "project-grant", projectGrantId, organizationId: granted } as const;
  return callAs(granted, { held: [{ scope, roles: ["PROJECT_GRANT_OWNER"] }], permission });
};

/** Gives the user of the owner roles of its project. */
async function give(...roleKeys: readonly string[]): Promise<UserGrantName> {
  const input = newUserGrant({ userId: user, projectId: project, roleKeys });
  return { userId: user, grantId: (await commands.add(asOwner(), input)).id };
}

/** Gives the user of the other organization roles of the project that was granted to it. */
async function giveOnward(...roleKeys: readonly string[]): Promise<UserGrantName> {
  const input = { userId: grantedUser, projectId: project, projectGrantId: grant, roleKeys };
  return { userId: grantedUser, grantId: (await commands.add(asGranted(), input)).id };
}

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createUserGrantCommands(fixture.context);
});

beforeEach(async () => {
  owner = await fixture.addOrganization();
  granted = await fixture.addOrganization();
  project = await fixture.addProject(owner, ["admin", "reader", "writer"]);
  grant = await fixture.addProjectGrant(project, owner, granted, ["reader", "writer"]);
  user = await fixture.addUser(owner);
  grantedUser = await fixture.addUser(granted);
});

afterAll(() => fixture.close());

describe("update", () => {
  test("replaces the roles, in the order in which each comes first", async () => {
    const name = await give("admin", "reader");
    const before = await commands.get(asOwner(), name);
    const details = await commands.update(asOwner(), name, { roleKeys: ["writer", "reader", "writer"] });
    expect(details).toEqual({ ...before.details, sequence: details.sequence });
    expect(details.sequence).toBeGreaterThan(before.details.sequence);
    expect(await commands.get(asOwner(), name)).toEqual({
      ...before,
      details,
      roleKeys: ["writer", "reader"],
    });
    expect((await fixture.events(name.grantId))[1]).toMatchObject({
      type: "user_grant.changed",
      resource_owner: owner,
      payload: { role_keys: ["writer", "reader"] },
    });
  });

  test("takes all roles away, and gives them back", async () => {
    const name = await give("reader");
    await commands.update(asOwner(), name, { roleKeys: [] });
    expect((await commands.get(asOwner(), name)).roleKeys).toEqual([]);
    await commands.update(asOwner(), name, { roleKeys: ["reader"] });
    expect((await commands.get(asOwner(), name)).roleKeys).toEqual(["reader"]);
  });

  test("records nothing for the same roles in the same order, repeated ones or not", async () => {
    const name = await give("writer", "reader");
    const { details } = await commands.get(asOwner(), name);
    expect(await commands.update(asOwner(), name, { roleKeys: ["writer", "reader", "writer"] })).toEqual(
      details,
    );
    expect(await fixture.events(name.grantId)).toHaveLength(1);
    await commands.update(asOwner(), name, { roleKeys: ["reader", "writer"] });
    expect(await fixture.events(name.grantId)).toHaveLength(2);
  });

  test("changes an inactive grant too, which stays inactive", async () => {
    const name = await give("reader");
    await commands.deactivate(asOwner(), name);
    await commands.update(asOwner(), name, { roleKeys: ["writer"] });
    expect(await commands.get(asOwner(), name)).toMatchObject({ state: "INACTIVE", roleKeys: ["writer"] });
  });

  test("gives roles of the project only, and with a project grant only its roles", async () => {
    const ofOwner = await give("reader");
    const ofGranted = await giveOnward("reader");
    const count = await fixture.eventCount();
    await expect(commands.update(asOwner(), ofOwner, { roleKeys: ["reader", "x"] })).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "role", name: "x" },
    });
    await expect(commands.update(asGranted(), ofGranted, { roleKeys: ["admin"] })).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "role", name: "admin" },
    });
    expect(await fixture.eventCount()).toBe(count);
    await commands.update(asOwner(), ofOwner, { roleKeys: ["admin"] });
    await commands.update(asGranted(), ofGranted, { roleKeys: ["writer"] });
    expect((await commands.get(asGranted(), ofGranted)).roleKeys).toEqual(["writer"]);
  });
});

describe("deactivate and reactivate", () => {
  test("take a grant out of use and into use again", async () => {
    const name = await give("reader");
    const added = await commands.get(asOwner(), name);
    const stopped = await commands.deactivate(asOwner(), name);
    expect(await commands.get(asOwner(), name)).toEqual({ ...added, state: "INACTIVE", details: stopped });
    const started = await commands.reactivate(asOwner(), name);
    expect(started.sequence).toBeGreaterThan(stopped.sequence);
    expect(await commands.get(asOwner(), name)).toEqual({ ...added, details: started });
  });

  test("record nothing when the grant is in that state", async () => {
    const name = await give("reader");
    const { details } = await commands.get(asOwner(), name);
    expect(await commands.reactivate(asOwner(), name)).toEqual(details);
    const stopped = await commands.deactivate(asOwner(), name);
    expect(await commands.deactivate(asOwner(), name)).toEqual(stopped);
    expect((await fixture.events(name.grantId)).map(({ type }) => type)).toEqual([
      "user_grant.added",
      "user_grant.deactivated",
    ]);
  });
});

describe("remove", () => {
  test("removes the grant with its roles, and answers where the removal stands", async () => {
    const name = await give("reader", "writer");
    const added = await commands.get(asOwner(), name);
    const { details } = await commands.remove(asOwner(), name);
    expect(details).toEqual({ ...added.details, sequence: details.sequence });
    expect((await fixture.events(name.grantId)).at(-1)).toMatchObject({
      type: "user_grant.removed",
      sequence: details.sequence,
    });
    await expect(commands.get(asOwner(), name)).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(commands.remove(asOwner(), name)).rejects.toMatchObject({ reason: "NOT_FOUND" });
    const roles = await fixture.database.read((tx) =>
      tx.all("SELECT role_key FROM user_grant_roles WHERE user_grant_id = ?", [name.grantId]),
    );
    expect(roles).toEqual([]);
  });

  test("lets the user be given another grant for the same project", async () => {
    const name = await give("reader");
    await commands.remove(asOwner(), name);
    expect((await give("reader")).grantId).not.toBe(name.grantId);
  });
});

describe("removeAll", () => {
  test("removes grants of several users in one go, with consecutive sequences", async () => {
    const first = await give("reader");
    const other = await fixture.addUser(owner);
    const input = newUserGrant({ userId: other, projectId: project, roleKeys: ["writer"] });
    const second = { userId: other, grantId: (await commands.add(asOwner(), input)).id };
    const { details } = await commands.removeAll(asOwner(), [second.grantId, first.grantId]);
    expect(details).toEqual({
      sequence: details.sequence,
      creationDate: details.sequence,
      resourceOwner: owner,
    });
    const removals = await Promise.all(
      [second, first].map(async (name) => (await fixture.events(name.grantId)).at(-1)),
    );
    expect(removals).toMatchObject([
      { type: "user_grant.removed", sequence: details.sequence - 1, date: details.sequence },
      { type: "user_grant.removed", sequence: details.sequence, date: details.sequence },
    ]);
    for (const name of [first, second])
      await expect(commands.get(asOwner(), name)).rejects.toMatchObject({ reason: "NOT_FOUND" });
  });

  test.each<[string, () => Promise<string>]>([
    ["never existed", async () => "4711"],
    ["is ill-formed", async () => "x' OR 1=1 --"],
    ["is of another organization", async () => (await giveOnward("reader")).grantId],
  ])("removes nothing when one %s, and names it", async (_name, makeId) => {
    const name = await give("reader");
    const id = await makeId();
    const count = await fixture.eventCount();
    await expect(commands.removeAll(asOwner(), [name.grantId, id])).rejects.toMatchObject({
      kind: "not-found",
      reason: "NOT_FOUND",
      resource: { type: "user_grant", name: id },
    });
    expect(await fixture.eventCount()).toBe(count);
    expect((await commands.get(asOwner(), name)).roleKeys).toEqual(["reader"]);
  });

  test("names the first of several that are not there", async () => {
    const name = await give();
    await expect(commands.removeAll(asOwner(), ["4713", name.grantId, "4711", "4712"])).rejects.toMatchObject(
      { resource: { type: "user_grant", name: "4713" } },
    );
  });
});

describe("who may not see a grant may not change it", () => {
  const changes: readonly [
    string,
    (call: ReturnType<typeof asOwner>, name: UserGrantName) => Promise<unknown>,
  ][] = [
    ["update", (call, name) => commands.update(call, name, { roleKeys: [] })],
    ["deactivate", (call, name) => commands.deactivate(call, name)],
    ["reactivate", (call, name) => commands.reactivate(call, name)],
    ["remove", (call, name) => commands.remove(call, name)],
    ["removeAll", (call, name) => commands.removeAll(call, [name.grantId])],
  ];

  test.each(changes.filter(([name]) => name !== "removeAll"))(
    "%s answers NOT_FOUND for a grant under another user's path",
    async (_name, change) => {
      const { grantId } = await give("reader");
      const other = await fixture.addUser(owner);
      await expect(change(asOwner(), { userId: other, grantId })).rejects.toMatchObject({
        reason: "NOT_FOUND",
        resource: { type: "user_grant", name: grantId },
      });
      expect(await fixture.events(grantId)).toHaveLength(1);
    },
  );

  test.each(changes)("%s is closed to roles on another project or project grant", async (_name, change) => {
    const elsewhere = await fixture.addProject(owner);
    const names = [await give("reader"), await giveOnward("reader")] as const;
    const refused = [
      change(onProject(elsewhere), names[0]),
      change(onProject(project), names[1]),
      change(onGrant(toId("4711")), names[1]),
      change(onGrant(grant), names[0]),
    ];
    for (const each of refused) await expect(each).rejects.toMatchObject({ reason: "NOT_FOUND" });
    for (const { grantId } of names) expect(await fixture.events(grantId)).toHaveLength(1);
  });

  test.each(changes)("%s is open to roles on the project or project grant itself", async (name, change) => {
    for (const [call, each] of [
      [onProject(project), await give("reader")],
      [onGrant(grant), await giveOnward("reader")],
    ] as const) {
      await change(call, each);
      expect(await fixture.events(each.grantId)).toHaveLength(name === "reactivate" ? 1 : 2);
    }
  });
});

test("add judges the reach of the caller by what they hold inside of the write", async () => {
  const elsewhere: HeldRoles = {
    scope: { kind: "organization", organizationId: granted },
    roles: ["ORGANIZATION_VIEWER"],
  };
  const begun = asOwner();
  const held = begun.caller.held;
  const call = { ...begun, caller: { ...begun.caller, held: [...held, elsewhere] } };
  const input = newUserGrant({ userId: grantedUser, projectId: project });
  await expect(commands.add({ ...call, confirm: async () => held }, input)).rejects.toMatchObject({
    reason: "NOT_FOUND",
    resource: { type: "user", name: grantedUser },
  });
  expect((await commands.add(call, input)).details.resourceOwner).toBe(owner);
});
