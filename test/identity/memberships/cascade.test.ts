import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type ProjectGrantId, toId } from "../../../src/kernel/base/ids.ts";
import type { Scope } from "../../../src/kernel/base/permission.ts";
import { membershipProjection } from "../../../src/identity/memberships/repository.ts";
import { systemOrigin } from "../../kernel/events/test-log.ts";
import { openSetup, type Setup } from "./setup.ts";

// Only what the memberships do with the events of others; the rest of each cascade has tests where it is made.

let setup: Setup;
/** Every membership, by a name for it. */
let given: Readonly<Record<string, string>>;
let ownGrant: { readonly id: ProjectGrantId; readonly scope: Scope };

beforeEach(async () => {
  setup = await openSetup();
  ownGrant = await addGrantToHome();
  const { scopes, userId, partnerUserId } = setup;
  const third = await setup.addUser(setup.partner);
  given = {
    "user on instance": await setup.give(userId, scopes.instance, "INSTANCE_OWNER"),
    "user on home": await setup.give(userId, scopes.home, "ORGANIZATION_OWNER"),
    "user on partner": await setup.give(userId, scopes.partner, "ORGANIZATION_VIEWER"),
    "user on project": await setup.give(userId, scopes.project, "PROJECT_OWNER"),
    "partner user on home": await setup.give(partnerUserId, scopes.home, "ORGANIZATION_VIEWER"),
    "partner user on project": await setup.give(partnerUserId, scopes.project, "PROJECT_VIEWER"),
    "partner user on grant": await setup.give(partnerUserId, scopes.grant, "PROJECT_GRANT_OWNER"),
    "partner user on home's grant": await setup.give(partnerUserId, ownGrant.scope, "PROJECT_GRANT_OWNER"),
    "partner user on partner": await setup.give(partnerUserId, scopes.partner, "ORGANIZATION_OWNER"),
    "third on instance": await setup.give(third, scopes.instance, "INSTANCE_VIEWER"),
  };
});

afterEach(() => setup.close());

/** A project of the second organization, granted to the first one. */
async function addGrantToHome() {
  const projectId = await setup.addProject(setup.partner);
  const id = toId<ProjectGrantId>("900");
  await setup.log.append([
    {
      type: "project_grant.added",
      aggregateId: id,
      resourceOwner: setup.partner,
      payload: { project_id: projectId, granted_organization_id: setup.home, role_keys: [] },
    },
  ]);
  const scope: Scope = { kind: "project-grant", projectGrantId: id, organizationId: setup.home };
  return { id, scope };
}

/** Applies a removal to the memberships alone, while all that they rest on is still there, and tells which went. */
async function goneAfter(
  type: "user.removed" | "project.removed" | "project_grant.removed",
  aggregateId: string,
) {
  const event = { type, aggregateId, resourceOwner: setup.home, payload: {}, sequence: 1, date: 1 };
  await setup.log.database.write(async (tx) => {
    // The key of `on` is the type of the event, which TypeScript cannot follow through an index.
    await membershipProjection.on[type]?.(tx, { ...event, editor: "system" } as never);
  });
  return goneWithout((await setup.log.dump())["memberships"]);
}

/** Returns the names of those that are not among the rows. */
function goneWithout(memberships: readonly object[] = []): readonly string[] {
  const left = new Set(memberships.map((row) => (row as { id: string }).id));
  return Object.keys(given).filter((name) => !left.has(given[name] ?? ""));
}

describe("what goes with", () => {
  test("a user is what they hold anywhere", async () => {
    expect(await goneAfter("user.removed", setup.partnerUserId)).toEqual([
      "partner user on home",
      "partner user on project",
      "partner user on grant",
      "partner user on home's grant",
      "partner user on partner",
    ]);
  });

  test("a project is what is held on it and on its grants", async () => {
    expect(await goneAfter("project.removed", setup.projectId)).toEqual([
      "user on project",
      "partner user on project",
      "partner user on grant",
    ]);
  });

  test("a project grant is what is held on it", async () => {
    expect(await goneAfter("project_grant.removed", setup.projectGrantId)).toEqual(["partner user on grant"]);
    expect(await goneAfter("project_grant.removed", ownGrant.id)).toEqual([
      "partner user on grant",
      "partner user on home's grant",
    ]);
  });

  test("an organization is what is held on it, its projects, their grants, grants made to it, and by its users", async () => {
    const { database, context } = setup.log;
    const removal = {
      type: "organization.removed",
      aggregateId: setup.home,
      resourceOwner: setup.home,
    } as const;
    await database.write((tx) => context.log.append(tx, systemOrigin, [{ ...removal, payload: {} }]));
    const found = await database.read((tx) => tx.all<{ id: string }>("SELECT id FROM memberships"));
    const hidden = goneWithout(found);
    expect(hidden).toEqual([
      "user on instance",
      "user on home",
      "user on partner",
      "user on project",
      "partner user on home",
      "partner user on project",
      "partner user on grant",
      "partner user on home's grant",
    ]);
    // Nobody found them any more before the first row went.
    expect(goneWithout((await setup.log.dump())["memberships"])).toEqual([]);
    await database.write(async (tx) => {
      while (await context.log.sweep(tx, 1));
    });
    expect(goneWithout((await setup.log.dump())["memberships"])).toEqual(hidden);
  });

  test("an id of another kind is nothing", async () => {
    expect(await goneAfter("user.removed", setup.projectId)).toEqual([]);
    expect(await goneAfter("project.removed", setup.projectGrantId)).toEqual([]);
    expect(await goneAfter("project_grant.removed", setup.projectId)).toEqual([]);
  });
});
