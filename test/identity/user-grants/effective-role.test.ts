import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { problemOf } from "../../support/problems.ts";
import type { Call } from "../../../src/kernel/base/call.ts";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  toId,
} from "../../../src/kernel/base/ids.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import { type UserGrantCommands } from "../../../src/identity/user-grants/commands.ts";
import { callAs, type FeatureFixture } from "../../support/feature-fixture.ts";
import { type EffectiveWorld, onInstance, openEffectiveWorld } from "./effective-world.ts";
import { newUserGrant } from "../../support/samples.ts";

let world: EffectiveWorld;
let fixture: FeatureFixture;
let commands: UserGrantCommands;
let owner: OrganizationId;
let partner: OrganizationId;
let home: OrganizationId;
let projects: EffectiveWorld["projects"];
let users: EffectiveWorld["users"];

beforeAll(async () => {
  world = await openEffectiveWorld();
  ({ fixture, commands, owner, partner, home, projects, users } = world);
});

afterAll(() => fixture.close());

function onOrganization(organizationId: OrganizationId, ...roles: readonly Role[]): HeldRoles {
  return { scope: { kind: "organization", organizationId }, roles };
}
function onProject(projectId: ProjectId): HeldRoles {
  return { scope: { kind: "project", projectId, organizationId: owner }, roles: ["PROJECT_VIEWER"] };
}
function onProjectGrant(): HeldRoles {
  return {
    scope: { kind: "project-grant", projectGrantId: world.projectGrant, organizationId: partner },
    roles: ["PROJECT_GRANT_OWNER"],
  };
}

const on = (organizationId: OrganizationId, ...held: readonly HeldRoles[]): Call =>
  callAs(organizationId, {
    held: held.length === 0 ? [onOrganization(organizationId, "ORGANIZATION_VIEWER")] : held,
    permission: "user.grant.read",
  });

interface Asked {
  readonly userId?: string;
  readonly projectId?: string;
  readonly organizationId?: string;
  readonly page?: Partial<PageRequest>;
}

async function list(call: Call, asked: Asked = {}) {
  const { userId = users[0], projectId = "", organizationId = "" } = asked;
  const page = { pageSize: 0, pageToken: "", countTotal: true, ...asked.page };
  const answer = await commands.listEffective(call, { userId, projectId, organizationId }, page);
  return {
    ids: answer.page.items.map(({ id }) => id),
    items: answer.page.items.map((item) => [item.projectId, item.organizationId, item.roleKeys]),
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

/** Numbers the grants of a user as they were given above. */
const entries = (...numbers: readonly number[]) =>
  numbers.map((number) => {
    const { project, giver, roleKeys } = world.grants[number]!; // each user has four
    return [projects[project], giver, roleKeys];
  });

describe("a caller sees", () => {
  test("everything with the permission on the instance, whatever organization they act on", async () => {
    for (const organizationId of [owner, partner, home])
      expect(await list(on(organizationId, onInstance("INSTANCE_VIEWER")))).toMatchObject({
        items: entries(0, 1, 2, 3),
        total: 4,
      });
  });

  test("what the organization gave", async () => {
    expect(await list(on(partner))).toMatchObject({ items: entries(0), total: 1 });
    expect(await list(on(home))).toMatchObject({ items: entries(3), total: 1 });
  });

  test("what was given for the projects of the organization, whoever gave it", async () => {
    expect(await list(on(owner))).toMatchObject({ items: entries(0, 1, 2), total: 3 });
  });

  test("what organizations gave where they hold the permission as a whole", async () => {
    const elsewhere = onOrganization(partner, "ORGANIZATION_USER_MANAGER");
    const call = on(home, onOrganization(home, "ORGANIZATION_VIEWER"), elsewhere);
    expect(await list(call)).toMatchObject({ items: entries(0, 3), total: 2 });
  });

  test("nothing of organizations where they hold another permission, or a role on a project only", async () => {
    const without = onOrganization(partner, "ORGANIZATION_PROJECT_MANAGER");
    const call = on(home, onOrganization(home, "ORGANIZATION_VIEWER"), without, onProject(projects[0]));
    expect(await list(call)).toMatchObject({ items: entries(3) });
  });

  test("with a role on a project what was given for it, whoever gave it", async () => {
    expect(await list(on(owner, onProject(projects[0])))).toMatchObject({ items: entries(0, 1) });
    expect(await list(on(owner, onProject(projects[1])))).toMatchObject({ items: entries(2) });
    const both = on(owner, onProject(projects[0]), onProject(projects[1]));
    expect(await list(both)).toMatchObject({ items: entries(0, 1, 2) });
  });

  test("with a role on a project grant what rests on it, and with that of another one nothing", async () => {
    expect(await list(on(partner, onProjectGrant()))).toMatchObject({ items: entries(0) });
    const scope = {
      kind: "project-grant",
      projectGrantId: toId<ProjectGrantId>("4711"),
      organizationId: partner,
    };
    const other = { scope, roles: ["PROJECT_GRANT_OWNER"] } as HeldRoles;
    await expect(list(on(partner, other))).rejects.toMatchObject({ reason: "NOT_FOUND" });
  });
});

describe("filters and pages", () => {
  const everything = () => on(owner, onInstance("INSTANCE_VIEWER"));

  test("narrow the list to a project and to an organization that gave the roles", async () => {
    expect(await list(everything(), { projectId: projects[0] })).toMatchObject({
      items: entries(0, 1),
      total: 2,
    });
    expect(await list(everything(), { organizationId: owner })).toMatchObject({ items: entries(1, 2) });
    const asked = { projectId: projects[0], organizationId: partner };
    expect(await list(everything(), asked)).toMatchObject({ items: entries(0), total: 1 });
    expect(await list(everything(), { projectId: "x' OR 1=1" })).toMatchObject({ items: [], total: 0 });
  });

  test("go on where the page before ended, by the age of the grants", async () => {
    const seen: string[] = [];
    let pageToken = "";
    do {
      const page = await list(everything(), { page: { pageSize: 1, pageToken } });
      expect(page.total).toBe(4);
      seen.push(...page.ids);
      pageToken = page.next;
    } while (pageToken !== "");
    expect(seen).toEqual(world.grants.filter(({ userId }) => userId === users[0]).map(({ id }) => id));
  });

  test("take a page token for the same user, filters and organization only", async () => {
    const { next: pageToken } = await list(everything(), { page: { pageSize: 1 } });
    const page = { pageToken };
    const foreign: readonly [Call, Asked][] = [
      [everything(), { userId: users[1], page }],
      [everything(), { projectId: projects[0], page }],
      [everything(), { organizationId: owner, page }],
      [on(home, onInstance("INSTANCE_VIEWER")), { page }],
    ];
    for (const [call, asked] of foreign)
      await expect(list(call, asked)).rejects.toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
    expect((await list(everything(), { page })).ids).toHaveLength(3);
  });

  test("are counted only when asked for, and true up to the last event", async () => {
    const row = await fixture.database.read((tx) =>
      tx.get<{ last: number }>("SELECT MAX(sequence) AS last FROM events"),
    );
    const answer = await list(everything(), { page: { countTotal: false } });
    expect(answer).toMatchObject({ total: undefined, sequence: row?.last });
  });
});

describe("a user without grants that the caller sees", () => {
  test("has no roles when they are of the organization, or of one where the caller reads users", async () => {
    const stranger = await fixture.addUser(partner);
    expect(await list(on(partner), { userId: stranger })).toMatchObject({ items: [], total: 0, next: "" });
    const reader = onOrganization(partner, "ORGANIZATION_VIEWER");
    const call = on(home, onOrganization(home, "ORGANIZATION_VIEWER"), reader);
    expect(await list(call, { userId: stranger })).toMatchObject({ items: [] });
  });

  test("does not exist else, exactly like one who never existed", async () => {
    const stranger = await fixture.addUser(home);
    const manager = onOrganization(home, "ORGANIZATION_PROJECT_MANAGER");
    for (const held of [[], [onOrganization(partner, "ORGANIZATION_OWNER"), manager]]) {
      const refusals = await Promise.all(
        [stranger, "4711", "x' OR 1=1"].map(async (userId) => {
          const problem = await problemOf(list(on(partner, ...held), { userId }));
          const { kind, reason, message, metadata, resource } = problem;
          return JSON.stringify({ kind, reason, message, metadata, resource }).replaceAll(userId, "");
        }),
      );
      expect(refusals[0]).toContain("NOT_FOUND");
      expect(new Set(refusals).size).toBe(1);
    }
  });

  test("exists while somebody shows them a grant, also one that is not in effect", async () => {
    const userId = await fixture.addUser(home);
    const held = [onInstance("INSTANCE_OWNER")];
    const call = callAs(owner, { held, permission: "user.grant.write" });
    const input = newUserGrant({ userId, projectId: projects[0], roleKeys: ["reader"] });
    const { id: grantId } = await commands.add(call, input);
    await commands.deactivate(call, { userId, grantId });
    expect(await list(on(owner), { userId })).toMatchObject({ items: [], total: 0 });
    await commands.remove(call, { userId, grantId });
    await expect(list(on(owner), { userId })).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "user", name: userId },
    });
  });
});
