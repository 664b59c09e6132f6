import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { problemOf } from "../../support/problems.ts";
import {
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import { engine } from "../../support/engine/engine.ts";
import {
  createUserGrantCommands,
  type NewUserGrant,
  type UserGrantCommands,
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

const callOf = (organizationId: OrganizationId, ...more: HeldRoles[]) =>
  callAs(organizationId, {
    held: [{ scope: { kind: "organization", organizationId }, roles: ["ORGANIZATION_OWNER"] }, ...more],
    permission: "user.grant.write",
  });
const ask = (input: Partial<NewUserGrant>): NewUserGrant =>
  newUserGrant({ userId: user, projectId: project, ...input });

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

describe("add", () => {
  test("gives roles of an owned project, and get reads them back", async () => {
    const call = callOf(owner);
    const added = await commands.add(call, ask({ roleKeys: ["writer", "admin", "writer"] }));
    expect(added.details.creationDate).toBe(added.details.sequence);
    expect(await commands.get(call, { userId: user, grantId: added.id })).toEqual({
      id: added.id,
      details: { ...added.details, resourceOwner: owner },
      state: "ACTIVE",
      userId: user,
      projectId: project,
      projectGrantId: "",
      roleKeys: ["writer", "admin"],
    });
  });

  test("gives roles of a granted project through its project grant", async () => {
    const call = callOf(granted);
    const input = ask({ userId: grantedUser, projectGrantId: grant, roleKeys: ["reader"] });
    const added = await commands.add(call, input);
    expect(await commands.get(call, { userId: grantedUser, grantId: added.id })).toMatchObject({
      details: { resourceOwner: granted },
      projectGrantId: grant,
      roleKeys: ["reader"],
    });
  });

  test.each<[string, () => Partial<NewUserGrant>, string, () => string]>([
    ["a user who never existed", () => ({ userId: "4711" }), "user", () => "4711"],
    ["an ill-formed user id", () => ({ userId: "x' OR 1=1" }), "user", () => "x' OR 1=1"],
    ["a user of another organization", () => ({ userId: grantedUser }), "user", () => grantedUser],
    ["a project that never existed", () => ({ projectId: "4711" }), "project", () => "4711"],
    ...["x", "__proto__", "toString", "reade_", "%", "READER", "reader ", "r\u0435ader"].map(
      (key): [string, () => Partial<NewUserGrant>, string, () => string] => [
        `${JSON.stringify(key)}, a role that the project does not have`,
        () => ({ roleKeys: ["reader", key] }),
        "role",
        () => key,
      ],
    ),
  ])("answers NOT_FOUND for %s", async (_name, input, type, name) => {
    const before = await fixture.eventCount();
    await expect(commands.add(callOf(owner), ask(input()))).rejects.toMatchObject({
      kind: "not-found",
      reason: "NOT_FOUND",
      resource: { type, name: name() },
    });
    expect(await fixture.eventCount()).toBe(before);
  });

  test("answers NOT_FOUND for a project that the organization neither owns nor was granted", async () => {
    const stranger = await fixture.addOrganization();
    const call = callOf(stranger);
    const userId = await fixture.addUser(stranger);
    for (const projectGrantId of ["", grant]) {
      await expect(commands.add(call, ask({ userId, projectGrantId }))).rejects.toMatchObject({
        reason: "NOT_FOUND",
        resource: { type: "project", name: project },
      });
    }
  });

  test("answers NOT_FOUND for a project grant of another project or organization, and for none", async () => {
    const other = await fixture.addProject(owner, ["reader"]);
    const ofOtherProject = await fixture.addProjectGrant(other, owner, granted);
    const ofOtherOrganization = await fixture.addProjectGrant(
      project,
      owner,
      await fixture.addOrganization(),
    );
    for (const projectGrantId of [ofOtherProject, ofOtherOrganization, "4711"]) {
      const input = ask({ userId: grantedUser, projectGrantId });
      await expect(commands.add(callOf(granted), input)).rejects.toMatchObject({
        reason: "NOT_FOUND",
        resource: { type: "project_grant", name: projectGrantId },
      });
    }
  });

  test("gives with a project grant only its roles", async () => {
    const input = ask({ userId: grantedUser, projectGrantId: grant, roleKeys: ["reader", "admin"] });
    await expect(commands.add(callOf(granted), input)).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "role", name: "admin" },
    });
  });

  test("demands the project grant of a granted project", async () => {
    await expect(commands.add(callOf(granted), ask({ userId: grantedUser }))).rejects.toMatchObject({
      kind: "invalid",
      reason: "PROJECT_GRANT_REQUIRED",
      violations: [{ field: "project_grant_id" }],
    });
  });

  test("refuses a project grant when the organization owns the project", async () => {
    await expect(commands.add(callOf(owner), ask({ projectGrantId: grant }))).rejects.toMatchObject({
      kind: "invalid",
      reason: "PROJECT_GRANT_NOT_ALLOWED",
      violations: [{ field: "project_grant_id" }],
    });
  });

  test("takes a user of an organization where the caller may read users", async () => {
    const elsewhere = await fixture.addUser(granted);
    const reader: HeldRoles = {
      scope: { kind: "organization", organizationId: granted },
      roles: ["ORGANIZATION_VIEWER"],
    };
    const added = await commands.add(callOf(owner, reader), ask({ userId: elsewhere }));
    expect(added.details.resourceOwner).toBe(owner);
  });

  test.each<[string, Role]>([["ORGANIZATION_PROJECT_MANAGER", "ORGANIZATION_PROJECT_MANAGER"]])(
    "answers NOT_FOUND for a user of an organization where the caller is only %s",
    async (_name, role) => {
      const held: HeldRoles = { scope: { kind: "organization", organizationId: granted }, roles: [role] };
      await expect(commands.add(callOf(owner, held), ask({ userId: grantedUser }))).rejects.toMatchObject({
        reason: "NOT_FOUND",
        resource: { type: "user", name: grantedUser },
      });
    },
  );

  test("lets a user have one grant for a project in an organization", async () => {
    await commands.add(callOf(owner), ask({ roleKeys: ["reader"] }));
    await expect(commands.add(callOf(owner), ask({ roleKeys: ["writer"] }))).rejects.toMatchObject({
      kind: "already-exists",
      reason: "ALREADY_EXISTS",
      resource: { type: "user_grant", name: user },
    });
  });

  test("is unique in the tables too, whatever is judged before", async () => {
    const { id, details } = await commands.add(callOf(owner), ask({ roleKeys: ["reader"] }));
    const again = fixture.record({
      type: "user_grant.added",
      aggregateId: `${id}0`,
      resourceOwner: details.resourceOwner,
      payload: { user_id: user, project_id: project, project_grant_id: "", role_keys: [] },
    });
    await expect(again).rejects.toThrow(engine.words.notUnique("stored_user_grants"));
  });

  test("lets a user have grants for the same project in two organizations", async () => {
    const reader: HeldRoles = {
      scope: { kind: "organization", organizationId: owner },
      roles: ["ORGANIZATION_VIEWER"],
    };
    await commands.add(callOf(owner), ask({}));
    const second = await commands.add(callOf(granted, reader), ask({ projectGrantId: grant }));
    expect(second.details.resourceOwner).toBe(granted);
  });

  test("judges existence before uniqueness", async () => {
    await commands.add(callOf(owner), ask({}));
    await expect(commands.add(callOf(owner), ask({ roleKeys: ["x"] }))).rejects.toMatchObject({
      resource: { type: "role" },
    });
  });

  test("adds exactly one of many that arrive at once", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => commands.add(callOf(owner), ask({}))),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });
});

describe("a caller whose roles open single projects", () => {
  const projectOwner = (projectId: ProjectId) =>
    callAs(owner, {
      held: [{ scope: { kind: "project", projectId, organizationId: owner }, roles: ["PROJECT_OWNER"] }],
      permission: "user.grant.write",
    });
  const grantOwner = (projectGrantId: ProjectGrantId) =>
    callAs(granted, {
      held: [
        {
          scope: { kind: "project-grant", projectGrantId, organizationId: granted },
          roles: ["PROJECT_GRANT_OWNER"],
        },
      ],
      permission: "user.grant.write",
    });

  test("may give roles of that project only", async () => {
    const other = await fixture.addProject(owner);
    await expect(commands.add(projectOwner(other), ask({}))).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "project", name: project },
    });
    const added = await commands.add(projectOwner(project), ask({}));
    expect(added.details.resourceOwner).toBe(owner);
  });

  test("may give roles of that project grant only", async () => {
    const input = ask({ userId: grantedUser, projectGrantId: grant, roleKeys: ["reader"] });
    await expect(commands.add(grantOwner(toId("4711")), input)).rejects.toMatchObject({
      resource: { type: "project", name: project },
    });
    expect((await commands.add(grantOwner(grant), input)).details.resourceOwner).toBe(granted);
  });

  test("sees the grants of that project only", async () => {
    const added = await commands.add(callOf(owner), ask({}));
    const asked = { userId: user, grantId: added.id };
    const other = await fixture.addProject(owner);
    await expect(commands.get(projectOwner(other), asked)).rejects.toMatchObject({
      resource: { type: "user_grant", name: added.id },
    });
    expect((await commands.get(projectOwner(project), asked)).id).toBe(added.id);
  });

  test("sees the grants of that project grant only", async () => {
    const added = await commands.add(callOf(granted), ask({ userId: grantedUser, projectGrantId: grant }));
    const asked = { userId: grantedUser, grantId: added.id };
    await expect(commands.get(grantOwner(toId("4711")), asked)).rejects.toMatchObject({
      reason: "NOT_FOUND",
    });
    expect((await commands.get(grantOwner(grant), asked)).id).toBe(added.id);
  });
});

describe("get", () => {
  test("answers the same for another user, another organization and a grant that never existed", async () => {
    const added = await commands.add(callOf(owner), ask({}));
    const problems = await Promise.all([
      problemOf(commands.get(callOf(owner), { userId: grantedUser, grantId: added.id })),
      problemOf(commands.get(callOf(granted), { userId: user, grantId: added.id })),
      problemOf(commands.get(callOf(owner), { userId: user, grantId: "4711" })),
    ]);
    for (const problem of problems) {
      expect(problem).toMatchObject({ kind: "not-found", resource: { type: "user_grant" } });
    }
    expect(problems.map((problem) => problem.message.replace("4711", added.id))).toEqual(
      Array.from({ length: 3 }, () => problems[0]?.message),
    );
  });
});
