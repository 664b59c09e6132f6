import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toInstant } from "../../../src/kernel/base/clock.ts";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { GroupId, OrganizationId, UserId } from "../../../src/kernel/base/ids.ts";
import {
  createExplanationCommands,
  type ExplanationCommands,
  type Question,
} from "../../../src/identity/explanations/commands.ts";
import { problemOf } from "../../support/problems.ts";
import { callBy, instanceId } from "../memberships/setup.ts";
import { type GroupStage, openGroupStage } from "../group-service/stage.ts";

let stage: GroupStage;
let explanations: ExplanationCommands;
let user: UserId;

beforeEach(async () => {
  stage = await openGroupStage();
  explanations = createExplanationCommands(stage.log.context, instanceId);
  user = await stage.addUser(stage.home);
  await stage.addRoles(stage.projectId, "reader", "writer");
});

afterEach(() => stage.close());

const role = (roleKey = "reader"): Question => ({ kind: "role", projectId: stage.projectId, roleKey });
const inMs = (ms: number) => toInstant(stage.log.clock.nowMs() + ms);

/** Asks, and returns the answer in short: a step as kind, id and reason, with a `!` before one that denies. */
async function ask(
  question: Question,
  { by = stage.owner, userId = user }: { by?: Call; userId?: string } = {},
) {
  const { isAllowed, steps, proposals } = await explanations.explain(by, { userId, question });
  return {
    isAllowed,
    steps: steps.map(({ kind, id, reason, isMet }) => `${isMet ? "" : "!"}${kind} ${nameOf(id)} ${reason}`),
    proposals: proposals.map((changes) =>
      changes.map((change) =>
        [
          change.kind,
          change.object,
          ...("id" in change ? [nameOf(change.id)] : []),
          ...("role" in change ? [change.role] : []),
        ].join(" "),
      ),
    ),
  };
}

const nameOf = (id: string) =>
  ({ [user]: "user", [stage.home]: "home", [stage.partner]: "partner", [stage.projectId]: "project" })[id] ??
  id;

const addGrant = async (
  roleKeys: readonly string[],
  userId: string = user,
  by = stage.owner,
  projectGrantId = "",
) => (await stage.userGrants.add(by, { userId, projectId: stage.projectId, projectGrantId, roleKeys })).id;

const self = (id: UserId, organizationId: OrganizationId): Call => {
  const call = callBy(organizationId);
  return { ...call, caller: { ...call.caller, userId: id } };
};

const common = ["USER user ACTIVE", "ORGANIZATION home ACTIVE", "PROJECT project ACTIVE"];

describe("a role", () => {
  test("is allowed by a grant, with all that the grant rests on", async () => {
    const id = await addGrant(["reader"]);
    expect(await ask(role())).toEqual({
      isAllowed: true,
      steps: [...common, `USER_GRANT ${id} ACTIVE`, `USER_GRANT ${id} IN_TIME`, `USER_GRANT ${id} GIVEN`],
      proposals: [],
    });
    const denied = await ask(role("writer"));
    expect(denied).toMatchObject({ isAllowed: false, proposals: [[`ADD_ROLE USER_GRANT ${id} writer`]] });
    expect(denied.steps.at(-1)).toBe(`!USER_GRANT ${id} NOT_GIVEN`);
  });

  test("without a grant is denied, and a grant of the owner is the shortest change", async () => {
    expect(await ask(role())).toEqual({
      isAllowed: false,
      steps: common,
      proposals: [["ADD USER_GRANT reader"]],
    });
  });

  test("comes by groups in groups, while the user is a member", async () => {
    const [outer, inner] = [await stage.addGroup("outer"), await stage.addGroup("inner")];
    await stage.nest(outer, inner);
    const basis = { projectId: stage.projectId, projectGrantId: "", roleKeys: ["reader"] };
    const { id } = await stage.groups.grants.add(stage.owner, { groupId: outer, ...basis });
    const members = { userIds: [user], groupIds: [], endDate: inMs(1000) };
    await stage.groups.members.add(stage.owner, inner, members);
    const { steps } = await explanations.explain(stage.owner, { userId: user, question: role() });
    expect(steps.at(-1)).toMatchObject({ kind: "GROUP", id: inner, groupIds: [inner, outer], rightId: id });
    expect((await ask(role())).isAllowed).toBe(true);
    stage.log.clock.turn(1000);
    const ended = await ask(role());
    expect(ended.isAllowed).toBe(false);
    expect(ended.steps.at(-1)).toBe(`!GROUP ${inner} ENDED`);
    expect(ended.proposals).toEqual([[`SET_DATES GROUP ${inner}`], ["ADD USER_GRANT reader"]]);
  });

  test("needs all that hinders it mended", async () => {
    const id = await addGrant(["reader"]);
    await stage.userGrants.deactivate(stage.owner, { userId: user, grantId: id });
    await stage.log.append([
      {
        type: "user.locked",
        aggregateId: user,
        resourceOwner: stage.home,
        payload: { reason: "ADMINISTRATOR" },
      } as never,
    ]);
    const { isAllowed, proposals } = await ask(role());
    expect(isAllowed).toBe(false);
    expect(proposals).toEqual([["ACTIVATE USER user", `ACTIVATE USER_GRANT ${id}`]]);
  });

  test("is not found unless the project has it, or the caller may read the project", async () => {
    expect(await problemOf(ask(role("other")))).toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "role" },
    });
    const partner = stage.by([{ scope: stage.scopes.partner, roles: ["ORGANIZATION_OWNER"] }], stage.partner);
    const unknown: Question = {
      kind: "role",
      projectId: await stage.addProject(stage.home),
      roleKey: "reader",
    };
    expect(await problemOf(ask(unknown, { by: partner, userId: stage.partnerUserId }))).toMatchObject({
      resource: { type: "project" },
    });
  });
});

describe("what the caller may not read", () => {
  const partnerOwner = () =>
    stage.by([{ scope: stage.scopes.partner, roles: ["ORGANIZATION_OWNER"] }], stage.partner);

  /** Grants the project with the role to the partner, who gives it to a user of its own. */
  async function lend() {
    const id = stage.projectGrantId;
    const payload = { role_keys: ["reader"] };
    await stage.log.append([
      { type: "project_grant.changed", aggregateId: id, resourceOwner: stage.home, payload },
    ]);
    return await addGrant(["reader"], stage.partnerUserId, partnerOwner(), id);
  }

  test("leaves the answer open if it decides, whether it allows or denies", async () => {
    const id = await lend();
    const asked = { by: partnerOwner(), userId: stage.partnerUserId };
    const open = await ask(role(), asked);
    expect(open.isAllowed).toBeUndefined();
    expect(open.proposals).toEqual([]);
    expect(open.steps).toContain(`PROJECT_GRANT ${stage.projectGrantId} ACTIVE`);
    expect(open.steps).toContain(`USER_GRANT ${id} GIVEN`);
    expect(open.steps.filter((step) => step.startsWith("PROJECT ") || step.includes("home"))).toEqual([]);
    const off = { aggregateId: stage.projectId, resourceOwner: stage.home, payload: {} };
    await stage.log.append([{ type: "project.deactivated", ...off }]);
    expect(await ask(role(), asked)).toEqual(open);
  });

  test("does not matter if what the caller may read denies", async () => {
    const id = await lend();
    await stage.userGrants.deactivate(partnerOwner(), { userId: stage.partnerUserId, grantId: id });
    const denied = await ask(role(), { by: partnerOwner(), userId: stage.partnerUserId });
    expect(denied.isAllowed).toBe(false);
    expect(denied.proposals).toEqual([]);
  });

  test("hides a grant with all that belongs to it", async () => {
    const id = await addGrant(["writer"]);
    const basis = { projectId: stage.projectId, projectGrantId: "", roleKeys: ["reader"] };
    const group = await stage.addGroup("group");
    await stage.join(group, user);
    await stage.groups.grants.add(stage.owner, { groupId: group, ...basis });
    // A project's viewer reads its grants, and a user manager elsewhere nothing here; users of home are read by the third role.
    const by = callBy(stage.home, { scope: stage.scopes.project, roles: ["PROJECT_VIEWER"] });
    const open = await ask(role(), { by });
    expect(open.isAllowed).toBeUndefined();
    expect(open.steps).toContain(`!USER_GRANT ${id} NOT_GIVEN`);
    expect(open.steps.filter((step) => /GROUP/.test(step))).toEqual([]);
  });
});

describe("a permission", () => {
  const may = (
    permission: "user.read" | "project.write",
    scope: "home" | "project" | "instance" = "home",
  ): Question => ({
    kind: "permission",
    permission,
    scope:
      scope === "home"
        ? { kind: "organization", id: stage.home }
        : scope === "project"
          ? { kind: "project", id: stage.projectId }
          : { kind: "instance" },
  });

  test("comes by a membership there or around, and one that lacks it could get a role", async () => {
    const id = await stage.give(user, stage.scopes.home, "ORGANIZATION_VIEWER");
    expect(await ask(may("user.read"))).toMatchObject({ isAllowed: true, proposals: [] });
    expect(await ask(may("project.write", "project"))).toMatchObject({
      isAllowed: false,
      proposals: [
        ["ADD MEMBERSHIP PROJECT_OWNER"],
        [`ADD_ROLE MEMBERSHIP ${id} ORGANIZATION_PROJECT_MANAGER`],
      ].toReversed(),
    });
    expect(await ask(may("user.read", "instance"))).toMatchObject({
      isAllowed: false,
      proposals: [["ADD MEMBERSHIP INSTANCE_VIEWER"]],
    });
  });

  test("comes by a group in its time", async () => {
    const group: GroupId = await stage.addGroup("group");
    await stage.join(group, user);
    const asked = { userId: "", groupId: group, scope: { kind: "organization", id: stage.home } as const };
    const period = { startDate: inMs(1000), endDate: inMs(2000) };
    await stage.memberships.add(stage.owner, { ...asked, roles: ["ORGANIZATION_VIEWER"], ...period });
    const verdicts = [];
    for (const step of [0, 999, 1, 999, 1]) {
      stage.log.clock.turn(step);
      verdicts.push((await ask(may("user.read"))).isAllowed);
    }
    expect(verdicts).toEqual([false, false, true, true, false]);
  });

  test("is what users may ask about themselves, where they have something", async () => {
    const id = await stage.give(user, stage.scopes.project, "PROJECT_VIEWER");
    const by = self(user, stage.home);
    const denied = await ask(may("project.write", "project"), { by });
    expect(denied).toMatchObject({
      isAllowed: false,
      proposals: [[`ADD_ROLE MEMBERSHIP ${id} PROJECT_OWNER`]],
    });
    expect(await ask(may("user.read", "instance"), { by })).toMatchObject({ isAllowed: false });
    const other = self(stage.partnerUserId, stage.partner);
    const asked = { by: other, userId: stage.partnerUserId };
    expect(await problemOf(ask(may("project.write", "project"), asked))).toMatchObject({
      reason: "NOT_FOUND",
    });
    expect(await ask(may("user.read"), asked)).toMatchObject({ isAllowed: false, proposals: [] });
  });
});
