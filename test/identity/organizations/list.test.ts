import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type OrganizationId, toId } from "../../../src/kernel/base/ids.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import type { HeldRoles, Role } from "../../../src/kernel/base/permission.ts";
import {
  createOrganizationCommands,
  type OrganizationCommands,
} from "../../../src/identity/organizations/commands.ts";
import { callBy, instanceId, openSetup, type Setup } from "../memberships/setup.ts";

let setup: Setup;
let commands: OrganizationCommands;
let third: OrganizationId;

beforeEach(async () => {
  setup = await openSetup();
  commands = createOrganizationCommands(setup.log.context, instanceId);
  third = (await commands.add(callBy(setup.home), "Another")).id;
});

afterEach(() => setup.close());

const on = (organizationId: OrganizationId, role: Role = "ORGANIZATION_VIEWER"): HeldRoles => ({
  scope: { kind: "organization", organizationId },
  roles: [role],
});
const instanceViewer = () => callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_VIEWER"] });

async function list(call: Call, name = "", page: Partial<PageRequest> = {}) {
  const request = { pageSize: 0, pageToken: "", countTotal: true, ...page };
  const answer = await commands.list(call, { name }, request);
  return {
    names: answer.page.items.map((organization) => organization.name),
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
  };
}

describe("list", () => {
  test("gives all organizations to whom may read them instance-wide, oldest first", async () => {
    expect(await list(instanceViewer())).toMatchObject({
      names: ["Home", "Partner", "Another"],
      total: 3,
      next: "",
    });
  });

  test("gives those that the caller may read, oldest first, whatever the order and number of their roles", async () => {
    const call = callBy(
      setup.home,
      on(third, "ORGANIZATION_USER_MANAGER"),
      on(setup.home),
      on(setup.home, "ORGANIZATION_PROJECT_MANAGER"),
      { scope: setup.scopes.grant, roles: ["PROJECT_GRANT_OWNER"] },
    );
    expect(await list(call)).toMatchObject({ names: ["Home", "Another"], total: 2, next: "" });
  });

  test("leaves out organizations that do not exist any more, and those where only a project is held", async () => {
    const call = callBy(setup.home, on(toId("9")), on(setup.partner), {
      scope: setup.scopes.project,
      roles: ["PROJECT_OWNER"],
    });
    expect(await list(call)).toMatchObject({ names: ["Partner"], total: 1 });
  });

  test("by name compares as unique names are compared, among those that the caller may read", async () => {
    expect(await list(instanceViewer(), " PARTNER ")).toMatchObject({ names: ["Partner"], total: 1 });
    expect(await list(callBy(setup.home, on(setup.home)), "partner")).toMatchObject({ names: [], total: 0 });
    expect(await list(callBy(setup.home, on(setup.home)), "home")).toMatchObject({ names: ["Home"] });
    expect(await list(instanceViewer(), "Part")).toMatchObject({ names: [] });
  });

  test("by words finds among those that the caller may read, by name, and by id in full", async () => {
    const search = async (call: Call, text: string) => {
      const page = { pageSize: 0, pageToken: "", countTotal: true };
      const answer = await commands.list(call, { search: text, name: "" }, page);
      return [answer.page.totalResult, ...answer.page.items.map(({ name }) => name)];
    };
    await commands.add(callBy(setup.home), "Home of another");
    expect(await search(instanceViewer(), "HOM")).toEqual([2, "Home", "Home of another"]);
    expect(await search(instanceViewer(), "another of")).toEqual([1, "Home of another"]);
    expect(await search(instanceViewer(), third)).toEqual([1, "Another"]);
    expect(await search(callBy(setup.home, on(setup.home)), "ho")).toEqual([1, "Home"]);
    expect(await search(callBy(setup.home, on(setup.home)), third)).toEqual([0]);
  });

  test("gives inactive ones, counts only when asked to, and says up to which event it is true", async () => {
    await setup.log.run("UPDATE stored_organizations SET state = 'INACTIVE' WHERE id = ?", [third]);
    const last = (await setup.log.events()).at(-1);
    expect(await list(instanceViewer(), "", { countTotal: false })).toEqual({
      names: ["Home", "Partner", "Another"],
      total: undefined,
      next: "",
      sequence: last?.sequence,
    });
  });
});

describe("a page token", () => {
  test.each([
    ["instance-wide", instanceViewer],
    ["on each", () => callBy(setup.home, on(third), on(setup.home), on(setup.partner))],
  ])("leads through all pages of whom holds the permission %s", async (_where, call) => {
    const names: string[] = [];
    let pageToken = "";
    for (let page = 0; page < 3; page += 1) {
      const answer = await list(call(), "", { pageSize: 1, pageToken });
      expect(answer.total).toBe(3);
      names.push(...answer.names);
      pageToken = answer.next;
    }
    expect(names).toEqual(["Home", "Partner", "Another"]);
    expect(pageToken).toBe("");
  });

  test("is good for the same filter and for callers of the same organization only", async () => {
    const { next: pageToken } = await list(instanceViewer(), "", { pageSize: 1 });
    const invalid = { reason: "PAGE_TOKEN_INVALID" };
    await expect(list(instanceViewer(), "Home", { pageToken })).rejects.toMatchObject(invalid);
    const elsewhere = callBy(setup.partner, { scope: setup.scopes.instance, roles: ["INSTANCE_VIEWER"] });
    await expect(list(elsewhere, "", { pageToken })).rejects.toMatchObject(invalid);
  });
});
