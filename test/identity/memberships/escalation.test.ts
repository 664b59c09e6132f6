import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId, UserId } from "../../../src/kernel/base/ids.ts";
import {
  findAccess,
  type HeldRoles,
  holdsAt,
  permissions,
  type Role,
  roleDefinitions,
  type Scope,
} from "../../../src/kernel/base/permission.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { listHeldRoles, listInstanceOwners } from "../../../src/identity/held-roles/repository.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import type { ScopeName } from "../../../src/identity/memberships/membership.ts";
import { findScope } from "../../../src/identity/memberships/repository.ts";
import { createOrganizationCommands } from "../../../src/identity/organizations/commands.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";
import { isLeast } from "../../support/size.ts";

const roles = Object.keys(roleDefinitions) as Role[];
const scopeNames = ["instance", "home", "partner", "project", "grant"] as const;
type ScopeKey = (typeof scopeNames)[number];

/** Small numbers that say which user, scope, role or membership is meant; few, so that steps meet. */
const choice = fc.nat(7);
const role = fc.constantFrom(...roles);
const step = fc.record({
  action: fc.constantFrom("add" as const, "update" as const, "remove" as const),
  user: choice,
  scope: fc.constantFrom(...scopeNames),
  membership: fc.nat(11),
  // One of any kind and one that fits: else most steps would be refused for their roles alone.
  role: fc.oneof(role, fc.constant(undefined)),
  pick: choice,
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
const beginnings = fc.array(
  fc.record({ user: choice, scope: fc.constantFrom(...scopeNames), pick: choice }),
  {
    maxLength: 8,
  },
);

/** A failure is shown as far as it was made smaller by then, within the time of the test. */
const limits = { numRuns: isLeast ? 5 : 15, interruptAfterTimeLimit: 90_000 };

/** How many steps did something, so that the laws are not shown on refusals alone. */
interface Tally {
  done: number;
}

/** Some users with memberships to begin with; the first user is the caller. */
async function openWorld(begin: readonly { user: number; scope: ScopeKey; pick: number }[]) {
  const setup = await openSetup();
  const users = [setup.userId, setup.partnerUserId];
  for (const organizationId of [setup.home, setup.home, setup.partner])
    users.push(await setup.addUser(organizationId));
  const userAt = (index: number): UserId => users[index % users.length] ?? setup.userId;
  const taken = new Set<string>();
  for (const { user, scope, pick } of begin) {
    const key = `${userAt(user)} ${scope}`;
    if (taken.has(key)) continue;
    taken.add(key);
    await setup.give(userAt(user), setup.scopes[scope], fittingRole(setup.scopes[scope], pick));
  }
  const heldBy = (userId: UserId) => setup.log.database.read((tx) => listHeldRoles(tx, userId));
  const memberships = createMembershipCommands(setup.log.context, instanceId);
  return { setup, users, userAt, heldBy, memberships };
}

type World = Awaited<ReturnType<typeof openWorld>>;

function fittingRole({ kind }: Scope, pick: number): Role {
  const fitting = roles.filter((each) => roleDefinitions[each].scope === kind);
  return fitting[pick % fitting.length] ?? "PROJECT_OWNER";
}

/** A call of the user with what they hold at this moment. */
async function callOf({ setup, heldBy }: World, userId: UserId): Promise<Call> {
  const call = callBy(setup.home, ...(await heldBy(userId)));
  return { ...call, caller: { ...call.caller, userId } };
}

async function run(world: World, call: Call, { action, user, scope, membership, ...asked }: Step) {
  const { setup, memberships } = world;
  const wanted = asked.role ?? fittingRole(setup.scopes[scope], asked.pick);
  if (action === "add") {
    const name = toName(setup, scope);
    await memberships.add(call, { userId: world.userAt(user), scope: name, roles: [wanted] });
    return;
  }
  const { memberships: rows = [] } = await setup.log.dump();
  const target = rows[membership % Math.max(rows.length, 1)] as
    | { id: string; scope_kind: string }
    | undefined;
  const id = target?.id ?? "9";
  if (action === "remove") await memberships.remove(call, id);
  else {
    const fitting = roles.filter((each) => roleDefinitions[each].scope === target?.scope_kind);
    await memberships.update(call, id, [asked.role ?? fitting[asked.pick % fitting.length] ?? wanted]);
  }
}

function toName(setup: Setup, scope: ScopeKey): ScopeName {
  switch (scope) {
    case "instance":
      return { kind: "instance" };
    case "home":
      return { kind: "organization", id: setup.home };
    case "partner":
      return { kind: "organization", id: setup.partner };
    case "project":
      return { kind: "project", id: setup.projectId };
    case "grant":
      return { kind: "project-grant", id: setup.projectGrantId };
  }
}

/** Runs the step and counts it; a refused one leaves nothing. */
async function attempt(tally: Tally, fn: () => Promise<unknown>): Promise<void> {
  try {
    await fn();
    tally.done += 1;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** Returns every permission on every scope, as text, that these roles give. */
function permissionsIn(setup: Setup, held: readonly HeldRoles[]): ReadonlySet<string> {
  const pairs = scopeNames.flatMap((scope) =>
    permissions
      .filter((permission) => holdsAt(held, permission, setup.scopes[scope]))
      .map((permission) => `${permission} on ${scope}`),
  );
  return new Set(pairs);
}

test("whatever a caller gives, changes and removes, nobody gets a permission that they lacked themselves", async () => {
  const tally: Tally = { done: 0 };
  const governed = fc.constantFrom(...scopeNames);
  const steps = fc.array(step, { minLength: 10, maxLength: 20, size: "max" });
  await fc.assert(
    fc.asyncProperty(governed, beginnings, steps, async (scope, begin, all) => {
      // The first role of each kind is that of the owner: they may at least change memberships there.
      const world = await openWorld([{ user: 0, scope, pick: 0 }, ...begin]);
      const { setup, users, heldBy } = world;
      try {
        const caller = world.userAt(0);
        const own = permissionsIn(setup, await heldBy(caller));
        const before = new Map<UserId, ReadonlySet<string>>();
        for (const user of users) before.set(user, permissionsIn(setup, await heldBy(user)));
        for (const each of all) {
          const call = await callOf(world, caller);
          await attempt(tally, () => run(world, call, each));
        }
        for (const user of users) {
          const gained = [...permissionsIn(setup, await heldBy(user))].filter(
            (pair) => before.get(user)?.has(pair) !== true,
          );
          expect(gained.filter((pair) => !own.has(pair))).toEqual([]);
        }
      } finally {
        await setup.close();
      }
    }),
    limits,
  );

  expect(tally.done).toBeGreaterThan(isLeast ? 5 : 20);
}, 120_000);

const organizationStep = fc.record({
  action: fc.constantFrom("deactivate" as const, "reactivate" as const, "remove" as const),
  organization: fc.constantFrom("home" as const, "partner" as const),
});

test("whoever changes memberships and organizations, an active owner of the instance is left", async () => {
  const tally: Tally = { done: 0 };
  const steps = fc.array(fc.tuple(choice, fc.oneof({ weight: 2, arbitrary: step }, organizationStep)), {
    minLength: 10,
    maxLength: 30,
    size: "max",
  });
  await fc.assert(
    fc.asyncProperty(beginnings, steps, async (begin, all) => {
      const world = await openWorld([{ user: 0, scope: "instance", pick: 0 }, ...begin]);
      const { setup } = world;
      const organizations = createOrganizationCommands(setup.log.context, instanceId);
      try {
        for (const [by, each] of all) {
          // Half of the steps are of somebody who may do everything: the law must hold against them too.
          const call =
            by % 2 === 0
              ? callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] })
              : await callOf(world, world.userAt(by));
          await attempt(tally, async () => {
            if (!("organization" in each)) return await run(world, call, each);
            return await organizations[each.action](onOrganization(call, setup[each.organization]));
          });
          const owners = await setup.log.database.read((tx) => listInstanceOwners(tx));
          expect(owners.length).toBeGreaterThan(0);
        }
      } finally {
        await setup.close();
      }
    }),
    limits,
  );

  expect(tally.done).toBeGreaterThan(isLeast ? 10 : 45);
}, 120_000);

/** The same call, let in on that organization as the pipeline does it. */
function onOrganization(call: Call, organizationId: OrganizationId): Call {
  const access = findAccess(call.caller.held, "organization.write", organizationId);
  if (access === undefined) throw new Problem({ kind: "denied", reason: "PERMISSION_DENIED", message: "" });
  return { ...call, access };
}

test("the scopes of this test are those that memberships know", async () => {
  const setup = await openSetup();
  try {
    for (const key of scopeNames) {
      const scope = await setup.log.database.read((tx) => findScope(tx, toName(setup, key)));
      expect(scope).toEqual(setup.scopes[key]);
    }
  } finally {
    await setup.close();
  }
});
