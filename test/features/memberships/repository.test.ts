import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../src/base/ids.ts";
import type { ScopeName } from "../../../src/features/memberships/membership.ts";
import { findScope, hasMembership, listHeldRoles } from "../../../src/features/memberships/repository.ts";
import { openSetup, type Setup } from "./setup.ts";

let setup: Setup;

beforeEach(async () => {
  setup = await openSetup();
});

afterEach(() => setup.close());

const heldBy = (userId: UserId) => setup.log.database.read((tx) => listHeldRoles(tx, userId));
const find = (name: ScopeName) => setup.log.database.read((tx) => findScope(tx, name));
const has = (name: ScopeName, userId = setup.userId) =>
  setup.log.database.read((tx) => hasMembership(tx, userId, name));

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

describe("findScope", () => {
  test("finds the organization that a named scope lies in", async () => {
    const { home, projectId, projectGrantId, scopes } = setup;
    expect(await find({ kind: "instance" })).toEqual(scopes.instance);
    expect(await find({ kind: "organization", id: home })).toEqual(scopes.home);
    expect(await find({ kind: "project", id: projectId })).toEqual(scopes.project);
    expect(await find({ kind: "project-grant", id: projectGrantId })).toEqual(scopes.grant);
  });

  test("does not find a project or a project grant under the id of anything else", async () => {
    expect(await find({ kind: "project", id: setup.projectGrantId })).toBeUndefined();
    expect(await find({ kind: "project-grant", id: setup.projectId })).toBeUndefined();
    expect(await find({ kind: "project", id: "" })).toBeUndefined();
  });
});

describe("hasMembership", () => {
  test("tells users, kinds and scopes apart", async () => {
    await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
    expect(await has({ kind: "project", id: setup.projectId })).toBe(true);
    expect(await has({ kind: "project", id: setup.projectId }, setup.partnerUserId)).toBe(false);
    expect(await has({ kind: "project-grant", id: setup.projectId })).toBe(false);
    expect(await has({ kind: "organization", id: setup.home })).toBe(false);
    expect(await has({ kind: "instance" })).toBe(false);
  });

  test("knows a membership of the instance", async () => {
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_VIEWER");
    expect(await has({ kind: "instance" })).toBe(true);
  });

  test("lets a user have one membership on a scope", async () => {
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    await expect(setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER")).rejects.toThrow(
      "UNIQUE",
    );
  });
});
