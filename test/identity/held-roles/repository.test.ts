import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { listHeldRoles, toRoles } from "../../../src/identity/held-roles/repository.ts";
import { openSetup, type Setup } from "../memberships/setup.ts";

let setup: Setup;

beforeEach(async () => {
  setup = await openSetup();
});

afterEach(() => setup.close());

const heldBy = (userId: UserId) => setup.log.database.read((tx) => listHeldRoles(tx, userId));

describe("listHeldRoles", () => {
  test("gives each scope with the organization that it lies in", async () => {
    const { scopes, userId } = setup;
    await setup.give(userId, scopes.instance, "INSTANCE_VIEWER");
    await setup.give(userId, scopes.home, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER");
    await setup.give(userId, scopes.project, "PROJECT_OWNER");
    await setup.give(userId, scopes.grant, "PROJECT_GRANT_OWNER");
    const held = await heldBy(userId);
    expect(held).toHaveLength(4);
    expect(held).toEqual(
      expect.arrayContaining([
        { scope: scopes.instance, roles: ["INSTANCE_VIEWER"] },
        { scope: scopes.home, roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"] },
        { scope: scopes.project, roles: ["PROJECT_OWNER"] },
        { scope: scopes.grant, roles: ["PROJECT_GRANT_OWNER"] },
      ]),
    );
  });

  test("gives a project grant to the organization it is made to, not to the owner of the project", async () => {
    await setup.give(setup.userId, setup.scopes.grant, "PROJECT_GRANT_OWNER");
    expect(await heldBy(setup.userId)).toMatchObject([{ scope: { organizationId: setup.partner } }]);
  });

  test("gives nothing of other users", async () => {
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    expect(await heldBy(setup.partnerUserId)).toEqual([]);
  });

  test("leaves out roles that this version does not know", async () => {
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    await setup.log.run(`UPDATE stored_memberships SET roles = '["ORGANIZATION_OWNER","FORMER_ROLE"]'`);
    expect(await heldBy(setup.userId)).toMatchObject([{ roles: ["ORGANIZATION_OWNER"] }]);
  });

  test.each(["project", "project-grant"])("leaves out a scope of kind %s that is gone", async (kind) => {
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    await setup.log.run("UPDATE stored_memberships SET scope_kind = ?, scope_id = '99'", [kind]);
    expect(await heldBy(setup.userId)).toEqual([]);
  });
});

describe("toRoles", () => {
  test("leaves out what is no role", () => {
    expect(toRoles(["PROJECT_OWNER", "toString", "", "PROJECT_VIEWER"])).toEqual([
      "PROJECT_OWNER",
      "PROJECT_VIEWER",
    ]);
  });
});
