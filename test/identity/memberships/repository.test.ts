import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ScopeName } from "../../../src/identity/memberships/membership.ts";
import { findScope, hasMembership } from "../../../src/identity/memberships/repository.ts";
import { openSetup, type Setup } from "./setup.ts";
import { engine } from "../../support/engine/engine.ts";

let setup: Setup;

beforeEach(async () => {
  setup = await openSetup();
});

afterEach(() => setup.close());

const find = (name: ScopeName) => setup.log.database.read((tx) => findScope(tx, name));
const has = (name: ScopeName, userId = setup.userId) =>
  setup.log.database.read((tx) => hasMembership(tx, { userId }, name));

describe("findScope", () => {
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

  test("lets a user have one membership on a scope", async () => {
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    await expect(setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER")).rejects.toThrow(
      engine.words.notUnique("stored_memberships"),
    );
  });
});
