import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type MembershipId, type TokenId, toId } from "../../../src/kernel/base/ids.ts";
import type { Role, Scope } from "../../../src/kernel/base/permission.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import { readCarriedRoles } from "../../../src/identity/held-roles/carried-roles-repository.ts";
import { findActingProblem } from "../../../src/identity/held-roles/outranking.ts";
import { listHeldRoles, listInstanceRoles } from "../../../src/identity/held-roles/repository.ts";
import {
  type AskedRoles,
  createMembershipCommands,
  type MembershipCommands,
} from "../../../src/identity/memberships/commands.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { findToken } from "../../../src/identity/programs/tokens/repository.ts";
import type { Period } from "../../../src/identity/rights-in-time/period.ts";
import { microsFrom } from "../../support/instants.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";

// When memberships are in effect, and when they are held.

let setup: Setup;
let commands: MembershipCommands;
let owner: Call;

beforeEach(async () => {
  setup = await openSetup();
  commands = createMembershipCommands(setup.log.context, instanceId);
  owner = callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
});

afterEach(() => setup.close());

/** An instant that many milliseconds from now. */
const at = (ms: number) => microsFrom(setup.log.clock, ms * 1000);
const turn = (ms: number) => setup.log.clock.turn(ms);
const home = () => ({ kind: "organization", id: setup.home }) as const;
const asked = (period: Period, ...roles: readonly Role[]): AskedRoles => ({ roles, ...period });

/** Gives the user roles in their organization by a command. */
async function give(period: Period, ...roles: readonly Role[]): Promise<MembershipId> {
  const { id } = await commands.add(owner, {
    userId: setup.userId,
    scope: home(),
    ...asked(period, ...roles),
  });
  return id;
}

/** Gives a user roles without what a command does to tokens. */
async function record(id: string, scope: Scope, period: Period, role: Role): Promise<void> {
  const resourceOwner = scope.kind === "instance" ? instanceId : setup.home;
  const given = { id: toId<MembershipId>(id), userId: setup.userId, scope, roles: [role], resourceOwner };
  await setup.log.append([addMembership({ ...given, period })]);
}

async function carried(id: TokenId): Promise<readonly Role[]> {
  return await setup.log.database.read(async (tx) => {
    const token = await findToken(tx, id);
    if (token === undefined) throw new Error(`there is no token ${id}`);
    return (await readCarriedRoles(tx, token)).held.flatMap(({ roles }) => roles);
  });
}

describe("a caller", () => {
  test.each([
    ["from its start on", 0, 1, true],
    ["not a microsecond before its start", 1, 2, false],
    ["until a microsecond before its end", -1, 1, true],
    ["not at its end", -1, 0, false],
  ])("has the roles of a membership %s", async (_when, start, end, isInEffect) => {
    const period = {
      startDate: microsFrom(setup.log.clock, start),
      endDate: microsFrom(setup.log.clock, end),
    };
    const { id } = await setup.addToken({ userId: setup.userId, by: "system" });
    await record("71", setup.scopes.home, period, "ORGANIZATION_VIEWER");
    const { database } = setup.log;
    const find = createCredentials(setup.log, database.watch(accessTables));
    expect((await find(id))?.held.length).toBe(Number(isInEffect));
    expect(await carried(id)).toHaveLength(Number(isInEffect));
  });

  test("gets and loses roles that are remembered at that very instant, without a commit", async () => {
    await give({ startDate: at(1000), endDate: at(2000) }, "ORGANIZATION_VIEWER");
    const { id } = await setup.addToken({ userId: setup.userId, by: "system" });
    const find = createCredentials(setup.log, setup.log.database.watch(accessTables));
    const seen: unknown[] = [];
    for (const ms of [0, 999, 1, 999, 1]) {
      turn(ms);
      const found = await find(id);
      seen.push([found?.held.length, await find(id).then((again) => again === found)]);
    }
    expect(seen).toEqual([0, 0, 1, 1, 0].map((count) => [count, true]));
  });
});

describe("a membership that begins later", () => {
  test("is held from the write on: it protects the user, and counts on the instance", async () => {
    await record("71", setup.scopes.home, { startDate: at(1000) }, "ORGANIZATION_OWNER");
    await record("72", setup.scopes.instance, { startDate: at(1000), endDate: at(2000) }, "INSTANCE_VIEWER");
    const look = () =>
      setup.log.database.read(async (tx) => ({
        held: (await listHeldRoles(tx, setup.userId)).length,
        onInstance: await listInstanceRoles(tx, setup.userId),
        isProtected: (await findActingProblem(tx, [], { userId: setup.userId, instanceId })) !== undefined,
      }));
    expect(await look()).toEqual({ held: 2, onInstance: ["INSTANCE_VIEWER"], isProtected: true });
    turn(2000);
    expect(await look()).toEqual({ held: 1, onInstance: [], isProtected: true });
  });

  test("is not carried by a token of somebody without the roles, when it begins", async () => {
    const other = await setup.addUser(setup.home);
    const { id } = await setup.addToken({ userId: setup.userId, by: other });
    const { id: own } = await setup.addToken({ userId: setup.userId, by: "system" });
    await give({ startDate: at(1000) }, "ORGANIZATION_VIEWER");
    turn(1000);
    expect([await carried(id), await carried(own)]).toEqual([[], ["ORGANIZATION_VIEWER"]]);
  });
});

describe("a change of the dates", () => {
  /** A token that somebody without the roles has made, which carries them: they were given without a look at tokens. */
  async function addCarrying(period: Period): Promise<TokenId> {
    const other = await setup.addUser(setup.home);
    const { id } = await setup.addToken({ userId: setup.userId, by: other });
    await record("71", setup.scopes.home, period, "ORGANIZATION_VIEWER");
    return id;
  }

  test.each([
    ["a later end", 2000, 0],
    ["no end any more", undefined, 0],
    ["an earlier end", 500, 1],
    ["the same end with another start", 1000, 1],
  ])("to %s is a gain of all roles, or none", async (_what, end, count) => {
    const token = await addCarrying({ endDate: at(1000) });
    const period = { startDate: at(-1), endDate: end === undefined ? null : at(end) };
    await commands.update(owner, "71", { roles: ["ORGANIZATION_VIEWER"], ...period });
    expect(await carried(token)).toHaveLength(count);
  });

  test("of one that has ended is a gain once it goes on, and not before", async () => {
    const token = await addCarrying({ endDate: at(1000) });
    turn(1000);
    await commands.update(
      owner,
      "71",
      asked({ endDate: at(0) }, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"),
    );
    const after = { startDate: at(1000), endDate: at(2000) };
    await commands.update(owner, "71", asked(after, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER"));
    turn(1000);
    expect(await carried(token)).toEqual([]);
  });

  test("is recorded with the roles; a date that is not sent stays, and nothing is recorded when all are the same", async () => {
    const period = { startDate: at(-1), endDate: at(1000) };
    const id = await give(period, "ORGANIZATION_VIEWER");
    const events = (await setup.log.events()).length;
    await commands.update(owner, id, asked(period, "ORGANIZATION_VIEWER"));
    expect(await setup.log.events()).toHaveLength(events);
    const roles = ["ORGANIZATION_VIEWER"];
    await commands.update(owner, id, { roles });
    expect(await setup.log.events()).toHaveLength(events);
    for (const [change, recorded] of [
      [{ endDate: at(500) }, { start_date: at(-1), end_date: at(500) }],
      [{ startDate: null }, { end_date: at(500) }],
      [{ endDate: null }, {}],
    ] as const) {
      await commands.update(owner, id, { roles, ...change });
      const last = (await setup.log.events()).at(-1);
      expect(JSON.parse(String(last?.payload))).toEqual({ roles, ...recorded });
    }
  });
});

describe("the last owner of the instance", () => {
  const lastOwner = { reason: "LAST_INSTANCE_OWNER" };

  test("is one in effect and without end", async () => {
    const id = await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    const add = async (period: Period) =>
      await commands.add(owner, {
        userId: await setup.addUser(setup.home),
        scope: { kind: "instance" },
        ...asked(period, "INSTANCE_OWNER"),
      });
    await add({ endDate: at(60_000) });
    await add({ startDate: at(60_000) });
    for (const period of [{ endDate: at(60_000) }, { startDate: at(60_000) }])
      await expect(commands.update(owner, id, asked(period, "INSTANCE_OWNER"))).rejects.toMatchObject(
        lastOwner,
      );
    await expect(commands.remove(owner, id)).rejects.toMatchObject(lastOwner);
    turn(60_000);
    await commands.remove(owner, id); // the second of them is in effect now, without end
  });
});
