import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Origin } from "../../../src/kernel/base/call.ts";
import type { WriteTransaction } from "../../../src/kernel/base/database.ts";
import type {
  OrganizationId,
  ProjectGrantId,
  ProjectId,
  UserGrantId,
  UserId,
} from "../../../src/kernel/base/ids.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { serviceProfile } from "../../support/samples.ts";
import { isLeast } from "../../support/size.ts";
import { largeTest } from "../../support/large.ts";

// What hangs on one object may be a million grants. They are dealt with 64 at a time, and reads have turns in between.

let fixture: FeatureFixture;
let owner: OrganizationId;
let partner: OrganizationId;
let projectId: ProjectId;
let projectGrantId: ProjectGrantId;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  owner = await fixture.addOrganization();
  partner = await fixture.addOrganization();
  projectId = await fixture.addProject(owner, ["reader", "writer"]);
  projectGrantId = await fixture.addProjectGrant(projectId, owner, partner, ["reader", "writer"]);
});
afterEach(() => fixture.close());

const removals: Readonly<Record<string, () => NewEvent>> = {
  "a removed project": () => removed("project", projectId, owner),
  "a removed project grant": () => removed("project_grant", projectGrantId, owner),
};
/** Whose grants are not found any more, and go in transactions of their own. */
const organizations: Readonly<Record<string, () => NewEvent>> = {
  "the removed organization that gave them": () => removed("organization", partner, partner),
  "the removed organization of their project": () => removed("organization", owner, owner),
};

function removed(
  type: "project" | "project_grant" | "organization",
  aggregateId: string,
  resourceOwner: string,
): NewEvent {
  return { type: `${type}.removed`, aggregateId, resourceOwner, payload: {} };
}

/** Gives so many users of the partner the project through its grant; every third of them is a writer only. */
async function give(size: number): Promise<void> {
  const events: NewEvent[] = [];
  for (let index = 0; index < size; index++) {
    const userId = fixture.context.ids.next<UserId>();
    events.push(addServiceUser(userId, partner, serviceProfile({ username: `user-${userId}` })));
    events.push({
      type: "user_grant.added",
      aggregateId: fixture.context.ids.next<UserGrantId>(),
      resourceOwner: partner,
      payload: {
        user_id: userId,
        project_id: projectId,
        project_grant_id: projectGrantId,
        role_keys: index % 3 === 0 ? ["writer"] : ["reader", "writer"],
      },
    });
  }
  if (size > 0) await fixture.record(...events);
}

async function count(table: "user_grants" | "user_grant_roles"): Promise<number> {
  const row = await fixture.database.read((tx) =>
    tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`),
  );
  return row?.n ?? 0;
}

// Around one portion and two.
describe.each(isLeast ? [0, 1, 65] : [0, 1, 63, 64, 65, 128, 129])("of %i grants", (size) => {
  const all = { ...removals, ...organizations };
  test.each(Object.keys(all))("%s leaves none", async (name) => {
    await give(size);
    expect(await count("user_grants")).toBe(size);
    await fixture.record(all[name]!()); // its own key
    expect([await count("user_grants"), await count("user_grant_roles")]).toEqual([0, 0]);
  });

  test.each<readonly [string, () => NewEvent]>([
    [
      "a removed role",
      () => ({
        type: "project.role.removed",
        aggregateId: projectId,
        resourceOwner: owner,
        payload: { role_key: "reader" },
      }),
    ],
    [
      "a role that the project grant loses",
      () => ({
        type: "project_grant.changed",
        aggregateId: projectGrantId,
        resourceOwner: owner,
        payload: { role_keys: ["writer"] },
      }),
    ],
  ])("%s is taken out of each that has it", async (_name, event) => {
    await give(size);
    const date = await fixture.record(event());
    const rows = await fixture.database.read((tx) =>
      tx.all<{ role_keys: string; sequence: number }>("SELECT role_keys, sequence FROM user_grants"),
    );
    expect(rows.filter((row) => row.role_keys !== '["writer"]')).toEqual([]);
    expect(rows.filter((row) => row.sequence === date)).toHaveLength(size - Math.ceil(size / 3));
    expect(await count("user_grant_roles")).toBe(size);
  });
});

test.each(Object.keys(removals))("reads have turns while %s takes its grants along", async (name) => {
  const portions = 10;
  await give(64 * portions);
  const state = { isOver: false };
  const removal = fixture.record(removals[name]!()).finally(() => (state.isOver = true)); // its own key
  const seen: number[] = [];
  while (!state.isOver) {
    seen.push(await count("user_grants"));
    await new Promise(setImmediate);
  }
  await removal;
  // One or two of them may be from before and after.
  expect(seen.filter((grants) => grants === 64 * portions).length).toBeGreaterThanOrEqual(portions - 2);
  expect(seen.filter((grants) => grants !== 64 * portions && grants !== 0)).toEqual([]);
  expect(await count("user_grants")).toBe(0);
});

largeTest.each(Object.keys(removals))(
  "%s is given up when its caller leaves, and leaves everything",
  async (name) => {
    const size = 64 * 10;
    await give(size);
    const caller = new AbortController();
    const { database, context } = fixture;
    const event = removals[name]!(); // its own key
    const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "request" };
    const state = { isOver: false };
    let pauses = 0;
    const counting = (tx: WriteTransaction) =>
      new Proxy(tx, {
        get(target, property) {
          if (property === "pause") pauses += 1;
          const value: unknown = Reflect.get(target, property, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    const removal = database
      .write((tx) => context.log.append(counting(tx), origin, [event]), { signal: caller.signal })
      .catch((error: unknown) => error)
      .finally(() => (state.isOver = true));
    for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
    caller.abort();
    const before = pauses;
    while (!state.isOver) await new Promise(setImmediate);
    expect(await removal).toMatchObject({ reason: "CANCELLED" });
    expect(pauses - before).toBeLessThan(3);
    expect([await count("user_grants"), await count("user_grant_roles")]).toEqual([
      size,
      2 * size - Math.ceil(size / 3),
    ]);
  },
);
