import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OrganizationId, type ProjectId, toId } from "../../../src/kernel/base/ids.ts";
import { createProjectCommands, type ProjectCommands } from "../../../src/identity/projects/commands.ts";
import { findProjectGrant } from "../../../src/identity/projects/project-grant-repository.ts";
import { listRoleKeys } from "../../../src/identity/projects/role-repository.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { projectSettings, role } from "../../support/samples.ts";

let fixture: FeatureFixture;
let commands: ProjectCommands;
let home: OrganizationId;
let other: OrganizationId;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  commands = createProjectCommands(fixture.context);
  home = await fixture.addOrganization();
  other = await fixture.addOrganization();
});

afterEach(() => fixture.close());

const settings = (name: string) => projectSettings({ name });
const add = (name: string, organizationId = home) => commands.add(callAs(organizationId), settings(name));

const notFound = (type: string, name: string) => ({ reason: "NOT_FOUND", resource: { type, name } });
const taken = (type: string, name: string) => ({ reason: "ALREADY_EXISTS", resource: { type, name } });

describe("add", () => {
  test("answers details with equal dates, and stores what was sent", async () => {
    const sent = { ...settings(" Portal\u00e9 "), projectRoleCheck: true, hasProjectCheck: true };
    const { id, details } = await commands.add(callAs(home), sent);
    expect(details).toEqual({
      sequence: fixture.clock.nowMs() * 1000 + 2, // the third command of a clock that stands still
      creationDate: details.sequence,
      resourceOwner: home,
    });
    expect(await commands.get(callAs(home), id)).toEqual({ ...sent, id, details, state: "ACTIVE" });
  });

  test.each(["portal", "PORTAL", " Portal ", "\uff30ortal"])(
    "refuses %j while the organization has a project Portal",
    async (name) => {
      await add("Portal");
      const before = await fixture.eventCount();
      await expect(add(name)).rejects.toMatchObject(taken("project", name));
      expect(await fixture.eventCount()).toBe(before);
    },
  );

  test("lets another organization have a project of the same name", async () => {
    await add("Portal");
    await expect(add("Portal", other)).resolves.toMatchObject({ details: { resourceOwner: other } });
  });

  test("lets exactly one of many have a name when all ask for it at once", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => add("Portal")));
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
    const rows = await fixture.database.read((tx) => tx.all("SELECT id FROM projects"));
    expect(rows).toHaveLength(1);
  });

  test("changes nothing after the deadline of the call", async () => {
    const call = callAs(home, { deadlineMs: fixture.clock.nowMs() });
    const before = await fixture.eventCount();
    await expect(commands.add(call, settings("Late"))).rejects.toMatchObject({ reason: "DEADLINE_EXCEEDED" });
    expect(await fixture.eventCount()).toBe(before);
  });
});

describe("get", () => {
  test("does not find a project of another organization, in the same words as none at all", async () => {
    const { id } = await add("Portal", other);
    const absent = `${BigInt(id) + 1n}`;
    const [foreign, none] = await Promise.allSettled([
      commands.get(callAs(home), id),
      commands.get(callAs(home), absent),
    ]);
    expect(foreign).toMatchObject({ status: "rejected", reason: notFound("project", id) });
    const words = JSON.stringify([foreign, String((foreign as PromiseRejectedResult).reason)]);
    expect(words.replaceAll(id, absent)).toBe(
      JSON.stringify([none, String((none as PromiseRejectedResult).reason)]),
    );
  });

  test.each(["", "x", "0", "1' OR '1'='1", "99999999999999999999"])("does not find %j", async (id) => {
    await add("Portal");
    await expect(commands.get(callAs(home), id)).rejects.toMatchObject(notFound("project", id));
  });
});

describe("update", () => {
  test("replaces all settings and answers both dates", async () => {
    const { id, details } = await add("Portal");
    fixture.clock.turn(1000);
    const after = { ...settings("Gate"), projectRoleAssertion: true };
    const changed = await commands.update(callAs(home), id, after);
    expect(changed).toEqual({ ...details, sequence: fixture.clock.nowMs() * 1000 });
    expect(await commands.get(callAs(home), id)).toEqual({ ...after, id, details: changed, state: "ACTIVE" });
  });

  test("records nothing when nothing changes, and answers the stored details", async () => {
    const { id, details } = await add("Portal");
    fixture.clock.turn(1000);
    expect(await commands.update(callAs(home), id, settings("Portal"))).toEqual(details);
    expect(await fixture.events(id)).toHaveLength(1);
  });

  test("lets a project keep its name in other letters", async () => {
    const { id } = await add("Portal");
    await commands.update(callAs(home), id, settings("PORTAL"));
    expect(await commands.get(callAs(home), id)).toMatchObject({ name: "PORTAL" });
  });

  test("refuses a name that counts as that of another project of the organization", async () => {
    await add("Portal");
    const { id } = await add("Gate");
    await expect(commands.update(callAs(home), id, settings("pOrtal"))).rejects.toMatchObject(
      taken("project", "pOrtal"),
    );
    expect(await commands.get(callAs(home), id)).toMatchObject({ name: "Gate" });
  });

  test("frees the name that the project had", async () => {
    const { id } = await add("Portal");
    await commands.update(callAs(home), id, settings("Gate"));
    await expect(add("Portal")).resolves.toBeDefined();
    await expect(add("gate")).rejects.toMatchObject(taken("project", "gate"));
  });
});

describe("roles.add", () => {
  const keysOf = async (projectId: ProjectId) => {
    const rows = await fixture.database.read((tx) =>
      tx.all<{ role_key: string }>("SELECT role_key FROM project_roles WHERE project_id = ?", [projectId]),
    );
    return rows.map((row) => row.role_key).toSorted();
  };

  test("reads no other roles of the project than those asked for, of which there may be any number", async () => {
    const { id } = await add("Portal");
    await commands.roles.add(callAs(home), id, [role("reader"), role("writer"), role("owner")]);
    const read = (keys: readonly string[]) =>
      fixture.context.database.read((tx) => listRoleKeys(tx, id, keys));
    expect(await read(["writer", "Reader", "writer", "none"])).toEqual(new Set(["writer"]));
    expect(await read([])).toEqual(new Set());
  });

  test("gives all roles one date, and leaves the details of the project", async () => {
    const { id, details } = await add("Portal");
    const added = await commands.roles.add(callAs(home), id, [role("reader"), role("writer")]);
    expect(added).toEqual({
      sequence: details.sequence + 2,
      creationDate: details.sequence + 2,
      resourceOwner: home,
    });
    expect((await fixture.events(id)).map((event) => event.date)).toEqual([
      details.sequence,
      added.sequence,
      added.sequence,
    ]);
    expect(await commands.get(callAs(home), id)).toMatchObject({ details });
  });

  test("adds none when one is there already, and names it", async () => {
    const { id } = await add("Portal");
    await commands.roles.add(callAs(home), id, [role("reader")]);
    await expect(
      commands.roles.add(callAs(home), id, [role("a"), role("reader"), role("b")]),
    ).rejects.toMatchObject(taken("role", "reader"));
    expect(await keysOf(id)).toEqual(["reader"]);
  });

  test("compares keys exactly as written, within the project", async () => {
    const [portal, gate] = [await add("Portal"), await add("Gate")];
    await commands.roles.add(callAs(home), portal.id, [role("reader"), role("Reader"), role("__proto__")]);
    await commands.roles.add(callAs(home), gate.id, [role("reader")]);
    expect(await keysOf(portal.id)).toEqual(["Reader", "__proto__", "reader"]);
    expect(await keysOf(gate.id)).toEqual(["reader"]);
  });
});

describe("grants.add", () => {
  let projectId: ProjectId;

  beforeEach(async () => {
    projectId = await fixture.addProject(home, ["reader", "writer"]);
  });

  const grant = (
    change: { projectId?: string; grantedOrganizationId?: string; roleKeys?: readonly string[] } = {},
    call = callAs(home),
  ) =>
    commands.grants.add(call, { projectId, grantedOrganizationId: other, roleKeys: ["reader"], ...change });

  test("lends the project with its roles in the order given, each once", async () => {
    const { id, details } = await grant({ roleKeys: ["writer", "reader", "writer"] });
    expect(details).toMatchObject({ creationDate: details.sequence, resourceOwner: home });
    expect(await fixture.database.read((tx) => findProjectGrant(tx, id))).toEqual({
      id,
      details,
      state: "ACTIVE",
      projectId,
      projectName: `project ${projectId}`,
      grantedOrganizationId: other,
      roleKeys: ["writer", "reader"],
    });
  });

  test("may lend no role", async () => {
    await expect(grant({ roleKeys: [] })).resolves.toBeDefined();
  });

  test("refuses the owner of the project", async () => {
    await expect(grant({ grantedOrganizationId: home })).rejects.toMatchObject({
      reason: "FIELD_INVALID",
      violations: [{ field: "granted_organization_id" }],
    });
  });

  test("does not find an organization that is absent or inactive, in the same words", async () => {
    await expect(grant({ grantedOrganizationId: "1" })).rejects.toMatchObject(notFound("organization", "1"));
    await fixture.database.write((tx) =>
      tx.run("UPDATE stored_organizations SET state = 'INACTIVE' WHERE id = ?", [other]),
    );
    await expect(grant()).rejects.toMatchObject(notFound("organization", other));
  });

  test("does not find a role that the project lacks, also when another project has it", async () => {
    await fixture.addProject(home, ["auditor"]);
    await expect(grant({ roleKeys: ["reader", "auditor"] })).rejects.toMatchObject(
      notFound("role", "auditor"),
    );
  });

  test("refuses a second grant to the same organization, whatever its roles", async () => {
    await grant();
    await expect(grant({ roleKeys: ["writer"] })).rejects.toMatchObject(taken("project_grant", other));
    const third = await fixture.addOrganization();
    await expect(grant({ grantedOrganizationId: third })).resolves.toBeDefined();
  });

  test("does not let the granted organization grant on", async () => {
    await grant();
    const third = await fixture.addOrganization();
    await expect(grant({ grantedOrganizationId: third }, callAs(other))).rejects.toMatchObject(
      notFound("project", projectId),
    );
  });

  test("says nothing of organizations and roles before the project is found", async () => {
    const foreign = toId<ProjectId>(await fixture.addProject(other));
    await expect(
      grant({ projectId: foreign, grantedOrganizationId: "1", roleKeys: ["x"] }),
    ).rejects.toMatchObject(notFound("project", foreign));
  });
});
