import { afterEach, beforeEach, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { GroupId, MembershipId, OrganizationId, UserId } from "../../../src/kernel/base/ids.ts";
import { holdsAt, type Role } from "../../../src/kernel/base/permission.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { createScratchDatabase } from "../../../src/kernel/storage/places/scratch-database.ts";
import type { AsOf } from "../../../src/identity/as-of/as-of.ts";
import { createPast } from "../../../src/identity/as-of/past.ts";
import type { Change } from "../../../src/identity/explanations/explanation.ts";
import {
  createExplanationCommands,
  type ExplanationCommands,
  type Question,
} from "../../../src/identity/explanations/commands.ts";
import { readRolesInForce } from "../../../src/identity/held-roles/repository.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { createUserGrantCommands } from "../../../src/identity/user-grants/commands.ts";
import { listRolesInEffect } from "../../../src/identity/user-grants/effective-role-repository.ts";
import { microsFrom } from "../../support/instants.ts";
import { instanceId } from "../memberships/setup.ts";
import { type GroupStage, openGroupStage } from "../group-service/stage.ts";

// In random worlds all that says what a user may do says the same, at every instant, and the past says what the present said then.

let stage: GroupStage;
let world: World;

beforeEach(async () => {
  stage = await openGroupStage();
  world = await layWorld();
});

afterEach(() => stage.close());

interface World {
  readonly users: readonly { readonly id: UserId; readonly home: OrganizationId }[];
  readonly groups: readonly GroupId[];
  readonly explanations: ExplanationCommands;
  readonly userGrants: ReturnType<typeof createUserGrantCommands>;
  readonly memberships: ReturnType<typeof createMembershipCommands>;
}

const roles = ["reader", "writer"];
const scratch = createScratchDatabase();

/** The project of home is granted to the partner; there is a user in each, and three groups at home. */
async function layWorld(): Promise<World> {
  await stage.addRoles(stage.projectId, ...roles);
  await append("project_grant.changed", stage.projectGrantId, { role_keys: roles });
  const past = createPast({ ...stage.log.context, scratch });
  const context = { ...stage.log.context, past };
  const names = ["outer", "middle", "inner"];
  const groups: GroupId[] = [];
  for (const name of names) groups.push(await stage.addGroup(name));
  stage.log.clock.turn(1); // whatever happens next is later
  return {
    users: [
      { id: stage.userId, home: stage.home },
      { id: stage.partnerUserId, home: stage.partner },
    ],
    groups,
    explanations: createExplanationCommands(context, instanceId),
    userGrants: createUserGrantCommands(context),
    memberships: createMembershipCommands(context, instanceId),
  };
}

async function append(
  type: NewEvent["type"],
  aggregateId: string,
  payload: object,
  owner: string = stage.home,
): Promise<void> {
  await stage.log.append([{ type, aggregateId, resourceOwner: owner, payload } as NewEvent]);
}

/** A step of a random world. Numbers choose among what there is. */
interface Step {
  readonly kind:
    | "grant"
    | "groupGrant"
    | "membership"
    | "join"
    | "nest"
    | "leave"
    | "state"
    | "period"
    | "wait";
  readonly which: number;
  readonly other: number;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    "grant",
    "grant",
    "groupGrant",
    "membership",
    "join",
    "join",
    "nest",
    "leave",
    "state",
    "state",
    "period",
    "wait",
  ),
  which: fc.nat(11),
  other: fc.nat(11),
  // Microseconds from now: one before, at, and one after an end are among them.
  start: fc.constantFrom(undefined, undefined, undefined, -1, 0, 1, 2000),
  end: fc.constantFrom(undefined, undefined, 1, 1000, 1001, 2000, 5000),
});

const given: {
  id: string;
  type: "user_grant" | "group_grant" | "membership";
  owner: string;
  roles: readonly string[];
}[] = [];
const inactive = new Set<string>();

/** When rights begin and end, in microseconds since 1970. */
const boundaries: number[] = [];

const datesOf = ({ start, end }: Pick<Step, "start" | "end">) => ({
  ...(start === undefined ? {} : { start_date: microsFrom(stage.log.clock, start) }),
  ...(end === undefined || (start ?? 0) >= end ? {} : { end_date: microsFrom(stage.log.clock, end) }),
});

async function take(step: Step): Promise<void> {
  if (step.end !== undefined) boundaries.push(stage.log.clock.nowMs() * 1000 + step.end);
  const { kind, which, other } = step;
  const { ids } = stage.log.context;
  const user = world.users[which % 2] ?? { id: stage.userId, home: stage.home };
  const group = world.groups[which % 3] ?? ("" as GroupId);
  const roleKeys = [roles, ["reader"], ["writer"], []][other % 4] ?? [];
  const isLent = other % 3 === 0;
  const source = {
    project_id: stage.projectId,
    project_grant_id: isLent ? stage.projectGrantId : "",
    role_keys: roleKeys,
    held_at_home: true,
    ...datesOf(step),
  };
  const owner = isLent ? stage.partner : stage.home;
  switch (kind) {
    case "grant": {
      const id = ids.next();
      if (given.some((each) => each.id.startsWith(`${user.id} ${owner} `))) return;
      given.push({ id: `${user.id} ${owner} ${id}`, type: "user_grant", owner, roles: roleKeys });
      await append("user_grant.added", id, { user_id: user.id, ...source }, owner);
      return;
    }
    case "groupGrant": {
      const id = ids.next();
      if (given.some((each) => each.id.startsWith(`${group} ${owner} `))) return;
      given.push({ id: `${group} ${owner} ${id}`, type: "group_grant", owner, roles: roleKeys });
      await append("group_grant.added", id, { group_id: group, ...source }, owner);
      return;
    }
    case "membership": {
      const id = ids.next<MembershipId>();
      const holder = other % 2 === 0 ? { user_id: user.id } : { group_id: group };
      const held: Role[] = [other % 3 === 0 ? "ORGANIZATION_VIEWER" : "ORGANIZATION_PROJECT_MANAGER"];
      const key = `${Object.values(holder)[0] ?? ""} membership `;
      if (given.some((each) => each.id.startsWith(key))) return;
      given.push({ id: `${key}${id}`, type: "membership", owner: stage.home, roles: held });
      await append("membership.added", id, {
        ...holder,
        organization_id: stage.home,
        roles: held,
        ...datesOf(step),
      });
      return;
    }
    case "join":
      await append("group.member.added", group, {
        user_ids: [stage.userId],
        group_ids: [],
        ...datesOf(step),
      });
      return;
    case "leave":
      await append("group.member.removed", group, { user_ids: [stage.userId], group_ids: [] });
      return;
    case "nest": {
      const [outer = "", inner = ""] = [world.groups[0], world.groups[1]];
      const pair = other % 2 === 0 ? [outer, inner] : [inner, world.groups[2] ?? ""];
      if (given.some(({ id }) => id === `nested ${pair.join(" ")}`)) return;
      given.push({ id: `nested ${pair.join(" ")}`, type: "membership", owner: "", roles: [] });
      await append("group.member.added", pair[0] ?? "", { user_ids: [], group_ids: [pair[1]] });
      return;
    }
    case "state":
      await toggle(which);
      return;
    case "period": {
      const right = given.filter(({ owner: of }) => of !== "")[other % Math.max(given.length, 1)];
      if (right === undefined) return;
      const keys = right.type === "membership" ? { roles: right.roles } : { role_keys: right.roles };
      const id = right.id.split(" ").at(-1) ?? "";
      await append(`${right.type}.changed`, id, { ...keys, ...datesOf(step) }, right.owner);
      return;
    }
    case "wait":
      stage.log.clock.turn(1 + other);
  }
}

async function toggle(which: number): Promise<void> {
  const rights = given.filter(({ type, owner }) => type !== "membership" && owner !== "");
  const right = rights[which % Math.max(rights.length, 1)];
  const targets = [
    ["user", stage.userId, stage.home],
    ["project", stage.projectId, stage.home],
    ["project_grant", stage.projectGrantId, stage.home],
    ["organization", stage.partner, stage.partner],
    ...(right === undefined ? [] : [[right.type, right.id.split(" ").at(-1) ?? "", right.owner]]),
  ];
  const [type = "", id = "", owner = ""] = targets[which % targets.length] ?? [];
  const isOff = inactive.delete(id);
  if (!isOff) inactive.add(id);
  await append(`${type}.${isOff ? "reactivated" : "deactivated"}` as NewEvent["type"], id, {}, owner);
}

const page = { pageSize: 0, pageToken: "", countTotal: true };

/** All that is said of a user, now or at a moment. */
async function hear({ id: userId, home }: World["users"][number], asOf?: AsOf) {
  const { explanations, userGrants, memberships } = world;
  const at = asOf === undefined ? {} : { asOf };
  const all = { userId, projectId: "", organizationId: "" };
  const owner = stage.by(stage.owner.caller.held, home);
  const explain = (question: Question) =>
    explanations.explain(
      { ...owner, access: { ...owner.access, organizationId: home } },
      { userId, question, ...at },
    );
  const answers: Record<string, Awaited<ReturnType<typeof explain>>> = {};
  for (const roleKey of roles)
    answers[roleKey] = await explain({ kind: "role", projectId: stage.projectId, roleKey });
  for (const permission of ["project.read", "project.write"] as const)
    answers[permission] = await explain({
      kind: "permission",
      permission,
      scope: { kind: "organization", id: stage.home },
    });
  const itemsOf = async <T>(list: Promise<{ readonly page: { readonly items: readonly T[] } }>) =>
    (await list).page.items;
  const ofUser = { userId, projectId: "", roleKey: "" };
  return {
    answers,
    effective: await itemsOf(userGrants.listEffective(stage.owner, { ...all, ...at }, page)),
    grants: await itemsOf(userGrants.list(stage.owner, { ...ofUser, ...at }, page)),
    memberships: await itemsOf(memberships.list(stage.owner, { userId, scopes: [], ...at }, page)),
  };
}

type Heard = Awaited<ReturnType<typeof hear>>;

/** Compares what is explained with what lists, tokens and calls go by. */
async function expectAgreement({ id }: World["users"][number], heard: Heard): Promise<void> {
  const { told, held, isLocked } = await stage.log.database.read(async (tx) => ({
    told: (await listRolesInEffect(tx, id, [stage.projectId])).flatMap(({ roleKeys }) => roleKeys),
    held: (await readRolesInForce(tx, id)).held,
    isLocked: [id, stage.partner].some(
      (each) => inactive.has(each) && (each === id || id === stage.partnerUserId),
    ),
  }));
  const listed = new Set(heard.effective.flatMap(({ roleKeys }) => roleKeys));
  for (const roleKey of roles)
    expect([heard.answers[roleKey]?.isAllowed, listed.has(roleKey)]).toEqual(
      Array(2).fill(told.includes(roleKey)),
    );
  for (const permission of ["project.read", "project.write"] as const) {
    const may = !isLocked && holdsAt(held, permission, stage.scopes.home);
    expect([permission, heard.answers[permission]?.isAllowed]).toEqual([permission, may]);
  }
}

/** Makes a change that was proposed. */
async function make(change: Change, userId: string): Promise<void> {
  if (change.kind === "ADD") {
    const id = stage.log.context.ids.next();
    const isMembership = change.object === "MEMBERSHIP";
    const type = isMembership ? "membership" : "user_grant";
    given.push({ id: `${userId} ${id}`, type, owner: stage.home, roles: [change.role] });
    if (isMembership)
      return await append("membership.added", id, {
        user_id: userId,
        organization_id: stage.home,
        roles: [change.role],
      });
    return await append("user_grant.added", id, {
      user_id: userId,
      project_id: stage.projectId,
      project_grant_id: "",
      role_keys: [change.role],
    });
  }
  const type = change.object.toLowerCase();
  if (change.kind === "ACTIVATE") {
    inactive.delete(change.id);
    await append(`${type}.reactivated` as NewEvent["type"], change.id, {});
    return;
  }
  if (change.object === "GROUP")
    return await append("group.member.added", change.id, { user_ids: [userId], group_ids: [] });
  const right = given.findLast(({ id }) => id.endsWith(` ${change.id}`));
  const keys = [...(right?.roles ?? []), ...(change.kind === "ADD_ROLE" ? [change.role] : [])];
  if (change.object === "PROJECT_GRANT")
    return await append("project_grant.changed", change.id, { role_keys: roles });
  if (right !== undefined) given.push({ ...right, roles: keys });
  const named = change.object === "MEMBERSHIP" ? { roles: keys } : { role_keys: keys };
  await append(`${type}.changed` as NewEvent["type"], change.id, named);
}

test("explanations, lists, tokens and calls agree at every instant; the past is what the present was; proposals allow", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 8, maxLength: 24 }), async (steps) => {
      given.length = 0;
      inactive.clear();
      boundaries.length = 0;
      const moments: { asOf: AsOf; heard: readonly Heard[] }[] = [];
      for (const [index, step] of steps.entries()) {
        await take(step);
        if (index % 4 !== 3 && index !== steps.length - 1) continue;
        stage.log.clock.turn(1);
        const heard: Heard[] = [];
        for (const user of world.users) {
          const said = await hear(user);
          await expectAgreement(user, said);
          heard.push(said);
        }
        moments.push({ asOf: { micros: stage.log.clock.nowMs() * 1000, field: "as_of_date" }, heard });
        stage.log.clock.turn(1); // the next event is later than the moment
      }
      stage.log.clock.turn(10);
      for (const { asOf, heard } of moments)
        for (const [index, user] of world.users.entries())
          expect(await hear(user, asOf)).toEqual(heard[index]);
      for (const micros of boundaries.slice(0, 4).flatMap((date) => [date - 1, date, date + 1]))
        for (const user of world.users) {
          const { answers, effective } = await hear(user, { micros, field: "as_of_date" });
          const listed = new Set(effective.flatMap(({ roleKeys }) => roleKeys));
          for (const roleKey of roles)
            expect([micros, answers[roleKey]?.isAllowed]).toEqual([micros, listed.has(roleKey)]);
        }
      for (const user of world.users) {
        for (const asked of [...roles, "project.read", "project.write"]) {
          const { isAllowed, proposals = [] } = (await hear(user)).answers[asked] ?? {};
          expect([asked, isAllowed, proposals.length > 0]).toEqual([asked, isAllowed, isAllowed === false]);
          for (const change of proposals[0] ?? []) await make(change, user.id);
          expect([asked, (await hear(user)).answers[asked]?.isAllowed]).toEqual([asked, true]);
        }
      }
      await stage.close();
      stage = await openGroupStage();
      world = await layWorld();
    }),
    { numRuns: 4, endOnFailure: true },
  );
}, 60_000);
