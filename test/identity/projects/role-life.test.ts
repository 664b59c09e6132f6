import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createdDetails } from "../../../src/kernel/base/details.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "../../../src/kernel/base/ids.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import { createProjectCommands, type ProjectCommands } from "../../../src/identity/projects/commands.ts";
import { findProjectGrant } from "../../../src/identity/projects/project-grant-repository.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";

let fixture: FeatureFixture;
let commands: ProjectCommands;
let home: OrganizationId;
let other: OrganizationId;
let projectId: ProjectId;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  commands = createProjectCommands(fixture.context);
  home = await fixture.addOrganization();
  other = await fixture.addOrganization();
  projectId = await fixture.addProject(home);
});

afterEach(() => fixture.close());

const role = (key: string, displayName = "", group = "") => ({ key, displayName, group });
const add = (...keys: readonly string[]) =>
  commands.roles.add(
    callAs(home),
    projectId,
    keys.map((key) => role(key)),
  );
const notFound = (type: string, name: string) => ({ reason: "NOT_FOUND", resource: { type, name } });

async function list(page: Partial<PageRequest> = {}, call = callAs(home), id: string = projectId) {
  const request = { pageSize: 0, pageToken: "", countTotal: true, ...page };
  const answer = await commands.roles.list(call, id, request);
  return {
    keys: answer.page.items.map(({ key }) => key),
    roles: answer.page.items,
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

async function grantOf(id: ProjectGrantId) {
  const grant = await fixture.database.read((tx) => findProjectGrant(tx, id));
  if (grant === undefined) throw new Error("the grant is gone");
  return grant;
}

describe("update", () => {
  test("replaces name and group, and moves the details of this role only", async () => {
    const added = await add("reader", "writer");
    const before = await commands.get(callAs(home), projectId);
    const changed = await commands.roles.update(callAs(home), projectId, role("reader", "Reader", "Staff"));
    expect(changed).toEqual({ ...added, sequence: changed.sequence });
    expect(changed.sequence).toBeGreaterThan(added.sequence);
    expect((await list()).roles).toEqual([
      { id: "reader", key: "reader", displayName: "Reader", group: "Staff", details: changed },
      { id: "writer", key: "writer", displayName: "", group: "", details: added },
    ]);
    expect(await commands.get(callAs(home), projectId)).toEqual(before);
  });

  test("empties what is left out", async () => {
    await commands.roles.add(callAs(home), projectId, [role("reader", "Reader", "Staff")]);
    await commands.roles.update(callAs(home), projectId, role("reader"));
    expect((await list()).roles).toMatchObject([{ displayName: "", group: "" }]);
  });

  test("records nothing when nothing changes, and answers the stored details", async () => {
    const added = await commands.roles.add(callAs(home), projectId, [role("reader", "Reader", "Staff")]);
    const before = await fixture.eventCount();
    fixture.clock.turn(1000);
    const repeated = commands.roles.update(callAs(home), projectId, role("reader", "Reader", "Staff"));
    expect(await repeated).toEqual(added);
    expect(await fixture.eventCount()).toBe(before);
  });

  test.each(["Reader", "reader ", "", "writer", "__proto__"])("does not find the role %j", async (key) => {
    await add("reader");
    await expect(
      commands.roles.update(callAs(home), projectId, role(key, "Taken over")),
    ).rejects.toMatchObject(notFound("role", key));
    expect((await list()).roles).toMatchObject([{ key: "reader", displayName: "" }]);
  });

  test("does not touch the role of the same key of another project", async () => {
    const next = await fixture.addProject(home, ["reader"]);
    await add("reader");
    await commands.roles.update(callAs(home), projectId, role("reader", "Reader"));
    expect((await list({}, callAs(home), next)).roles).toMatchObject([{ displayName: "" }]);
  });
});

describe("remove", () => {
  test("answers the removal's sequence and leaves the other roles and the project", async () => {
    const added = await add("reader", "writer");
    const before = await commands.get(callAs(home), projectId);
    const removed = await commands.roles.remove(callAs(home), projectId, "reader");
    const [last] = (await fixture.events(projectId)).slice(-1);
    expect(last).toMatchObject({ type: "project.role.removed", payload: { role_key: "reader" } });
    expect(removed.details).toEqual({ ...added, sequence: last?.sequence });
    expect(await list()).toMatchObject({ keys: ["writer"], roles: [{ details: added }], total: 1 });
    expect(await commands.get(callAs(home), projectId)).toEqual(before);
  });

  test("takes the role out of every project grant, and these take its instant", async () => {
    await add("reader", "writer");
    const third = await fixture.addOrganization();
    const [both, only, none] = [
      await fixture.addProjectGrant(projectId, home, other, ["writer", "reader"]),
      await fixture.addProjectGrant(projectId, home, third, ["reader"]),
      await fixture.addProjectGrant(projectId, home, await fixture.addOrganization(), ["writer"]),
    ];
    const before = await grantOf(none);
    const { sequence } = (await commands.roles.remove(callAs(home), projectId, "reader")).details;
    expect(await grantOf(both)).toMatchObject({ roleKeys: ["writer"], details: { sequence } });
    expect(await grantOf(only)).toMatchObject({ roleKeys: [], state: "ACTIVE", details: { sequence } });
    expect(await grantOf(none)).toEqual(before);
    await fixture.rebuild();
    expect(await grantOf(both)).toMatchObject({ roleKeys: ["writer"], details: { sequence } });
    expect(await grantOf(none)).toEqual(before);
  });

  test("does not touch the grants of another project that has a role of the same key", async () => {
    await add("reader");
    const next = await fixture.addProject(home, ["reader"]);
    const grantId = await fixture.addProjectGrant(next, home, other, ["reader"]);
    const before = await grantOf(grantId);
    await commands.roles.remove(callAs(home), projectId, "reader");
    expect(await grantOf(grantId)).toEqual(before);
    expect(await list({}, callAs(home), next)).toMatchObject({ keys: ["reader"] });
  });

  test("frees the key, and who had the role before does not have it again", async () => {
    await add("reader");
    const grantId = await fixture.addProjectGrant(projectId, home, other, ["reader"]);
    await commands.roles.remove(callAs(home), projectId, "reader");
    const again = await add("reader");
    expect(again).toEqual(createdDetails(again.sequence, home));
    expect((await grantOf(grantId)).roleKeys).toEqual([]);
  });

  test.each(["Reader", "writer", "", "__proto__"])("does not find the role %j", async (key) => {
    await add("reader");
    const removal = commands.roles.remove(callAs(home), projectId, key);
    await expect(removal).rejects.toMatchObject(notFound("role", key));
    expect(await list()).toMatchObject({ keys: ["reader"] });
  });
});

describe("list", () => {
  test("gives roles in the order in which they were added, and those added together by their keys", async () => {
    await add("m");
    await add("z", "a", "Z");
    await add("b");
    expect(await list()).toMatchObject({ keys: ["m", "Z", "a", "z", "b"], total: 5, next: "" });
  });
});
