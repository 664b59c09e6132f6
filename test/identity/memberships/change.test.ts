import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { MembershipId, UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role, Scope } from "../../../src/kernel/base/permission.ts";
import {
  createMembershipCommands,
  type MembershipCommands,
} from "../../../src/identity/memberships/commands.ts";
import { listHeldRoles } from "../../../src/identity/held-roles/repository.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";

let setup: Setup;
let commands: MembershipCommands;

beforeEach(async () => {
  setup = await openSetup();
  commands = createMembershipCommands(setup.log.context, instanceId);
});

afterEach(() => setup.close());

const callOn = (scope: Scope, ...roles: readonly Role[]): Call => callBy(setup.home, { scope, roles });
const instanceOwner = () => callOn(setup.scopes.instance, "INSTANCE_OWNER");
const homeOwner = () => callOn(setup.scopes.home, "ORGANIZATION_OWNER");
const heldBy = (userId: UserId): Promise<readonly HeldRoles[]> =>
  setup.log.database.read((tx) => listHeldRoles(tx, userId));
const eventCount = async () => (await setup.log.events()).length;

const denied = (permission: string, organizationId: string) => ({
  reason: "PERMISSION_DENIED",
  metadata: { permission, organization_id: organizationId },
});
const notFound = (id: string) => ({ reason: "NOT_FOUND", resource: { type: "membership", name: id } });

/** Both ways to change a membership; the update gives back the roles that it names. */
const changes = [
  ["update", (call: Call, id: string, roles: readonly string[]) => commands.update(call, id, { roles })],
  ["remove", (call: Call, id: string) => commands.remove(call, id)],
] as const;

describe("update", () => {
  test("replaces the roles at once, keeps their order, and counts each once", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
    const details = await commands.update(homeOwner(), id, {
      roles: ["ORGANIZATION_USER_MANAGER", "ORGANIZATION_PROJECT_MANAGER", "ORGANIZATION_USER_MANAGER"],
    });
    expect(await heldBy(setup.userId)).toEqual([
      { scope: setup.scopes.home, roles: ["ORGANIZATION_USER_MANAGER", "ORGANIZATION_PROJECT_MANAGER"] },
    ]);
    const event = (await setup.log.events()).at(-1);
    expect(event).toMatchObject({
      type: "membership.changed",
      aggregate_id: id,
      sequence: details.sequence,
      resource_owner: setup.home,
    });
    expect(details.creationDate).toBeLessThan(details.sequence);
    expect(details.resourceOwner).toBe(setup.home);
  });

  test("with the roles that it has records nothing and answers the stored details", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
    const first = await commands.update(homeOwner(), id, { roles: ["ORGANIZATION_OWNER"] });
    const before = await eventCount();
    const again = await commands.update(homeOwner(), id, {
      roles: ["ORGANIZATION_OWNER", "ORGANIZATION_OWNER"],
    });
    expect(again).toEqual(first);
    expect(await eventCount()).toBe(before);
  });

  test.each<[keyof Setup["scopes"], Role, string]>([
    ["instance", "INSTANCE_VIEWER", "ORGANIZATION_OWNER"],
    ["home", "ORGANIZATION_VIEWER", "INSTANCE_OWNER"],
    ["project", "PROJECT_VIEWER", "ORGANIZATION_OWNER"],
    ["grant", "PROJECT_GRANT_OWNER", "PROJECT_OWNER"],
  ])("refuses roles that do not fit the scope %s", async (scope, role, other) => {
    const id = await setup.give(setup.userId, setup.scopes[scope], role);
    await expect(commands.update(instanceOwner(), id, { roles: [role, other] })).rejects.toMatchObject({
      reason: "FIELD_INVALID",
      violations: [{ field: "roles[1]" }],
    });
    expect(await heldBy(setup.userId)).toEqual([{ scope: setup.scopes[scope], roles: [role] }]);
  });
});

describe("remove", () => {
  test("takes the roles away at once, and frees the scope for another membership", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
    const { details } = await commands.remove(homeOwner(), id);
    expect(await heldBy(setup.userId)).toEqual([]);
    expect((await setup.log.events()).at(-1)).toMatchObject({
      type: "membership.removed",
      aggregate_id: id,
      sequence: details.sequence,
    });
    await commands.add(homeOwner(), {
      userId: setup.userId,
      scope: { kind: "organization", id: setup.home },
      roles: ["ORGANIZATION_VIEWER"],
    });
    await expect(commands.remove(homeOwner(), id)).rejects.toMatchObject(notFound(id));
  });
});

describe.each(changes)("%s", (_name, change) => {
  test("is for those who hold membership.write on the scope; it is not there for all others", async () => {
    const { scopes, userId } = setup;
    const next = await setup.addProject(setup.home);
    const given = {
      home: await setup.give(userId, scopes.home, "ORGANIZATION_VIEWER"),
      project: await setup.give(userId, scopes.project, "PROJECT_VIEWER"),
      grant: await setup.give(userId, scopes.grant, "PROJECT_GRANT_OWNER"),
    };
    const partnerOwner = callOn(scopes.partner, "ORGANIZATION_OWNER");
    const outside: readonly (readonly [Call, MembershipId, string])[] = [
      [partnerOwner, given.home, "ORGANIZATION_VIEWER"],
      [callOn(scopes.project, "PROJECT_OWNER"), given.home, "ORGANIZATION_VIEWER"],
      [callOn(scopes.home, "ORGANIZATION_VIEWER"), given.home, "ORGANIZATION_VIEWER"],
      [
        callOn({ kind: "project", projectId: next, organizationId: setup.home }, "PROJECT_OWNER"),
        given.project,
        "PROJECT_VIEWER",
      ],
      [partnerOwner, given.project, "PROJECT_VIEWER"],
      [homeOwner(), given.grant, "PROJECT_GRANT_OWNER"],
    ];
    const before = await eventCount();
    for (const [call, id, role] of outside)
      await expect(change(call, id, [role])).rejects.toMatchObject(notFound(id));
    await expect(change(homeOwner(), "9", ["ORGANIZATION_VIEWER"])).rejects.toMatchObject(notFound("9"));
    expect(await eventCount()).toBe(before);
    await expect(change(partnerOwner, given.grant, ["PROJECT_GRANT_OWNER"])).resolves.toBeDefined();
    await expect(
      change(callOn(scopes.project, "PROJECT_OWNER"), given.project, ["PROJECT_VIEWER"]),
    ).resolves.toBeDefined();
  });

  test("is judged by what the caller holds inside of the write", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
    const lost: Call = { ...homeOwner(), confirm: () => Promise.resolve([]) };
    await expect(change(lost, id, ["ORGANIZATION_VIEWER"])).rejects.toMatchObject(notFound(id));
  });

  test("of one's own membership needs the permission too", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
    const held = await heldBy(setup.userId);
    const call = callBy(setup.home, ...held, { scope: setup.scopes.project, roles: ["PROJECT_OWNER"] });
    const own: Call = { ...call, caller: { ...call.caller, userId: setup.userId } };
    await expect(change(own, id, ["ORGANIZATION_VIEWER"])).rejects.toMatchObject(notFound(id));
  });
});

describe("a permission that the caller lacks", () => {
  // In the role table whoever holds membership.write on a scope holds all that its roles do. The rule stands for tables
  // to come, so this caller holds on an organization what only the owner of a project can hold.
  const weak = () => callOn(setup.scopes.home, "PROJECT_OWNER");
  const missing = () => denied("organization.read", setup.home);

  test.each(changes)("is not taken away by %s, which names it", async (_name, change) => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER");
    const before = await eventCount();
    await expect(change(weak(), id, ["ORGANIZATION_VIEWER"])).rejects.toMatchObject(missing());
    expect(await eventCount()).toBe(before);
  });

  test("is not handed out by an update, which names it", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "PROJECT_OWNER");
    await expect(commands.update(weak(), id, { roles: ["ORGANIZATION_VIEWER"] })).rejects.toMatchObject(
      missing(),
    );
    expect(await heldBy(setup.userId)).toMatchObject([{ roles: ["PROJECT_OWNER"] }]);
  });
});

describe("the last active owner of the instance", () => {
  const lastOwner = { reason: "LAST_INSTANCE_OWNER" };

  test.each(changes)("is kept by %s", async (_name, change) => {
    const id = await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    await expect(change(instanceOwner(), id, ["INSTANCE_VIEWER"])).rejects.toMatchObject(lastOwner);
    expect(await heldBy(setup.userId)).toMatchObject([{ roles: ["INSTANCE_OWNER"] }]);
  });

  test.each(changes)("may go by %s once there is another one", async (_name, change) => {
    const id = await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    await setup.give(setup.partnerUserId, setup.scopes.instance, "INSTANCE_OWNER");
    await expect(change(instanceOwner(), id, ["INSTANCE_VIEWER"])).resolves.toBeDefined();
  });

  test.each(changes)(
    "is not replaced by one in an organization that is not active: %s",
    async (_name, change) => {
      const id = await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
      await setup.give(setup.partnerUserId, setup.scopes.instance, "INSTANCE_OWNER");
      await setup.log.run("UPDATE stored_organizations SET state = 'INACTIVE' WHERE id = ?", [setup.partner]);
      await expect(change(instanceOwner(), id, ["INSTANCE_VIEWER"])).rejects.toMatchObject(lastOwner);
    },
  );

  test("may get more roles, and a viewer beside them may go", async () => {
    const id = await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    const viewerId = await setup.give(setup.partnerUserId, setup.scopes.instance, "INSTANCE_VIEWER");
    await commands.update(instanceOwner(), id, { roles: ["INSTANCE_VIEWER", "INSTANCE_OWNER"] });
    await commands.remove(instanceOwner(), viewerId);
    expect(await heldBy(setup.userId)).toMatchObject([{ roles: ["INSTANCE_VIEWER", "INSTANCE_OWNER"] }]);
    expect(await heldBy(setup.partnerUserId)).toEqual([]);
  });
});
