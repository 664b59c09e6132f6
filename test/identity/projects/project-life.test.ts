import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { OrganizationId, ProjectId } from "../../../src/kernel/base/ids.ts";
import { createProjectCommands, type ProjectCommands } from "../../../src/identity/projects/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { projectSettings, role } from "../../support/samples.ts";

let fixture: FeatureFixture;
let commands: ProjectCommands;
let home: OrganizationId;
let other: OrganizationId;
let third: OrganizationId;
let projectId: ProjectId;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  commands = createProjectCommands(fixture.context);
  home = await fixture.addOrganization();
  other = await fixture.addOrganization();
  third = await fixture.addOrganization();
  projectId = await fixture.addProject(home, ["reader", "writer"]);
});

afterEach(() => fixture.close());

const tables = ["projects", "project_roles", "project_grants", "project_grant_roles"] as const;

/** Returns every row of the tables of projects. */
function dump(): Promise<Readonly<Record<string, readonly object[]>>> {
  return fixture.database.read(async (tx) => {
    const rows: Record<string, readonly object[]> = {};
    for (const table of tables) rows[table] = await tx.all<object>(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return rows;
  });
}

async function expectSameAfterRebuild(): Promise<void> {
  const before = await dump();
  await fixture.rebuild();
  expect(await dump()).toEqual(before);
}

const stateOf = async (id = projectId) => (await commands.get(callAs(home), id)).state;

describe("deactivate and reactivate", () => {
  test("turn the state, answer the event that did it, and are in the next read", async () => {
    const { details } = await commands.get(callAs(home), projectId);
    const stopped = await commands.deactivate(callAs(home), projectId);
    expect(stopped).toEqual({ ...details, sequence: expect.any(Number) });
    expect(stopped.sequence).toBeGreaterThan(details.sequence);
    expect(await commands.get(callAs(home), projectId)).toMatchObject({
      state: "INACTIVE",
      details: stopped,
    });
    const started = await commands.reactivate(callAs(home), projectId);
    expect(started.sequence).toBeGreaterThan(stopped.sequence);
    expect(await commands.get(callAs(home), projectId)).toMatchObject({ state: "ACTIVE", details: started });
    await expectSameAfterRebuild();
  });

  test.each(["deactivate", "reactivate"] as const)(
    "%s again records nothing and answers the stored details",
    async (action) => {
      await commands[action](callAs(home), projectId);
      const { details } = await commands.get(callAs(home), projectId);
      const before = await fixture.eventCount();
      fixture.clock.turn(1000);
      expect(await commands[action](callAs(home), projectId)).toEqual(details);
      expect(await fixture.eventCount()).toBe(before);
    },
  );

  test("leave an inactive project to be administered", async () => {
    await commands.deactivate(callAs(home), projectId);
    const { name } = await commands.get(callAs(home), projectId);
    const settings = projectSettings({ name, projectRoleAssertion: true });
    await commands.update(callAs(home), projectId, settings);
    await commands.roles.add(callAs(home), projectId, [role("auditor")]);
    const grant = { projectId, grantedOrganizationId: other, roleKeys: ["auditor"] };
    await expect(commands.grants.add(callAs(home), grant)).resolves.toBeDefined();
    expect(await stateOf()).toBe("INACTIVE");
  });
});

describe("remove", () => {
  test("answers the removal's sequence, and nothing is left in any table of projects", async () => {
    const { details } = await commands.get(callAs(home), projectId);
    await fixture.addProjectGrant(projectId, home, other, ["reader", "writer"]);
    await fixture.addProjectGrant(projectId, home, third, ["writer"]);
    const removed = await commands.remove(callAs(home), projectId);
    const [last] = (await fixture.events(projectId)).slice(-1);
    expect(last).toMatchObject({ type: "project.removed", resource_owner: home, payload: {} });
    expect(removed.details).toEqual({ ...details, sequence: last?.sequence });
    expect(await dump()).toEqual(Object.fromEntries(tables.map((table) => [table, []])));
    await expectSameAfterRebuild();
  });

  test("leaves other projects, their roles and their grants untouched", async () => {
    const next = await fixture.addProject(home, ["reader"]);
    await fixture.addProjectGrant(next, home, other, ["reader"]);
    const before = await dump();
    const gone = await fixture.addProject(home, ["reader"]);
    await fixture.addProjectGrant(gone, home, other, ["reader"]);
    await commands.remove(callAs(home), gone);
    expect(await dump()).toEqual(before);
  });

  test("frees the name", async () => {
    const { name } = await commands.get(callAs(home), projectId);
    const settings = projectSettings({ name });
    await expect(commands.add(callAs(home), settings)).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
    await commands.remove(callAs(home), projectId);
    const { id } = await commands.add(callAs(home), settings);
    expect(id).not.toBe(projectId);
    await expectSameAfterRebuild();
  });

  test("can be done to an inactive project", async () => {
    await commands.deactivate(callAs(home), projectId);
    await expect(commands.remove(callAs(home), projectId)).resolves.toBeDefined();
  });
});

describe("an organization that is removed", () => {
  const removeOrganization = (id: OrganizationId) =>
    fixture.record({ type: "organization.removed", aggregateId: id, resourceOwner: id, payload: {} });

  test("takes its projects with it, and the project grants that were made to it", async () => {
    const kept = await fixture.addProject(home, ["reader"]);
    await fixture.addProjectGrant(kept, home, third, ["reader"]);
    const before = await dump();
    const lost = await fixture.addProject(other, ["reader", "writer"]);
    await fixture.addProject(other);
    await fixture.addProjectGrant(lost, other, home, ["reader"]);
    await fixture.addProjectGrant(kept, home, other, ["reader"]);
    await removeOrganization(other);
    expect(await dump()).toEqual(before);
    await expectSameAfterRebuild();
  });
});
