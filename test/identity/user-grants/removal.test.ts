import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type {
  OrganizationId,
  ProjectGrantId,
  ProjectId,
  UserGrantId,
  UserId,
} from "../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import {
  createUserGrantCommands,
  type UserGrantCommands,
} from "../../../src/identity/user-grants/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";

let fixture: FeatureFixture;
let commands: UserGrantCommands;
let place: Place;

/** Two organizations that have granted each other a project, and a third one that both have granted theirs. */
interface Place {
  readonly organizations: readonly OrganizationId[];
  readonly users: readonly { readonly id: UserId; readonly home: OrganizationId }[];
  readonly projects: readonly { readonly id: ProjectId; readonly owner: OrganizationId }[];
  readonly projectGrants: readonly {
    readonly id: ProjectGrantId;
    readonly projectId: ProjectId;
    readonly owner: OrganizationId;
    readonly to: OrganizationId;
  }[];
}

/** A grant as the table holds it. */
interface Grant {
  readonly id: string;
  readonly giver: OrganizationId;
  readonly userId: UserId;
  readonly projectId: ProjectId;
  readonly projectGrantId: ProjectGrantId | "";
  readonly roleKeys: readonly string[];
  readonly sequence: number;
}

const keys = ["reader", "writer", "admin"];

async function makePlace(): Promise<Place> {
  const organizations = [
    await fixture.addOrganization(),
    await fixture.addOrganization(),
    await fixture.addOrganization(),
  ] as const;
  const [first, second, third] = organizations;
  const users = [];
  for (const home of organizations) users.push({ id: await fixture.addUser(home), home });
  const projects = [
    { id: await fixture.addProject(first, keys), owner: first },
    { id: await fixture.addProject(second, keys), owner: second },
  ] as const;
  const projectGrants = [];
  for (const [project, to] of [
    [projects[0], second],
    [projects[1], first],
    [projects[0], third],
    [projects[1], third],
  ] as const) {
    const id = await fixture.addProjectGrant(project.id, project.owner, to, keys);
    projectGrants.push({ id, projectId: project.id, owner: project.owner, to });
  }
  return { organizations, users, projects, projectGrants };
}

/** Gives every user, in every organization, roles of each project that it has. */
async function giveAll(roleKeysOf: (index: number) => readonly string[]): Promise<readonly Grant[]> {
  const planned = place.organizations.flatMap((giver) =>
    place.users.flatMap(({ id: userId }) =>
      place.projects.map(({ id: projectId, owner }) => {
        const through = place.projectGrants.find((each) => each.projectId === projectId && each.to === giver);
        return {
          giver,
          userId,
          projectId,
          projectGrantId: owner === giver ? "" : (through?.id ?? ""),
        } as const;
      }),
    ),
  );
  const ids = planned.map(() => fixture.context.ids.next<UserGrantId>());
  const sequence = await fixture.record(
    ...planned.map(({ giver, userId, projectId, projectGrantId }, index): NewEvent => {
      const payload = {
        user_id: userId,
        project_id: projectId,
        project_grant_id: projectGrantId,
        role_keys: roleKeysOf(index),
      };
      return {
        type: "user_grant.added",
        aggregateId: pick(ids, index),
        resourceOwner: giver,
        payload,
      };
    }),
  );
  return planned.map((plan, index) =>
    Object.assign(plan, { id: pick(ids, index), roleKeys: roleKeysOf(index), sequence }),
  );
}

/**
 * Reads what is in the tables of each grant; one that is gone has no sequence, and must have no roles. The rows of its roles
 * must be those in its own row.
 */
async function stored(given: readonly Grant[]) {
  return await fixture.database.read(async (tx) => {
    const found = [];
    for (const { id } of given) {
      const row = await tx.get<{ sequence: number; role_keys: string }>(
        "SELECT sequence, role_keys FROM user_grants WHERE id = ?",
        [id],
      );
      const roles = await tx.all<{ role_key: string }>(
        "SELECT role_key FROM user_grant_roles WHERE user_grant_id = ?",
        [id],
      );
      const roleKeys = JSON.parse(row?.role_keys ?? "[]") as readonly string[]; // written by the appliers
      expect(roles.map((role) => role.role_key).toSorted()).toEqual(roleKeys.toSorted());
      found.push({ id, sequence: row?.sequence, roleKeys });
    }
    return found;
  });
}

async function dump(): Promise<unknown> {
  return await fixture.database.read(async (tx) => [
    await tx.all("SELECT * FROM user_grants ORDER BY id"),
    await tx.all("SELECT * FROM user_grant_roles ORDER BY user_grant_id, role_key"),
  ]);
}

/** A removal, and what it leaves of a grant: undefined when nothing, the same roles when it does not touch it. */
interface Removal {
  readonly event: NewEvent;
  left(grant: Grant): readonly string[] | undefined;
}

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!; // no list here is empty
const bare = (
  type: "user" | "organization" | "project" | "project_grant",
  aggregateId: string,
  resourceOwner: OrganizationId,
): NewEvent => ({ type: `${type}.removed`, aggregateId, resourceOwner, payload: {} });

const removals: Readonly<Record<string, (at: number, bits: number) => Removal>> = {
  "user.removed": (at) => {
    const { id, home } = pick(place.users, at);
    return {
      event: bare("user", id, home),
      left: (grant) => (grant.userId === id ? undefined : grant.roleKeys),
    };
  },
  "organization.removed": (at) => {
    const id = pick(place.organizations, at);
    const isOf = (grant: Grant) =>
      grant.giver === id ||
      place.users.some((user) => user.id === grant.userId && user.home === id) ||
      place.projects.some((project) => project.id === grant.projectId && project.owner === id) ||
      place.projectGrants.some((each) => each.id === grant.projectGrantId && each.to === id);
    return {
      event: bare("organization", id, id),
      left: (grant) => (isOf(grant) ? undefined : grant.roleKeys),
    };
  },
  "project.removed": (at) => {
    const { id, owner } = pick(place.projects, at);
    return {
      event: bare("project", id, owner),
      left: (grant) => (grant.projectId === id ? undefined : grant.roleKeys),
    };
  },
  "project_grant.removed": (at) => {
    const { id, owner } = pick(place.projectGrants, at);
    return {
      event: bare("project_grant", id, owner),
      left: (grant) => (grant.projectGrantId === id ? undefined : grant.roleKeys),
    };
  },
  "project.role.removed": (at, bits) => {
    const { id, owner } = pick(place.projects, at);
    const lost = pick(keys, bits);
    const payload = { role_key: lost };
    return {
      event: { type: "project.role.removed", aggregateId: id, resourceOwner: owner, payload },
      left: (grant) =>
        grant.projectId === id ? grant.roleKeys.filter((key) => key !== lost) : grant.roleKeys,
    };
  },
  "project_grant.changed": (at, bits) => {
    const { id, owner } = pick(place.projectGrants, at);
    const kept = keys.filter((_key, index) => ((bits >> index) & 1) === 1);
    const payload = { role_keys: kept };
    return {
      event: { type: "project_grant.changed", aggregateId: id, resourceOwner: owner, payload },
      left: (grant) =>
        grant.projectGrantId === id ? grant.roleKeys.filter((key) => kept.includes(key)) : grant.roleKeys,
    };
  },
};

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createUserGrantCommands(fixture.context);
});

beforeEach(async () => {
  place = await makePlace();
});

afterAll(() => fixture.close());

describe.each(Object.keys(removals))("%s", (name) => {
  test("takes away what rests on it, wherever it was given, and touches nothing else", async () => {
    const input = fc.tuple(
      fc.nat(11),
      fc.nat(7),
      fc.array(fc.subarray(keys), { minLength: 7, maxLength: 7 }),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([at, bits, sets]) => {
        place = await makePlace();
        const given = await giveAll((index) => pick(sets, index));
        expect(given).toHaveLength(18);
        const removal = removals[name]!(at, bits); // its own key
        const date = await fixture.record(removal.event);
        const expected = given.map((grant) => {
          const left = removal.left(grant);
          if (left === undefined) return { id: grant.id, sequence: undefined, roleKeys: [] };
          const hasLost = left.length < grant.roleKeys.length;
          return { id: grant.id, sequence: hasLost ? date : grant.sequence, roleKeys: left };
        });
        expect(await stored(given)).toEqual(expected);
      }),
      { numRuns: 12 },
    );
    const before = await dump();
    await fixture.rebuild();
    expect(await dump()).toEqual(before);
  });
});

test("several roles that are removed one after the other leave the grant, which gives nothing", async () => {
  const [grant] = await giveAll(() => keys);
  const project = pick(place.projects, 0);
  let date = 0;
  for (const role_key of keys)
    date = await fixture.record({
      type: "project.role.removed",
      aggregateId: project.id,
      resourceOwner: project.owner,
      payload: { role_key },
    });
  expect(await stored(grant === undefined ? [] : [grant])).toEqual([
    { id: grant?.id, roleKeys: [], sequence: date },
  ]);
});

test("roles that are left keep their order, and an update finds them as they are", async () => {
  const [grant] = await giveAll(() => ["writer", "admin", "reader"]);
  if (grant === undefined) throw new Error("there are grants");
  const { id: aggregateId, owner } = pick(place.projects, 0);
  const payload = { role_key: "admin" };
  await fixture.record({ type: "project.role.removed", aggregateId, resourceOwner: owner, payload });
  const name = { userId: grant.userId, grantId: grant.id };
  const call = callAs(owner, { permission: "user.grant.write" });
  const { details, roleKeys } = await commands.get(call, name);
  expect(roleKeys).toEqual(["writer", "reader"]);
  expect(await commands.update(call, name, { roleKeys: ["writer", "reader"] })).toEqual(details);
});
