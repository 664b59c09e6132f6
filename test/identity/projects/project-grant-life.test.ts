import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import { createProjectCommands, type ProjectCommands } from "../../../src/identity/projects/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";

let fixture: FeatureFixture;
let commands: ProjectCommands;
let home: OrganizationId;
let other: OrganizationId;
let third: OrganizationId;
let projectId: ProjectId;
let grantId: ProjectGrantId;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  commands = createProjectCommands(fixture.context);
  home = await fixture.addOrganization();
  other = await fixture.addOrganization();
  third = await fixture.addOrganization();
  projectId = await fixture.addProject(home, ["reader", "writer", "auditor"]);
  grantId = await fixture.addProjectGrant(projectId, home, other, ["writer", "reader"]);
});

afterEach(() => fixture.close());

const notFound = (type: string, name: string) => ({ reason: "NOT_FOUND", resource: { type, name } });
const get = (call = callAs(home), id: string = grantId, project: string = projectId) =>
  commands.grants.get(call, { projectId: project, grantId: id });
const update = (roleKeys: readonly string[], call = callAs(home)) =>
  commands.grants.update(call, { projectId, grantId }, { roleKeys });

function callOnProject(id: ProjectId, organizationId = home): Call {
  const scope = { kind: "project", projectId: id, organizationId } as const;
  return callAs(organizationId, {
    held: [{ scope, roles: ["PROJECT_OWNER"] }],
    permission: "project.grant.read",
  });
}

function callOnGrants(organizationId: OrganizationId, ...ids: readonly ProjectGrantId[]): Call {
  const held = ids.map((projectGrantId): HeldRoles => {
    return {
      scope: { kind: "project-grant", projectGrantId, organizationId },
      roles: ["PROJECT_GRANT_OWNER"],
    };
  });
  return callAs(organizationId, { held, permission: "project.grant.read" });
}

const everything = { pageSize: 0, pageToken: "", countTotal: true };

describe("update", () => {
  test("replaces the roles in the order given, each once, and moves the details", async () => {
    const { details } = await get();
    const changed = await update(["auditor", "writer", "auditor"]);
    expect(changed).toEqual({ ...details, sequence: changed.sequence });
    expect(changed.sequence).toBeGreaterThan(details.sequence);
    expect(await get()).toMatchObject({ roleKeys: ["auditor", "writer"], details: changed });
    expect((await fixture.events(grantId)).at(-1)).toMatchObject({
      type: "project_grant.changed",
      resource_owner: home,
      payload: { role_keys: ["auditor", "writer"] },
    });
    await fixture.rebuild();
    expect(await get()).toMatchObject({ roleKeys: ["auditor", "writer"], details: changed });
  });

  test("may take all roles away", async () => {
    await update([]);
    expect(await get()).toMatchObject({ roleKeys: [], state: "ACTIVE" });
  });

  test.each([[["writer", "reader"]], [["writer", "reader", "writer"]]])(
    "records nothing for %j, which are the roles it has",
    async (roleKeys) => {
      const { details } = await get();
      fixture.clock.turn(1000);
      expect(await update(roleKeys)).toEqual(details);
      expect(await fixture.events(grantId)).toHaveLength(1);
    },
  );

  test("counts another order as another set", async () => {
    await update(["reader", "writer"]);
    expect(await get()).toMatchObject({ roleKeys: ["reader", "writer"] });
  });

  test("does not find a role that the project lacks, also when another project has it", async () => {
    await fixture.addProject(home, ["owner"]);
    for (const key of ["owner", "Reader", "__proto__", ""]) {
      await expect(update(["reader", key])).rejects.toMatchObject(notFound("role", key));
    }
    expect(await get()).toMatchObject({ roleKeys: ["writer", "reader"] });
  });

  test("leaves the grants to other organizations", async () => {
    const beside = await fixture.addProjectGrant(projectId, home, third, ["reader"]);
    await update(["auditor"]);
    expect(await get(callAs(home), beside)).toMatchObject({ roleKeys: ["reader"] });
  });
});

describe("deactivate and reactivate", () => {
  test("turn the state, answer the event that did it, and are in the next read", async () => {
    const path = { projectId, grantId };
    const stopped = await commands.grants.deactivate(callAs(home), path);
    expect(await get(callAs(other))).toMatchObject({ state: "INACTIVE", details: stopped });
    fixture.clock.turn(1000);
    expect(await commands.grants.deactivate(callAs(home), path)).toEqual(stopped);
    const started = await commands.grants.reactivate(callAs(home), path);
    expect(started.sequence).toBeGreaterThan(stopped.sequence);
    expect(await commands.grants.reactivate(callAs(home), path)).toEqual(started);
    expect(await get(callAs(other))).toMatchObject({ state: "ACTIVE", details: started });
    expect((await fixture.events(grantId)).map(({ type }) => type)).toEqual([
      "project_grant.added",
      "project_grant.deactivated",
      "project_grant.reactivated",
    ]);
  });

  test("leave an inactive grant to be administered and listed", async () => {
    await commands.grants.deactivate(callAs(home), { projectId, grantId });
    await update(["auditor"]);
    expect(await commands.grants.listGranted(callAs(other), {}, everything)).toMatchObject({
      page: { items: [{ state: "INACTIVE", roleKeys: ["auditor"] }] },
    });
    await fixture.rebuild();
    expect(await get()).toMatchObject({ state: "INACTIVE", roleKeys: ["auditor"] });
  });
});

describe("remove", () => {
  test("answers the removal's sequence, and owner and holder do not find the grant any more", async () => {
    const { details } = await get();
    const removed = await commands.grants.remove(callAs(home), { projectId, grantId });
    const [last] = (await fixture.events(grantId)).slice(-1);
    expect(last).toMatchObject({ type: "project_grant.removed", resource_owner: home });
    expect(removed.details).toEqual({ ...details, sequence: last?.sequence });
    await expect(get()).rejects.toMatchObject(notFound("project_grant", grantId));
    await expect(get(callAs(other))).rejects.toMatchObject(notFound("project", projectId));
    await fixture.rebuild();
    const lists = [
      await commands.grants.list(callAs(home), { projectId }, everything),
      await commands.grants.listGranted(callAs(other), {}, everything),
    ];
    expect(lists.map(({ page }) => page.totalResult)).toEqual([0, 0]);
  });

  test("lets the project be granted anew, and leaves the grants to others", async () => {
    const beside = await fixture.addProjectGrant(projectId, home, third, ["reader"]);
    const before = await get(callAs(home), beside);
    await commands.grants.remove(callAs(home), { projectId, grantId });
    const grant = { projectId, grantedOrganizationId: other, roleKeys: [] };
    const { id } = await commands.grants.add(callAs(home), grant);
    expect(id).not.toBe(grantId);
    expect(await get(callAs(home), beside)).toEqual(before);
  });
});

describe("changes", () => {
  const attempts = {
    update: (call: Call, path: { projectId: string; grantId: string }) =>
      commands.grants.update(call, path, { roleKeys: [] }),
    deactivate: (call: Call, path: { projectId: string; grantId: string }) =>
      commands.grants.deactivate(call, path),
    reactivate: (call: Call, path: { projectId: string; grantId: string }) =>
      commands.grants.reactivate(call, path),
    remove: (call: Call, path: { projectId: string; grantId: string }) => commands.grants.remove(call, path),
  };
  const names = Object.keys(attempts) as (keyof typeof attempts)[];

  test.each(names)("%s does not find a grant of another project, nor one that is absent", async (name) => {
    const next = await fixture.addProject(home);
    const beside = await fixture.addProjectGrant(next, home, other);
    const foreignProject = await fixture.addProject(third);
    const foreign = await fixture.addProjectGrant(foreignProject, third, home);
    for (const id of [beside, foreign, "1", "x"]) {
      await expect(attempts[name](callAs(home), { projectId, grantId: id })).rejects.toMatchObject(
        notFound("project_grant", id),
      );
    }
    expect(await get(callAs(home), beside, next)).toMatchObject({ state: "ACTIVE" });
  });

  test.each(names)("%s with a role on one project reaches its grants and no other", async (name) => {
    const next = await fixture.addProject(home);
    const beside = await fixture.addProjectGrant(next, home, other);
    const call = callOnProject(projectId);
    await expect(attempts[name](call, { projectId: next, grantId: beside })).rejects.toMatchObject(
      notFound("project", next),
    );
    await expect(attempts[name](call, { projectId, grantId })).resolves.toBeDefined();
  });
});

function toPage(page: Partial<PageRequest>): PageRequest {
  return { pageSize: 0, pageToken: "", countTotal: true, ...page };
}

function toList(answer: Awaited<ReturnType<ProjectCommands["grants"]["list"]>>) {
  return {
    ids: answer.page.items.map(({ id }) => id),
    items: answer.page.items,
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

const list = async (page: Partial<PageRequest> = {}, call = callAs(home), id: string = projectId) =>
  toList(await commands.grants.list(call, { projectId: id }, toPage(page)));

const listGranted = async (call: Call, page: Partial<PageRequest> = {}) =>
  toList(await commands.grants.listGranted(call, {}, toPage(page)));

describe("get", () => {
  test("shows owner and holder the same: state, roles in their order, and the name that the project has now", async () => {
    const { name, ...rest } = await commands.get(callAs(home), projectId);
    const shown = await get();
    expect(shown).toMatchObject({
      id: grantId,
      state: "ACTIVE",
      projectId,
      projectName: name,
      grantedOrganizationId: other,
      roleKeys: ["writer", "reader"],
      details: { resourceOwner: home },
    });
    expect(await get(callAs(other))).toEqual(shown);
    await commands.update(callAs(home), projectId, { ...rest, name: "Renamed" });
    expect(await get(callAs(other))).toEqual({ ...shown, projectName: "Renamed" });
  });

  test("does not show the holder of one grant the grants that others hold", async () => {
    const theirs = await fixture.addProjectGrant(projectId, home, third);
    for (const id of [theirs, "1"])
      await expect(get(callAs(other), id)).rejects.toMatchObject(notFound("project_grant", id));
  });

  test("does not find a grant under another project, for owner and holder", async () => {
    const next = await fixture.addProject(home, ["reader"]);
    await expect(get(callAs(home), grantId, next)).rejects.toMatchObject(notFound("project_grant", grantId));
    await expect(get(callAs(other), grantId, next)).rejects.toMatchObject(notFound("project", next));
    const granted = await fixture.addProjectGrant(next, home, other);
    await expect(get(callAs(other), grantId, next)).rejects.toMatchObject(notFound("project_grant", grantId));
    await expect(get(callAs(other), granted, next)).resolves.toMatchObject({ id: granted });
  });

  test("with a role on one project finds its grants, and no other project", async () => {
    const next = await fixture.addProject(home);
    const beside = await fixture.addProjectGrant(next, home, other);
    await expect(get(callOnProject(projectId))).resolves.toMatchObject({ id: grantId });
    await expect(get(callOnProject(projectId), beside, next)).rejects.toMatchObject(
      notFound("project", next),
    );
  });

  test("with a role on one project grant finds that one, and no other project", async () => {
    const next = await fixture.addProject(home);
    const beside = await fixture.addProjectGrant(next, home, other);
    await expect(get(callOnGrants(other, grantId))).resolves.toMatchObject({ id: grantId });
    await expect(get(callOnGrants(other, grantId), beside, next)).rejects.toMatchObject(
      notFound("project", next),
    );
  });
});

describe("list", () => {
  test("gives the grants of the project, oldest first, with their roles, and counts them", async () => {
    const next = await fixture.addProject(home, ["reader"]);
    await fixture.addProjectGrant(next, home, other, ["reader"]);
    const second = await fixture.addProjectGrant(projectId, home, third, ["auditor"]);
    const answer = await list();
    expect(answer).toMatchObject({
      ids: [grantId, second],
      items: [{ roleKeys: ["writer", "reader"] }, { roleKeys: ["auditor"] }],
      total: 2,
      next: "",
    });
    expect(answer.items[0]).toEqual(await get());
  });

  test("is for the owner only, and with a role on one project for that project", async () => {
    const next = await fixture.addProject(home);
    await expect(list({}, callAs(other))).rejects.toMatchObject(notFound("project", projectId));
    await expect(list({}, callOnProject(projectId), next)).rejects.toMatchObject(notFound("project", next));
    expect(await list({}, callOnProject(projectId))).toMatchObject({ ids: [grantId] });
  });

  test("refuses the page token of another project and of the other list", async () => {
    await fixture.addProjectGrant(projectId, home, third);
    const { next } = await list({ pageSize: 1 });
    const sibling = await fixture.addProject(home);
    const refused = { reason: "PAGE_TOKEN_INVALID" };
    await expect(list({ pageToken: next }, callAs(home), sibling)).rejects.toMatchObject(refused);
    await expect(listGranted(callAs(home), { pageToken: next })).rejects.toMatchObject(refused);
    expect(await list({ pageToken: next })).toMatchObject({ total: 2 });
  });
});

describe("listGranted", () => {
  test("gives what others have granted to the organization, and not what it grants", async () => {
    const own = await fixture.addProject(other, ["reader"]);
    await fixture.addProjectGrant(own, other, home);
    const beside = await fixture.addProject(third);
    const second = await fixture.addProjectGrant(beside, third, other);
    expect(await listGranted(callAs(other))).toMatchObject({ ids: [grantId, second], total: 2 });
    expect(await listGranted(callAs(third))).toMatchObject({ ids: [], total: 0 });
    expect((await listGranted(callAs(other))).items[0]).toEqual(await get());
  });

  test("with roles on single project grants gives these, in pages and in the total too", async () => {
    const ids = [grantId];
    for (let index = 0; index < 3; index += 1) {
      ids.push(await fixture.addProjectGrant(await fixture.addProject(home), home, other));
    }
    const call = callOnGrants(other, ids[1]!, ids[3]!);
    const first = await listGranted(call, { pageSize: 1 });
    expect(first).toMatchObject({ ids: [ids[1]], total: 2 });
    expect(await listGranted(call, { pageToken: first.next })).toMatchObject({ ids: [ids[3]] });
  });

  test("with a role on a project of the organization gives nothing", async () => {
    const own = await fixture.addProject(other);
    expect(await listGranted(callOnProject(own, other))).toMatchObject({ ids: [], total: 0 });
  });

  test("refuses the page token of another organization", async () => {
    await fixture.addProjectGrant(await fixture.addProject(home), home, other);
    const { next } = await listGranted(callAs(other), { pageSize: 1 });
    await expect(listGranted(callAs(third), { pageToken: next })).rejects.toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
  });
});
