import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { PageRequest } from "../../../src/kernel/base/paging.ts";
import { type HeldRoles, holdsAt, type Role, type Scope } from "../../../src/kernel/base/permission.ts";
import {
  createMembershipCommands,
  type MembershipCommands,
} from "../../../src/identity/memberships/commands.ts";
import type { Membership, ScopeName } from "../../../src/identity/memberships/membership.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";

let setup: Setup;
let commands: MembershipCommands;
/** Every membership, by a name for it. */
let given: Readonly<Record<string, string>>;

beforeEach(async () => {
  setup = await openSetup();
  commands = createMembershipCommands(setup.log.context, instanceId);
  const { scopes, userId, partnerUserId } = setup;
  given = {
    instance: await setup.give(userId, scopes.instance, "INSTANCE_OWNER"),
    home: await setup.give(userId, scopes.home, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"),
    guest: await setup.give(partnerUserId, scopes.home, "ORGANIZATION_VIEWER"),
    project: await setup.give(userId, scopes.project, "PROJECT_OWNER"),
    grant: await setup.give(partnerUserId, scopes.grant, "PROJECT_GRANT_OWNER"),
    partner: await setup.give(partnerUserId, scopes.partner, "ORGANIZATION_OWNER"),
  };
});

afterEach(() => setup.close());

type Filter = Parameters<MembershipCommands["list"]>[1];

async function list(call: Call, filter: Partial<Filter> = {}, page: Partial<PageRequest> = {}) {
  const request = { pageSize: 0, pageToken: "", countTotal: true, ...page };
  const answer = await commands.list(call, { userId: "", scopes: [], ...filter }, request);
  const names = new Map(Object.entries(given).map(([name, id]) => [id, name]));
  return {
    names: answer.page.items.map(({ id }) => names.get(id) ?? id),
    total: answer.page.totalResult,
    next: answer.page.nextPageToken,
    sequence: answer.sequence,
    items: answer.page.items,
  };
}

const callOn = (scope: Scope, ...roles: readonly Role[]) => callBy(setup.home, { scope, roles });
const instanceViewer = () => callOn(setup.scopes.instance, "INSTANCE_VIEWER");
const everything = ["instance", "home", "guest", "project", "grant", "partner"];

describe("what a caller sees", () => {
  test.each<[Role, keyof Setup["scopes"], readonly string[]]>([
    ["INSTANCE_OWNER", "instance", everything],
    ["INSTANCE_VIEWER", "instance", everything],
    ["ORGANIZATION_VIEWER", "home", ["home", "guest", "project"]],
    ["ORGANIZATION_OWNER", "partner", ["grant", "partner"]],
    ["PROJECT_VIEWER", "project", ["project"]],
    ["PROJECT_GRANT_OWNER", "grant", ["grant"]],
    ["ORGANIZATION_USER_MANAGER", "home", []],
  ])("as %s on %s is %j, oldest first", async (role, scope, names) => {
    expect(await list(callOn(setup.scopes[scope], role))).toMatchObject({
      names,
      total: names.length,
      next: "",
    });
  });

  test("holds scope, roles and details of each", async () => {
    const { items, sequence } = await list(instanceViewer());
    expect(items.map(({ scope }) => scope)).toEqual([
      setup.scopes.instance,
      setup.scopes.home,
      setup.scopes.home,
      setup.scopes.project,
      setup.scopes.grant,
      setup.scopes.partner,
    ]);
    expect(items.map(({ details }) => details.resourceOwner)).toEqual([
      instanceId,
      setup.home,
      setup.home,
      setup.home,
      setup.partner,
      setup.partner,
    ]);
    expect(items[1]).toMatchObject({
      userId: setup.userId,
      roles: ["ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"],
    });
    expect(items.at(-1)?.details.sequence).toBe(sequence);
  });
});

describe("filters", () => {
  test("by user and scope leave the one, and by two scopes nothing", async () => {
    const home: ScopeName = { kind: "organization", id: setup.home };
    const both = { userId: setup.partnerUserId, scopes: [home] };
    expect(await list(instanceViewer(), both)).toMatchObject({ names: ["guest"], total: 1 });
    expect(
      await list(instanceViewer(), { scopes: [home, { kind: "project", id: setup.projectId }] }),
    ).toMatchObject({ names: [], total: 0 });
  });
});

describe("a page token", () => {
  test("goes on behind the last one, and is good for the same filters and organization only", async () => {
    const first = await list(instanceViewer(), {}, { pageSize: 4 });
    expect(first).toMatchObject({ names: everything.slice(0, 4), total: 6 });
    const pageToken = first.next;
    expect(await list(instanceViewer(), {}, { pageSize: 4, pageToken })).toMatchObject({
      names: everything.slice(4),
      next: "",
    });
    const invalid = { reason: "PAGE_TOKEN_INVALID" };
    const filters: readonly Partial<Filter>[] = [
      { userId: setup.userId },
      { scopes: [{ kind: "instance" }] },
      { scopes: [{ kind: "organization", id: setup.home }] },
    ];
    for (const filter of filters)
      await expect(list(instanceViewer(), filter, { pageToken })).rejects.toMatchObject(invalid);
    const elsewhere = callBy(setup.partner, { scope: setup.scopes.instance, roles: ["INSTANCE_VIEWER"] });
    await expect(list(elsewhere, {}, { pageToken })).rejects.toMatchObject(invalid);
  });

  test("is judged also where nothing can match", async () => {
    const scopes: readonly ScopeName[] = [{ kind: "project", id: "9" }];
    await expect(list(instanceViewer(), { scopes }, { pageToken: "x" })).rejects.toMatchObject({
      reason: "PAGE_TOKEN_INVALID",
    });
  });
});

test("for whatever a caller holds and asks, the pages are what they may read and asked for", async () => {
  const { scopes } = setup;
  const all = (await list(instanceViewer())).items;
  const holdings = fc.uniqueArray(
    fc.constantFrom<HeldRoles>(
      { scope: scopes.instance, roles: ["INSTANCE_VIEWER"] },
      { scope: scopes.home, roles: ["ORGANIZATION_OWNER"] },
      { scope: scopes.home, roles: ["ORGANIZATION_PROJECT_MANAGER"] },
      { scope: scopes.partner, roles: ["ORGANIZATION_VIEWER"] },
      { scope: scopes.project, roles: ["PROJECT_VIEWER"] },
      { scope: scopes.grant, roles: ["PROJECT_GRANT_OWNER"] },
    ),
    { maxLength: 4 },
  );
  const names: readonly ScopeName[] = [
    { kind: "instance" },
    { kind: "organization", id: setup.home },
    { kind: "project", id: setup.projectId },
    { kind: "project-grant", id: setup.projectGrantId },
    { kind: "organization", id: "9" },
    { kind: "project-grant", id: setup.projectId },
  ];
  const filters = fc.record({
    userId: fc.constantFrom("", setup.userId, setup.partnerUserId, "9"),
    scopes: fc.oneof(
      fc.constant([]),
      fc.constantFrom(...names).map((name) => [name]),
    ),
  });
  await fc.assert(
    fc.asyncProperty(holdings, filters, fc.integer({ min: 1, max: 3 }), async (held, filter, pageSize) => {
      const call = callBy(setup.home, ...held);
      const seen: Membership[] = [];
      let pageToken = "";
      do {
        const page = await list(call, filter, { pageSize, pageToken });
        seen.push(...page.items);
        pageToken = page.next;
        expect(page.total).toBe(expectedOf(all, held, filter).length);
      } while (pageToken !== "" && seen.length <= all.length);
      expect(seen).toEqual(expectedOf(all, held, filter));
    }),
    { numRuns: 200 },
  );
}, 60_000);

/** What the list is, said without queries. */
function expectedOf(all: readonly Membership[], held: readonly HeldRoles[], filter: Filter) {
  return all.filter(
    ({ scope, userId }) =>
      holdsAt(held, "membership.read", scope) &&
      (filter.userId === "" || userId === filter.userId) &&
      filter.scopes.every((name) => isOn(scope, name)),
  );
}

function isOn(scope: Scope, name: ScopeName): boolean {
  switch (scope.kind) {
    case "instance":
      return name.kind === "instance";
    case "organization":
      return name.kind === "organization" && name.id === scope.organizationId;
    case "project":
      return name.kind === "project" && name.id === scope.projectId;
    case "project-grant":
      return name.kind === "project-grant" && name.id === scope.projectGrantId;
  }
}
