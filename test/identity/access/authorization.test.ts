import { toInstant } from "../../../src/kernel/base/clock.ts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Caller } from "../../../src/kernel/base/call.ts";
import type { Database } from "../../../src/kernel/base/database.ts";
import type { HeldRoles, Permission } from "../../../src/kernel/base/permission.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { type AccessRequest, authorize } from "../../../src/identity/access/authorization.ts";
import { callBy, instanceId, openSetup, type Setup } from "../memberships/setup.ts";

let setup: Setup;

beforeEach(async () => {
  setup = await openSetup();
});

afterEach(() => setup.close());

const callerWith = (...held: readonly HeldRoles[]): Caller => callBy(setup.home, ...held).caller;
const homeOwner = () => callerWith({ scope: setup.scopes.home, roles: ["ORGANIZATION_OWNER"] });
const instanceViewer = () => callerWith({ scope: setup.scopes.instance, roles: ["INSTANCE_VIEWER"] });
const projectOwner = () => callerWith({ scope: setup.scopes.project, roles: ["PROJECT_OWNER"] });

const ask = (caller: Caller, permission: Permission, on: AccessRequest["on"]) =>
  authorize({ database: setup.log.database, instanceId }, caller, { permission, on });

/** Asks and returns what the caller gets to see: the access, or the problem, thrown or handed on. */
async function answerTo(caller: Caller, permission: Permission, on: AccessRequest["on"]) {
  try {
    const { access, problem } = await ask(caller, permission, on);
    return problem === undefined ? access : { after: "field rules", ...show(problem) };
  } catch (error) {
    if (error instanceof Problem) return { after: "token", ...show(error) };
    throw error;
  }
}

const show = ({ reason, message, metadata, resource }: Problem) => ({ reason, message, metadata, resource });
const all = (organizationId: string) => ({ organizationId, projects: "all", projectGrants: "all" });
const denied = (permission: string, organizationId: string) => ({
  after: "token",
  reason: "PERMISSION_DENIED",
  metadata: { permission, organization_id: organizationId },
});
const notFound = (type: string, name: string) => ({
  after: "field rules",
  reason: "NOT_FOUND",
  resource: { type, name },
});
const nothing = () => ({ organizationId: setup.home, projects: new Set(), projectGrants: new Set() });

test.each<AccessRequest["on"]>([
  { kind: "organization", id: "9" },
  { kind: "instance" },
  { kind: "user", userId: "9", isSelfAllowed: true, isSelfAllowedLimited: false, touch: "acts" },
  { kind: "scope", scope: { kind: "organization", id: "9" } },
  { kind: "scope", scope: { kind: "project", id: "9" } },
  { kind: "scope", scope: { kind: "project-grant", id: "9" } },
  { kind: "membership", membershipId: "9" },
  { kind: "held", id: undefined },
])("who holds the permission nowhere is refused without a look-up on %j", async (on) => {
  const refuse = () => Promise.reject(new Error("looked up"));
  const blind: Database = {
    ...setup.log.database,
    read: (fn) => fn({ now: () => toInstant(0), get: refuse, all: refuse }),
  };
  const request: AccessRequest = { permission: "membership.write", on };
  await expect(authorize({ database: blind, instanceId }, callerWith(), request)).rejects.toMatchObject({
    reason: "PERMISSION_DENIED",
  });
});

describe("a call on an organization", () => {
  const on = (id?: string): AccessRequest["on"] => ({ kind: "organization", id });

  test("acts on the caller's own when it names none", async () => {
    expect(await answerTo(homeOwner(), "project.read", on())).toEqual(all(setup.home));
    expect(await answerTo(callerWith(), "project.read", on())).toMatchObject(
      denied("project.read", setup.home),
    );
  });

  test("is refused in the same words for another organization and for one that never existed", async () => {
    const [foreign, absent] = [
      await answerTo(homeOwner(), "project.read", on(setup.partner)),
      await answerTo(homeOwner(), "project.read", on("9")),
    ];
    expect(foreign).toMatchObject(denied("project.read", setup.partner));
    expect(JSON.stringify(foreign).replace(setup.partner, "9")).toBe(JSON.stringify(absent));
  });

  test("finds nothing of an unknown organization for a caller with permission on the instance", async () => {
    expect(await answerTo(instanceViewer(), "project.read", on(setup.partner))).toEqual(all(setup.partner));
    expect(await answerTo(instanceViewer(), "project.read", on("9"))).toMatchObject(
      notFound("organization", "9"),
    );
  });

  test("opens to a project-scoped role that project only, in the organization that owns it", async () => {
    expect(await answerTo(projectOwner(), "project.write", on())).toEqual({
      organizationId: setup.home,
      projects: new Set([setup.projectId]),
      projectGrants: new Set(),
    });
    expect(await answerTo(projectOwner(), "project.create", on())).toMatchObject(
      denied("project.create", setup.home),
    );
    expect(await answerTo(projectOwner(), "project.write", on(setup.partner))).toMatchObject(
      denied("project.write", setup.partner),
    );
  });
});

describe("a call on the instance", () => {
  const on: AccessRequest["on"] = { kind: "instance" };

  test("needs the permission for the whole instance", async () => {
    const owner = callerWith({ scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
    expect(await answerTo(owner, "organization.create", on)).toEqual(nothing());
    for (const caller of [homeOwner(), instanceViewer(), callerWith()]) {
      expect(await answerTo(caller, "organization.create", on)).toMatchObject(
        denied("organization.create", instanceId),
      );
    }
  });
});

describe("a call on a user", () => {
  const on = (userId: string, change: object = {}): AccessRequest["on"] => ({
    kind: "user",
    userId,
    isSelfAllowed: false,
    isSelfAllowedLimited: false,
    touch: undefined,
    ...change,
  });

  test("acts on the organization of the user", async () => {
    expect(await answerTo(homeOwner(), "user.read", on(setup.userId))).toEqual(all(setup.home));
    expect(await answerTo(instanceViewer(), "user.read", on(setup.partnerUserId))).toEqual(
      all(setup.partner),
    );
  });

  test("finds nobody outside, in the same words for a foreign user and for one who never existed", async () => {
    const [foreign, absent] = [
      await answerTo(homeOwner(), "user.read", on(setup.partnerUserId)),
      await answerTo(homeOwner(), "user.read", on("9")),
    ];
    expect(foreign).toMatchObject(notFound("user", setup.partnerUserId));
    expect(JSON.stringify(foreign).replaceAll(setup.partnerUserId, "9")).toBe(JSON.stringify(absent));
  });

  test("is refused in the same words for every user to whom holds the permission nowhere", async () => {
    for (const userId of [setup.userId, setup.partnerUserId, "9"]) {
      expect(await answerTo(projectOwner(), "user.read", on(userId))).toMatchObject(
        denied("user.read", setup.home),
      );
    }
  });

  test("is open to the user themselves where the rule says so, and gives them nothing else", async () => {
    const caller = { ...callerWith(), userId: setup.userId };
    expect(await answerTo(caller, "user.read", on(setup.userId, { isSelfAllowed: true }))).toEqual(nothing());
    expect(await answerTo(caller, "user.read", on(setup.userId))).toMatchObject(
      denied("user.read", setup.home),
    );
    expect(await answerTo(caller, "user.read", on("9", { isSelfAllowed: true }))).toMatchObject(
      denied("user.read", setup.home),
    );
  });

  test("on their credentials is refused to whom holds less than they do, naming what is missing, and where only to whom may read that", async () => {
    const manager = callerWith({ scope: setup.scopes.home, roles: ["ORGANIZATION_USER_MANAGER"] });
    const guarded = on(setup.userId, { touch: "acts" });
    expect(await answerTo(manager, "user.credential.write", guarded)).toEqual(all(setup.home));
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    expect(await answerTo(manager, "user.credential.write", guarded)).toMatchObject({
      reason: "PERMISSION_DENIED",
      metadata: { permission: "organization.write" },
    });
    const auditor = callerWith(...manager.held, { scope: setup.scopes.home, roles: ["ORGANIZATION_VIEWER"] });
    expect(await answerTo(auditor, "user.credential.write", guarded)).toMatchObject(
      denied("organization.write", setup.home),
    );
    expect(await answerTo(manager, "user.credential.write", on(setup.userId))).toEqual(all(setup.home));
    expect(await answerTo(homeOwner(), "user.credential.write", guarded)).toEqual(all(setup.home));
    await setup.give(setup.userId, setup.scopes.grant, "PROJECT_GRANT_OWNER");
    expect(await answerTo(homeOwner(), "user.credential.write", guarded)).toEqual({
      ...denied("project.grant.read", ""),
      message: "the user holds the permission project.grant.read, which the caller lacks",
      metadata: { permission: "project.grant.read" },
    });
  });

  describe("that stops them", () => {
    const stopping = () => on(setup.userId, { touch: "stops" });
    const manager = () => callerWith({ scope: setup.scopes.home, roles: ["ORGANIZATION_USER_MANAGER"] });

    test("needs its own permission, whatever they hold elsewhere", async () => {
      const { scopes, userId } = setup;
      await setup.give(userId, scopes.instance, "INSTANCE_VIEWER");
      await setup.give(userId, scopes.partner, "ORGANIZATION_OWNER");
      await setup.give(userId, scopes.project, "PROJECT_OWNER");
      await setup.give(userId, scopes.grant, "PROJECT_GRANT_OWNER");
      await setup.give(userId, scopes.home, "ORGANIZATION_PROJECT_MANAGER", "ORGANIZATION_VIEWER");
      expect(await answerTo(manager(), "user.write", stopping())).toEqual(all(setup.home));
      expect(await answerTo(projectOwner(), "user.write", stopping())).toMatchObject(
        denied("user.write", setup.home),
      );
    });

    test("is refused about an owner of their organization to whom does not hold all of that role there", async () => {
      await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER");
      expect(await answerTo(manager(), "user.write", stopping())).toMatchObject({
        reason: "PERMISSION_DENIED",
        metadata: { permission: "organization.write" },
      });
      expect(await answerTo(homeOwner(), "user.write", stopping())).toEqual(all(setup.home));
      const instanceOwner = callerWith({ scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
      expect(await answerTo(instanceOwner, "user.write", stopping())).toEqual(all(setup.home));
    });

    test("is refused about an owner of the instance to whom does not hold all of that role", async () => {
      await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
      const both = callerWith(...homeOwner().held, ...instanceViewer().held);
      expect(await answerTo(homeOwner(), "user.write", stopping())).toMatchObject({
        reason: "PERMISSION_DENIED",
        metadata: { permission: "organization.create" },
      });
      expect(await answerTo(both, "user.write", stopping())).toMatchObject(
        denied("organization.create", instanceId),
      );
      const instanceOwner = callerWith({ scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
      expect(await answerTo(instanceOwner, "user.write", stopping())).toEqual(all(setup.home));
    });
  });

  describe("of a caller whose token is limited", () => {
    const self = (change: object = {}) => on(setup.userId, { isSelfAllowed: true, ...change });
    const limited = (...held: readonly HeldRoles[]): Caller => ({
      ...callerWith(...held),
      userId: setup.userId,
      isLimited: true,
    });

    test("is not open to the user themselves, but where the rule says so", async () => {
      expect(await answerTo(limited(), "user.credential.write", self())).toMatchObject({
        after: "token",
        reason: "TOKEN_LIMITED",
        metadata: {},
      });
      const open = self({ isSelfAllowedLimited: true, touch: "acts" });
      expect(await answerTo(limited(), "user.credential.write", open)).toEqual(nothing());
    });

    test("is open as to anybody else who holds what the token carries", async () => {
      await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
      const stops = self({ touch: "stops" });
      const acts = self({ touch: "acts" });
      const owner = limited(...homeOwner().held);
      expect(await answerTo(owner, "user.credential.write", stops)).toEqual(all(setup.home));
      expect(await answerTo(owner, "user.credential.write", acts)).toEqual(all(setup.home));
      const manager = limited({ scope: setup.scopes.home, roles: ["ORGANIZATION_USER_MANAGER"] });
      const elsewhere = limited({ scope: setup.scopes.partner, roles: ["ORGANIZATION_OWNER"] });
      for (const caller of [manager, elsewhere])
        for (const asked of [stops, acts])
          expect(await answerTo(caller, "user.credential.write", asked)).toMatchObject({
            after: "token",
            reason: "TOKEN_LIMITED",
          });
    });
  });

  test("on their own credentials needs no more than they hold", async () => {
    await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_OWNER");
    const caller = { ...callerWith(), userId: setup.userId };
    const guarded = on(setup.userId, { isSelfAllowed: true, touch: "acts" });
    expect(await answerTo(caller, "user.credential.write", guarded)).toEqual(nothing());
  });
});

describe("a call on a scope", () => {
  const on = (scope: (AccessRequest["on"] & { kind: "scope" })["scope"]): AccessRequest["on"] => ({
    kind: "scope",
    scope,
  });
  const write = "membership.write";

  test("on the instance needs the permission for the instance", async () => {
    expect(await answerTo(homeOwner(), write, on({ kind: "instance" }))).toMatchObject(
      denied(write, instanceId),
    );
  });

  test("on an organization is refused in the same words for another one and for none", async () => {
    expect(await answerTo(homeOwner(), write, on({ kind: "organization", id: setup.home }))).toEqual(
      all(setup.home),
    );
    const [foreign, absent] = [
      await answerTo(homeOwner(), write, on({ kind: "organization", id: setup.partner })),
      await answerTo(homeOwner(), write, on({ kind: "organization", id: "9" })),
    ];
    expect(foreign).toMatchObject(denied(write, setup.partner));
    expect(JSON.stringify(foreign).replace(setup.partner, "9")).toBe(JSON.stringify(absent));
  });

  test("on an organization is refused to the owner of one of its projects", async () => {
    const scope = { kind: "organization", id: setup.home } as const;
    expect(await answerTo(projectOwner(), write, on(scope))).toMatchObject(denied(write, setup.home));
  });

  test("on a project or project grant finds only what the role reaches", async () => {
    const next = await setup.addProject(setup.partner);
    const name = { kind: "project", id: setup.projectId } as const;
    expect(await answerTo(projectOwner(), write, on(name))).toEqual(nothing());
    expect(await answerTo(homeOwner(), write, on({ kind: "project", id: next }))).toMatchObject(
      notFound("project", next),
    );
    expect(await answerTo(homeOwner(), write, on({ kind: "project", id: "9" }))).toMatchObject(
      notFound("project", "9"),
    );
    const grant = { kind: "project-grant", id: setup.projectGrantId } as const;
    expect(await answerTo(homeOwner(), write, on(grant))).toMatchObject(
      notFound("project_grant", setup.projectGrantId),
    );
  });

  test("on a project is refused to whom holds the permission nowhere, whether it exists or not", async () => {
    const viewer = callerWith({ scope: setup.scopes.project, roles: ["PROJECT_VIEWER"] });
    for (const id of [setup.projectId, "9"]) {
      expect(await answerTo(viewer, write, on({ kind: "project", id }))).toMatchObject(
        denied(write, setup.home),
      );
    }
  });

  test("without a scope is left to the field rules, for whom holds the permission somewhere", async () => {
    expect(await answerTo(homeOwner(), write, on(undefined))).toEqual(nothing());
    expect(await answerTo(callerWith(), write, on(undefined))).toMatchObject(denied(write, setup.home));
  });
});

describe("a call on a membership", () => {
  const on = (membershipId: string): AccessRequest["on"] => ({ kind: "membership", membershipId });
  const write = "membership.write";

  test("is let in where the caller holds the permission on its scope, and opens nothing else", async () => {
    const { scopes, userId } = setup;
    const [home, project, grant, instance] = [
      await setup.give(userId, scopes.home, "ORGANIZATION_OWNER"),
      await setup.give(userId, scopes.project, "PROJECT_VIEWER"),
      await setup.give(userId, scopes.grant, "PROJECT_GRANT_OWNER"),
      await setup.give(userId, scopes.instance, "INSTANCE_VIEWER"),
    ];
    const callers = {
      instanceOwner: callerWith({ scope: scopes.instance, roles: ["INSTANCE_OWNER"] }),
      homeOwner: homeOwner(),
      projectOwner: projectOwner(),
      grantOwner: callerWith({ scope: scopes.grant, roles: ["PROJECT_GRANT_OWNER"] }),
      partnerOwner: callerWith({ scope: scopes.partner, roles: ["ORGANIZATION_OWNER"] }),
    };
    const seen: Record<string, readonly boolean[]> = {};
    for (const [name, caller] of Object.entries(callers)) {
      const answers = [];
      for (const id of [home, project, grant, instance]) answers.push(await answerTo(caller, write, on(id)));
      const isIn = (answer: object) => !("reason" in answer);
      for (const answer of answers.filter(isIn)) expect(answer).toEqual(nothing());
      seen[name] = answers.map(isIn);
    }
    expect(seen).toEqual({
      instanceOwner: [true, true, true, true],
      homeOwner: [true, true, false, false],
      projectOwner: [false, true, false, false],
      grantOwner: [false, false, true, false],
      partnerOwner: [false, false, true, false],
    });
  });

  test("finds none outside, in the same words for a foreign one and for one that never existed", async () => {
    const id = await setup.give(setup.partnerUserId, setup.scopes.partner, "ORGANIZATION_OWNER");
    const [foreign, absent] = [
      await answerTo(homeOwner(), write, on(id)),
      await answerTo(homeOwner(), write, on("9")),
    ];
    expect(foreign).toMatchObject(notFound("membership", id));
    expect(JSON.stringify(foreign).replaceAll(id, "9")).toBe(JSON.stringify(absent));
  });

  test("is refused in the same words for every membership to whom holds the permission nowhere", async () => {
    const id = await setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_USER_MANAGER");
    const viewer = callerWith({ scope: setup.scopes.home, roles: ["ORGANIZATION_VIEWER"] });
    for (const each of [id, "9"]) {
      expect(await answerTo(viewer, write, on(each))).toMatchObject(denied(write, setup.home));
    }
  });
});
