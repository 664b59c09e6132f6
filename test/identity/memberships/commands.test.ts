import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import {
  createMembershipCommands,
  type MembershipCommands,
} from "../../../src/identity/memberships/commands.ts";
import type { ScopeName } from "../../../src/identity/memberships/membership.ts";
import { listHeldRoles } from "../../../src/identity/held-roles/repository.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";

let setup: Setup;
let commands: MembershipCommands;

beforeEach(async () => {
  setup = await openSetup();
  commands = createMembershipCommands(setup.log.context, instanceId);
});

afterEach(() => setup.close());

const instanceOwner = (): Call =>
  callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
const homeOwner = (): Call => callBy(setup.home, { scope: setup.scopes.home, roles: ["ORGANIZATION_OWNER"] });
const callOn = (scope: HeldRoles["scope"], ...roles: readonly Role[]) => callBy(setup.home, { scope, roles });

const add = (call: Call, scope: ScopeName, role: Role, userId: string = setup.userId) =>
  commands.add(call, { userId, scope, roles: [role] });
const heldBy = (userId: UserId) => setup.log.database.read((tx) => listHeldRoles(tx, userId));
const onHome = (): ScopeName => ({ kind: "organization", id: setup.home });
const onProject = (): ScopeName => ({ kind: "project", id: setup.projectId });
const onGrant = (): ScopeName => ({ kind: "project-grant", id: setup.projectGrantId });

const denied = { reason: "PERMISSION_DENIED" };
const notFound = (type: string, name: string) => ({ reason: "NOT_FOUND", resource: { type, name } });

describe("add", () => {
  test.each([
    ["the instance", (): ScopeName => ({ kind: "instance" }), "INSTANCE_VIEWER", () => instanceId],
    ["an organization", onHome, "ORGANIZATION_OWNER", () => setup.home],
    ["a project", onProject, "PROJECT_OWNER", () => setup.home],
    ["a project grant", onGrant, "PROJECT_GRANT_OWNER", () => setup.partner],
  ] as const)("gives roles on %s, owned by whom it belongs to", async (_what, scope, role, owner) => {
    const { details } = await add(instanceOwner(), scope(), role);
    expect(details).toEqual({
      sequence: details.sequence,
      creationDate: details.sequence,
      resourceOwner: owner(),
    });
    expect(await heldBy(setup.userId)).toMatchObject([{ scope: { kind: scope().kind }, roles: [role] }]);
  });

  test("takes effect with all roles at once, each once", async () => {
    await commands.add(instanceOwner(), {
      userId: setup.userId,
      scope: onHome(),
      roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"],
    });
    expect(await heldBy(setup.userId)).toMatchObject([
      { roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"] },
    ]);
  });

  test("refuses a second membership on the scope, whatever its roles", async () => {
    await add(instanceOwner(), onHome(), "ORGANIZATION_VIEWER");
    await expect(add(instanceOwner(), onHome(), "ORGANIZATION_OWNER")).rejects.toMatchObject({
      reason: "ALREADY_EXISTS",
      resource: { type: "membership", name: setup.userId },
    });
    expect(await heldBy(setup.userId)).toMatchObject([{ roles: ["ORGANIZATION_VIEWER"] }]);
  });
});

describe("the memberships of a user", () => {
  const count = async () => (await heldBy(setup.userId)).length;
  /** Stores memberships on organizations, as that many calls would leave them. */
  const store = (total: number) =>
    setup.log.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO stored_memberships (id, sequence, creation_date, resource_owner, user_id, scope_kind, scope_id, roles)
         SELECT '9' || i, 1, 1, '9' || i, ?, 'organization', '9' || i, '["ORGANIZATION_VIEWER"]' FROM n`,
        [total, setup.userId],
      ),
    );

  test("are at most 1,000: every call of theirs reads all of them", async () => {
    await store(999);
    await add(instanceOwner(), onHome(), "ORGANIZATION_VIEWER");
    await expect(add(instanceOwner(), onProject(), "PROJECT_VIEWER")).rejects.toMatchObject({
      reason: "LIMIT_REACHED",
      metadata: { type: "membership", limit: "1000" },
    });
    expect(await count()).toBe(1000);
    await expect(add(instanceOwner(), onHome(), "ORGANIZATION_VIEWER")).rejects.toMatchObject({
      reason: "ALREADY_EXISTS",
    });
  });

  test("are counted for each user alone", async () => {
    await store(1000);
    await expect(
      add(instanceOwner(), onHome(), "ORGANIZATION_VIEWER", setup.partnerUserId),
    ).resolves.toBeDefined();
  });
});

describe("who may give roles", () => {
  test.each([
    ["INSTANCE_VIEWER", () => setup.scopes.instance],
    ["ORGANIZATION_VIEWER", () => setup.scopes.home],
    ["ORGANIZATION_USER_MANAGER", () => setup.scopes.home],
    ["ORGANIZATION_PROJECT_MANAGER", () => setup.scopes.home],
    ["ORGANIZATION_OWNER", () => setup.scopes.partner],
    ["PROJECT_OWNER", () => setup.scopes.project],
  ] as const)("on an organization is not %s of elsewhere or of less", async (role, scope) => {
    await expect(add(callOn(scope(), role), onHome(), "ORGANIZATION_VIEWER")).rejects.toMatchObject(denied);
    expect(await heldBy(setup.userId)).toEqual([]);
  });

  test("on the instance is not the owner of an organization", async () => {
    await expect(add(homeOwner(), { kind: "instance" }, "INSTANCE_VIEWER")).rejects.toMatchObject(denied);
  });

  test("on a project is its owner, who gives no more than they hold", async () => {
    const call = callOn(setup.scopes.project, "PROJECT_OWNER");
    await expect(add(call, onProject(), "PROJECT_OWNER")).resolves.toBeDefined();
    await expect(add(call, onHome(), "ORGANIZATION_OWNER")).rejects.toMatchObject(denied);
  });

  test("on a project is not its owner for roles that hold more than they do", async () => {
    const call = callOn(setup.scopes.project, "PROJECT_OWNER");
    for (const role of ["INSTANCE_OWNER", "ORGANIZATION_OWNER", "ORGANIZATION_PROJECT_MANAGER"] as const) {
      await expect(add(call, onProject(), role)).rejects.toMatchObject(denied);
    }
    expect(await heldBy(setup.userId)).toEqual([]);
  });

  test("on a project is not its viewer, nor the owner of another one: it is not there for them", async () => {
    const next = await setup.addProject(setup.home);
    const scope: ScopeName = { kind: "project", id: next };
    for (const call of [
      callOn(setup.scopes.project, "PROJECT_OWNER"),
      callOn({ kind: "project", projectId: next, organizationId: setup.home }, "PROJECT_VIEWER"),
      callOn(setup.scopes.partner, "ORGANIZATION_OWNER"),
    ]) {
      await expect(add(call, scope, "PROJECT_VIEWER")).rejects.toMatchObject(notFound("project", next));
    }
    await expect(add(homeOwner(), { kind: "project", id: "9" }, "PROJECT_VIEWER")).rejects.toMatchObject(
      notFound("project", "9"),
    );
  });

  test("on a project grant is the organization it is made to, not the owner of the project", async () => {
    await expect(add(homeOwner(), onGrant(), "PROJECT_GRANT_OWNER")).rejects.toMatchObject(
      notFound("project_grant", setup.projectGrantId),
    );
    const partnerOwner = callOn(setup.scopes.partner, "ORGANIZATION_OWNER");
    await expect(
      add(partnerOwner, onGrant(), "PROJECT_GRANT_OWNER", setup.partnerUserId),
    ).resolves.toBeDefined();
  });
});

describe("whom roles may be given to", () => {
  test("is a user of the organization of the scope", async () => {
    await expect(
      add(callOn(setup.scopes.project, "PROJECT_OWNER"), onProject(), "PROJECT_VIEWER"),
    ).resolves.toBeDefined();
  });

  test("is not a user of an organization where the caller may not read users; they are not there for them", async () => {
    await expect(
      add(homeOwner(), onHome(), "ORGANIZATION_VIEWER", setup.partnerUserId),
    ).rejects.toMatchObject(notFound("user", setup.partnerUserId));
    await expect(add(homeOwner(), onHome(), "ORGANIZATION_VIEWER", "9")).rejects.toMatchObject(
      notFound("user", "9"),
    );
  });

  test("is a user of an organization where the caller may read users", async () => {
    const call = callBy(
      setup.home,
      { scope: setup.scopes.home, roles: ["ORGANIZATION_OWNER"] },
      { scope: setup.scopes.partner, roles: ["ORGANIZATION_VIEWER"] },
    );
    await expect(add(call, onHome(), "ORGANIZATION_VIEWER", setup.partnerUserId)).resolves.toBeDefined();
  });
});
