import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { OrganizationId, UserId } from "../../../src/kernel/base/ids.ts";
import { createProjectGrantCommands } from "../../../src/identity/projects/project-grant-commands.ts";
import type { PeriodChange } from "../../../src/identity/rights-in-time/period.ts";
import { microsFrom } from "../../support/instants.ts";
import { callAs } from "../../support/feature-fixture.ts";
import { type EffectiveWorld, keys, onInstance, openEffectiveWorld } from "./effective-world.ts";

let world: EffectiveWorld;

beforeEach(async () => {
  world = await openEffectiveWorld();
});

afterEach(() => world.fixture.close());

/** Puts a row into a state. Commands of other features do so too, with events that this test does not need. */
async function setState(table: string, id: string, state: boolean | "LOCKED"): Promise<void> {
  const name = state === true ? "ACTIVE" : state === false ? "INACTIVE" : state;
  await world.fixture.database.write((tx) =>
    tx.run(`UPDATE stored_${table} SET state = ? WHERE id = ?`, [name, id]),
  );
}

async function list(userId: UserId) {
  const call = callAs(world.owner, { held: [onInstance("INSTANCE_VIEWER")], permission: "user.grant.read" });
  const asked = { userId, projectId: "", organizationId: "" };
  const { page } = await world.commands.listEffective(call, asked, {
    pageSize: 0,
    pageToken: "",
    countTotal: true,
  });
  return page;
}

/** Which of the things that a grant rests on are active, and which grants have roles. */
interface Links {
  readonly user: boolean;
  readonly organizations: readonly boolean[];
  readonly projects: readonly boolean[];
  readonly projectGrant: boolean;
  readonly grants: readonly boolean[];
  readonly roles: readonly boolean[];
  /** When the grants, and the project grant, begin and end: microseconds from now. Default: always in effect. */
  readonly times?: readonly Time[];
}

interface Time {
  readonly start: number | undefined;
  readonly end: number | undefined;
}

function toPeriod({ start, end }: Time): PeriodChange {
  const { clock } = world.fixture;
  return {
    startDate: start === undefined ? null : microsFrom(clock, start),
    endDate: end === undefined ? null : microsFrom(clock, end),
  };
}

/** It begins at its start, and does not include its end. */
function isNow({ start = 0, end = 1 }: Time): boolean {
  return start <= 0 && end > 0;
}

const unlimited: Time = { start: undefined, end: undefined };

async function put(links: Links): Promise<void> {
  const { owner, partner, home, projects, projectGrant, users, grants, commands } = world;
  await setState("users", users[1], links.user);
  for (const [index, id] of [owner, partner, home].entries())
    await setState("organizations", id, links.organizations[index] === true);
  for (const [index, id] of projects.entries())
    await setState("projects", id, links.projects[index] === true);
  await setState("project_grants", projectGrant, links.projectGrant);
  const grantCommands = createProjectGrantCommands(world.fixture.context);
  await grantCommands.update(
    callAs(owner, { permission: "project.grant.write" }),
    { projectId: projects[0], grantId: projectGrant },
    { roleKeys: keys, ...toPeriod(links.times?.[4] ?? unlimited) },
  );
  for (const [index, grant] of grants.filter(({ userId }) => userId === users[1]).entries()) {
    await setState("user_grants", grant.id, links.grants[index] === true);
    const call = callAs(grant.giver, { permission: "user.grant.write" });
    const roleKeys = links.roles[index] === true ? grant.roleKeys : [];
    await commands.update(
      call,
      { userId: users[1], grantId: grant.id },
      { roleKeys, ...toPeriod(links.times?.[index] ?? unlimited) },
    );
  }
}

/** The plain model: a grant counts while all that it rests on is active. */
function inEffect(links: Links) {
  const { owner, partner, home, users, grants } = world;
  const isActive = (id: OrganizationId) => links.organizations[[owner, partner, home].indexOf(id)] === true;
  return grants
    .filter(({ userId }) => userId === users[1])
    .filter(
      (grant, index) =>
        links.user &&
        isActive(home) &&
        links.grants[index] === true &&
        links.roles[index] === true &&
        isActive(grant.giver) &&
        links.projects[grant.project] === true &&
        isActive(grant.project === 2 ? home : owner) &&
        isNow(links.times?.[index] ?? unlimited) &&
        (grant.projectGrantId === "" || (links.projectGrant && isNow(links.times?.[4] ?? unlimited))),
    );
}

const flags = (length: number) => fc.array(fc.boolean(), { minLength: length, maxLength: length });
const anyTime: fc.Arbitrary<Time> = fc
  .record({
    start: fc.constantFrom(undefined, -1, 0, 1),
    end: fc.constantFrom(undefined, -1, 0, 1, 2),
  })
  .filter(({ start = -2, end = 3 }) => start < end);
const anyLinks: fc.Arbitrary<Links> = fc.record({
  user: fc.boolean(),
  organizations: flags(3),
  projects: flags(3),
  projectGrant: fc.boolean(),
  grants: flags(4),
  roles: flags(4),
  times: fc.array(anyTime, { minLength: 5, maxLength: 5 }),
});
const allLinks = 16;

/** Everything is active but the link of that number. */
function allBut(off: number): Links {
  const link = (number: number) => number !== off;
  return {
    user: link(0),
    organizations: [1, 2, 3].map(link),
    projects: [4, 5, 6].map(link),
    projectGrant: link(7),
    grants: [8, 9, 10, 11].map(link),
    roles: [12, 13, 14, 15].map(link),
  };
}

async function expectModel(links: Links): Promise<void> {
  await put(links);
  const expected = inEffect(links);
  const { items, totalResult } = await list(world.users[1]);
  expect(items.map(({ id, roleKeys }) => ({ id, roleKeys }))).toEqual(
    expected.map(({ id, roleKeys }) => ({ id, roleKeys })),
  );
  expect(totalResult).toBe(expected.length);
}

describe("a role is in effect", () => {
  test("while everything along the chain is active", async () => {
    await expectModel(allBut(allLinks));
    expect((await list(world.users[1])).items).toHaveLength(4);
  });

  test("no longer when any single link is not", async () => {
    for (let off = 0; off < allLinks; off += 1) {
      expect([off, inEffect(allBut(off)).length < 4]).toEqual([off, true]);
      await expectModel(allBut(off));
    }
  });

  test.each([
    ["from its start on, that instant included", { start: 0, end: undefined }, 4],
    ["not a microsecond before its start", { start: 1, end: undefined }, 3],
    ["a microsecond before its end", { start: undefined, end: 1 }, 4],
    ["not at its end", { start: undefined, end: 0 }, 3],
  ])("%s, of the user grant and of the project grant that it rests on", async (_when, time, left) => {
    await expectModel({ ...allBut(allLinks), times: [time] });
    expect((await list(world.users[1])).items).toHaveLength(left);
    await expectModel({ ...allBut(allLinks), times: [unlimited, unlimited, unlimited, unlimited, time] });
    expect((await list(world.users[1])).items).toHaveLength(left);
  });

  test("as the plain model says, whatever is active", async () => {
    await fc.assert(fc.asyncProperty(anyLinks, expectModel), { numRuns: 60 });
  });

  test("for other users whatever the state of this one", async () => {
    await put({ ...allBut(0), grants: [false, false, false, false] });
    expect((await list(world.users[0])).items).toHaveLength(4);
  });

  test("never for a locked user", async () => {
    expect((await list(world.users[0])).items).toHaveLength(4);
    await setState("users", world.users[0], "LOCKED");
    expect(await list(world.users[0])).toMatchObject({ items: [], totalResult: 0 });
  });
});
