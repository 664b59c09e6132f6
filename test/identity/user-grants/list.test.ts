import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId, ProjectGrantId, ProjectId, UserId } from "../../../src/kernel/base/ids.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import type { HeldRoles } from "../../../src/kernel/base/permission.ts";
import {
  createUserGrantCommands,
  type UserGrantCommands,
} from "../../../src/identity/user-grants/commands.ts";
import type { UserGrant } from "../../../src/identity/user-grants/user-grant.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { newUserGrant } from "../../support/samples.ts";

let fixture: FeatureFixture;
let commands: UserGrantCommands;
let home: OrganizationId;
let away: OrganizationId;
let users: readonly UserId[];
/** Two projects of `home`, and one of `away` that is granted to it. */
let projects: readonly [ProjectId, ProjectId, ProjectId];
let projectGrant: ProjectGrantId;
/** All grants that `home` has given, oldest first. */
let all: readonly UserGrant[];

const permission = "user.grant.read";
const roleKeys = ["reader", "writer", "admin"];
const rolesOf = (bits: number) => roleKeys.filter((_key, index) => ((bits >> index) & 1) === 1);

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createUserGrantCommands(fixture.context);
  home = await fixture.addOrganization();
  away = await fixture.addOrganization();
  users = await Promise.all([0, 1, 2, 3].map(() => fixture.addUser(home)));
  projects = [
    await fixture.addProject(home, roleKeys),
    await fixture.addProject(home, roleKeys),
    await fixture.addProject(away, roleKeys),
  ];
  projectGrant = await fixture.addProjectGrant(projects[2], away, home, roleKeys);
  const added: UserGrant[] = [];
  for (const [index, userId] of users.entries()) {
    for (const [at, projectId] of projects.entries()) {
      const projectGrantId = at === 2 ? projectGrant : "";
      const input = { userId, projectId, projectGrantId, roleKeys: rolesOf(index * 3 + at) };
      const { id: grantId } = await commands.add(callAs(home, { permission }), input);
      added.push(await commands.get(callAs(home, { permission }), { userId, grantId }));
    }
  }
  all = added;
  // What others have given: to users of theirs, and for the project that `home` has too.
  const stranger = await fixture.addUser(away);
  const input = newUserGrant({ userId: stranger, projectId: projects[2], roleKeys });
  await commands.add(callAs(away, { permission }), input);
});

afterAll(() => fixture.close());

const any = { userId: "", projectId: "", roleKey: "", search: "" };

async function list(input: { call?: Call; filter?: Partial<typeof any>; page?: Partial<PageRequest> } = {}) {
  const page = { pageSize: 0, pageToken: "", countTotal: true, ...input.page };
  const call = input.call ?? callAs(home, { permission });
  const answer = await commands.list(call, { ...any, ...input.filter }, page);
  return {
    items: answer.page.items,
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

/** Reads page after page to the end. */
async function listAll(
  call: Call,
  filter: Partial<typeof any>,
  pageSize: number,
): Promise<readonly UserGrant[]> {
  const items: UserGrant[] = [];
  let pageToken = "";
  do {
    const answer = await list({ call, filter, page: { pageSize, pageToken } });
    items.push(...answer.items);
    pageToken = answer.next;
  } while (pageToken !== "");
  return items;
}

const callOn = (choice: { readonly projects: readonly ProjectId[]; readonly isGrant: boolean }): Call => {
  const held = choice.projects.map((projectId): HeldRoles => {
    return { scope: { kind: "project", projectId, organizationId: home }, roles: ["PROJECT_VIEWER"] };
  });
  const onGrant: HeldRoles = {
    scope: { kind: "project-grant", projectGrantId: projectGrant, organizationId: home },
    roles: ["PROJECT_GRANT_OWNER"],
  };
  return callAs(home, { held: choice.isGrant ? [...held, onGrant] : held, permission });
};

describe("list", () => {
  test("gives what the organization has given, with the roles, oldest first, and counts it", async () => {
    expect(await list()).toMatchObject({ items: all, total: 12, next: "" });
  });

  test("gives each organization its own only", async () => {
    const { items, total } = await list({ call: callAs(away, { permission }) });
    expect(items.map(({ details, roleKeys: keys }) => [details.resourceOwner, keys])).toEqual([
      [away, roleKeys],
    ]);
    expect(total).toBe(1);
    expect(await list({ filter: { userId: items[0]?.userId ?? "" } })).toMatchObject({ items: [], total: 0 });
  });

  test.each(["4711", "x' OR 1=1", "__proto__"])("is empty for the filter %s", async (text) => {
    for (const filter of [{ userId: text }, { projectId: text }, { roleKey: text }])
      expect(await list({ filter })).toMatchObject({ items: [], total: 0, next: "" });
  });

  test("compares role keys exactly", async () => {
    expect(await list({ filter: { roleKey: "READER" } })).toMatchObject({ items: [] });
  });

  test("by words finds by role keys, by projects, and by users where the caller may read them", async () => {
    const find = async (search: string, call?: Call) =>
      (await list({ filter: { search }, ...(call && { call }) })).items;
    const [user = ""] = users;
    expect(await find("WRIT")).toEqual(all.filter((grant) => grant.roleKeys.includes("writer")));
    expect(await find("project")).toEqual(all);
    expect(await find(projects[2])).toEqual(all.filter(({ projectId }) => projectId === projects[2]));
    expect(await find(`user ${user}`)).toEqual(all.filter(({ userId }) => userId === user));
    expect(await find(`${projects[0]} adm`)).toEqual(
      all.filter((grant) => grant.projectId === projects[0] && grant.roleKeys.includes("admin")),
    );
    expect(await find("ead")).toEqual([]);
    // A role on a single project lets nobody read users.
    const onProject = callOn({ projects: [projects[0]], isGrant: false });
    expect([await find("user", onProject), await find(user, onProject)]).toEqual([[], []]);
    expect(await find("project", onProject)).toEqual(
      all.filter(({ projectId }) => projectId === projects[0]),
    );
    expect(await listAll(callAs(home, { permission }), { search: "project" }, 5)).toEqual(all);
    const { next, total } = await list({ filter: { search: "project" }, page: { pageSize: 5 } });
    expect(total).toBe(12);
    await expect(list({ filter: { search: "user" }, page: { pageToken: next } })).rejects.toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
  });

  test("takes a page token for the same filters, organization and list only", async () => {
    const { next } = await list({ filter: { roleKey: "reader" }, page: { pageSize: 1 } });
    const foreign = [
      { filter: { roleKey: "writer" } },
      { filter: { roleKey: "reader", userId: users[0] ?? "" } },
      { filter: { roleKey: "reader", projectId: projects[0] } },
      { filter: { roleKey: "reader" }, call: callAs(away, { permission }) },
    ];
    for (const each of foreign)
      await expect(list({ ...each, page: { pageToken: next } })).rejects.toMatchObject({
        reason: "PAGE_TOKEN_INVALID",
      });
    expect((await list({ filter: { roleKey: "reader" }, page: { pageToken: next } })).items).not.toEqual([]);
  });

  test("equals a plain filter over all grants, whoever asks, whatever the filters and the size of pages", async () => {
    const chosen = <T>(values: readonly T[]) => fc.constantFrom(...values);
    const asked = fc.record({
      user: chosen([...users, ""]),
      project: chosen([...projects, ""]),
      roleKey: chosen([...roleKeys, ""]),
      pageSize: fc.integer({ min: 1, max: 7 }),
      open: fc.option(
        fc
          .record({ projects: fc.subarray([projects[0], projects[1]]), isGrant: fc.boolean() })
          .filter((each) => each.isGrant || each.projects.length > 0),
      ),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ user, project, roleKey, pageSize, open }) => {
        const call = open === null ? callAs(home, { permission }) : callOn(open);
        const filter = { userId: user, projectId: project, roleKey };
        const expected = all.filter(
          (grant) =>
            (user === "" || grant.userId === user) &&
            (project === "" || grant.projectId === project) &&
            (roleKey === "" || grant.roleKeys.includes(roleKey)) &&
            (open === null ||
              (grant.projectGrantId === "" ? open.projects.includes(grant.projectId) : open.isGrant)),
        );
        expect(await listAll(call, filter, pageSize)).toEqual(expected);
        expect((await list({ call, filter, page: { pageSize: 1 } })).total).toBe(expected.length);
      }),
      { numRuns: 100 },
    );
  });

  test("shows changes of a grant at its place, and under the filter of its new roles", async () => {
    const organizationId = await fixture.addOrganization();
    const call = callAs(organizationId, { permission });
    const projectId = await fixture.addProject(organizationId, roleKeys);
    const [first, second] = await Promise.all([0, 1].map(() => fixture.addUser(organizationId)));
    const give = (userId = "") =>
      commands.add(call, newUserGrant({ userId, projectId, roleKeys: ["reader"] }));
    const { id } = await give(first);
    await give(second);
    const name = { userId: first ?? "", grantId: id };
    await commands.update(call, name, { roleKeys: ["admin"] });
    await commands.deactivate(call, name);
    expect((await list({ call })).items[0]).toMatchObject({ id, state: "INACTIVE", roleKeys: ["admin"] });
    expect((await list({ call, filter: { roleKey: "admin" } })).items.map((grant) => grant.id)).toEqual([id]);
    expect((await list({ call, filter: { roleKey: "reader" } })).total).toBe(1);
  });
});
