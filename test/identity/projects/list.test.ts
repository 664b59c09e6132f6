import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId, ProjectId } from "../../../src/kernel/base/ids.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import { createProjectCommands, type ProjectCommands } from "../../../src/identity/projects/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { projectSettings } from "../../support/samples.ts";

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

async function add(name: string, organizationId = home): Promise<ProjectId> {
  return (await commands.add(callAs(organizationId), projectSettings({ name }))).id;
}

type Filter = Parameters<ProjectCommands["list"]>[1];

async function list(input: { call?: Call; filter?: Partial<Filter>; page?: Partial<PageRequest> } = {}) {
  const page = { pageSize: 0, pageToken: "", countTotal: true, ...input.page };
  const answer = await commands.list(input.call ?? callAs(home), input.filter ?? {}, page);
  return {
    names: answer.page.items.map((project) => project.name),
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

const callOnProjects = (...ids: readonly ProjectId[]) =>
  callAs(home, {
    held: ids.map((projectId): HeldRoles => {
      return { scope: { kind: "project", projectId, organizationId: home }, roles: ["PROJECT_VIEWER"] };
    }),
    permission: "project.read",
  });

describe("list", () => {
  test("gives the projects of the organization, oldest first, and counts them", async () => {
    for (const name of ["C", "A", "B"]) await add(name);
    await add("D", other);
    expect(await list()).toMatchObject({ names: ["C", "A", "B"], total: 3, next: "" });
    expect(await list({ call: callAs(other) })).toMatchObject({ names: ["D"], total: 1 });
  });

  test("finds by the beginnings of words, in the order of names, what is open to the caller", async () => {
    const ids = [await add("Red lamp"), await add("Lamp post"), await add("Lantern")];
    await add("Lamp room", other);
    const found = (search: string, call?: Call) => list({ filter: { search }, ...(call && { call }) });
    expect(await found("LA")).toMatchObject({ names: ["Lamp post", "Lantern", "Red lamp"], total: 3 });
    expect(await found("la re")).toMatchObject({ names: ["Red lamp"], total: 1 });
    expect(await found("amp")).toMatchObject({ names: [], total: 0 });
    const some = callOnProjects(...ids.slice(1));
    expect(await found("lamp", some)).toMatchObject({ names: ["Lamp post"], total: 1 });
    expect(await found(String(ids[0]), some)).toMatchObject({ names: [] });
    await commands.update(callAs(home), ids[1]!, projectSettings({ name: "Candle" }));
    await commands.remove(callAs(home), ids[0]!);
    expect(await found("lamp")).toMatchObject({ names: [] });
    expect(await found("cand")).toMatchObject({ names: ["Candle"] });
  });

  test("keeps a project at its place when it changes", async () => {
    const first = await add("A");
    await add("B");
    await commands.update(callAs(home), first, projectSettings({ name: "Z" }));
    expect(await list()).toMatchObject({ names: ["Z", "B"] });
  });
});

describe("what a caller may see", () => {
  test("with the page token of somebody who may see more is still only that", async () => {
    for (const name of ["A", "B"]) await add(name);
    const { next } = await list({ page: { pageSize: 1 } });
    const call = callOnProjects(await add("Mine"));
    expect(await list({ call, page: { pageToken: next } })).toMatchObject({ names: ["Mine"], total: 1 });
  });

  test("with several project-scoped roles is these projects, in pages too", async () => {
    const ids: ProjectId[] = [];
    for (const name of ["A", "B", "C", "D", "E"]) ids.push(await add(name));
    const call = callOnProjects(ids[0]!, ids[2]!, ids[4]!);
    const first = await list({ call, page: { pageSize: 2 } });
    expect(first).toMatchObject({ names: ["A", "C"], total: 3 });
    expect(await list({ call, page: { pageToken: first.next } })).toMatchObject({ names: ["E"] });
  });

  test("with a role on a project of another organization is nothing here", async () => {
    const foreign = await add("Foreign", other);
    await add("A");
    expect(await list({ call: callOnProjects(foreign) })).toMatchObject({ names: [], total: 0 });
  });
});

describe("filters", () => {
  beforeEach(async () => {
    for (const name of ["Portal", "Portal 2", "100%", "100 percent"]) await add(name);
  });

  test.each(["Portal", "PORTAL", " portal "])("find the project whose name counts as %j", async (name) => {
    expect(await list({ filter: { name } })).toMatchObject({ names: ["Portal"], total: 1 });
  });

  test.each(["Port", "%", "100_", "P%", "_ortal", "*", "' OR 1=1 --"])(
    "take %j as a plain name",
    async (name) => {
      expect(await list({ filter: { name } })).toMatchObject({ names: [], total: 0 });
    },
  );

  test("find a name that looks like a pattern", async () => {
    expect(await list({ filter: { name: "100%" } })).toMatchObject({ names: ["100%"] });
  });
});
