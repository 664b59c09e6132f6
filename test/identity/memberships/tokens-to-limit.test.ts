import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import {
  type MembershipId,
  type SessionId,
  toId,
  type TokenId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import type { Role, Scope } from "../../../src/kernel/base/permission.ts";
import {
  createMembershipCommands,
  type MembershipCommands,
} from "../../../src/identity/memberships/commands.ts";
import type { ScopeName } from "../../../src/identity/memberships/membership.ts";
import { readCarriedRoles } from "../../../src/identity/held-roles/carried-roles-repository.ts";
import { findToken } from "../../../src/identity/programs/tokens/repository.ts";
import { createTokenCommands } from "../../../src/identity/programs/tokens/commands.ts";
import { removeToken } from "../../../src/identity/programs/tokens/token.ts";
import { callBy, instanceId, openSetup, type Setup } from "./setup.ts";

// Which tokens of a user do not carry the roles that the user gains: decision 14.

let setup: Setup;
let commands: MembershipCommands;
let owner: Call;

beforeEach(async () => {
  setup = await openSetup();
  commands = createMembershipCommands(setup.log.context, instanceId);
  owner = callBy(setup.home, { scope: setup.scopes.instance, roles: ["INSTANCE_OWNER"] });
});

afterEach(() => setup.close());

/** A user of home with these roles there, and a token that the service itself made. */
async function addMaker(...roles: readonly Role[]) {
  const userId = await setup.addUser(setup.home);
  const membershipId = await setup.give(userId, setup.scopes.home, ...roles);
  const { id: tokenId } = await setup.addToken({ userId, by: "system" });
  return { userId, membershipId, tokenId };
}

const addToken = async (by: UserId | "system", parent?: TokenId, userId = setup.userId) => {
  const { id } = await setup.addToken({ userId, by, ...(parent === undefined ? {} : { with: parent }) });
  return id;
};

const toName = (scope: Scope): ScopeName =>
  scope.kind === "organization"
    ? { kind: "organization", id: scope.organizationId }
    : scope.kind === "project"
      ? { kind: "project", id: scope.projectId }
      : scope.kind === "project-grant"
        ? { kind: "project-grant", id: scope.projectGrantId }
        : { kind: "instance" };

/** Gives the user roles as somebody does who may do everything: who gives does not matter. */
async function gain(scope: Scope, ...roles: readonly Role[]): Promise<MembershipId> {
  const { id } = await commands.add(owner, { userId: setup.userId, scope: toName(scope), roles });
  return id;
}

/** Returns what the token carries, as `role on scope`. */
function carried(id: TokenId): Promise<readonly string[]> {
  return setup.log.database.read(async (tx) => {
    const token = await findToken(tx, id);
    if (token === undefined) throw new Error(`there is no token ${id}`);
    const { held } = await readCarriedRoles(tx, token);
    return held.flatMap(({ scope, roles }) => roles.map((role) => `${role} on ${scope.kind}`));
  });
}

const isLimited = (id: TokenId) =>
  setup.log.database.read(async (tx) => (await findToken(tx, id))?.isLimited);

/** Empties and refills all tables: whatever was said of tokens must be said again. */
async function rebuild(): Promise<void> {
  const before = await setup.log.dump();
  await setup.log.rebuild();
  expect(await setup.log.dump()).toEqual(before);
}

describe("a token that a user makes after a login with a password", () => {
  /** A token that the user makes for themselves after a login with the password that `by` has set. */
  async function addAfterLogin(by: UserId, tokenId?: TokenId): Promise<TokenId> {
    const about = { aggregateId: setup.userId, resourceOwner: setup.home };
    const made = tokenId === undefined ? {} : { made_with_token_id: tokenId };
    const payload = { change_required: false, by, ...made };
    await setup.log.append([{ ...about, type: "user.password.set", payload }]);
    const authTimeMs = setup.log.clock.nowMs();
    const login = {
      sessionId: toId<SessionId>("77"),
      authTimeMs,
      methods: ["PASSWORD"],
      isMultiFactor: false,
    };
    const { confirm: _, ...call } = callBy(setup.home);
    const caller = { ...call.caller, userId: setup.userId, tokenId: undefined, login };
    const tokens = createTokenCommands({ ...setup.log.context, hasTwoFactors: async () => false });
    return (await tokens.add({ ...call, caller }, { userId: setup.userId, expirationMs: undefined })).id;
  }

  test("is judged as one of whoever else had set that", async () => {
    const manager = await addMaker("ORGANIZATION_USER_MANAGER");
    const another = await addMaker("ORGANIZATION_OWNER");
    const ofManager = await addAfterLogin(manager.userId, manager.tokenId);
    const ofLogin = await addAfterLogin(manager.userId);
    const ofOwner = await addAfterLogin(another.userId, another.tokenId);
    const own = await addAfterLogin(setup.userId);
    await gain(setup.scopes.home, "ORGANIZATION_OWNER");
    for (const id of [ofManager, ofLogin]) expect(await carried(id)).toEqual([]);
    for (const id of [ofOwner, own])
      expect(await carried(id)).toEqual(["ORGANIZATION_OWNER on organization"]);
    await rebuild();
  });
});

describe("roles that a user gains", () => {
  test("are left out for tokens that others made with less, and for no others; the event says for which", async () => {
    const manager = await addMaker("ORGANIZATION_USER_MANAGER");
    const another = await addMaker("ORGANIZATION_OWNER");
    const weak = await addToken(manager.userId, manager.tokenId);
    const strong = await addToken(another.userId, another.tokenId);
    const own = await addToken("system");
    const ofOwn = await addToken(setup.userId, own);
    const ofSomebodyElse = await addToken(manager.userId, manager.tokenId, another.userId);
    const membershipId = await gain(setup.scopes.home, "ORGANIZATION_OWNER");
    const last = (await setup.log.events()).at(-1);
    expect([last?.type, last?.aggregate_id]).toEqual(["membership.added", membershipId]);
    expect(JSON.parse(last?.payload ?? "")).toMatchObject({ limited_token_ids: [weak] });
    for (const id of [strong, own, ofOwn])
      expect(await carried(id)).toEqual(["ORGANIZATION_OWNER on organization"]);
    expect(await carried(weak)).toEqual([]);
    expect([await isLimited(weak), await isLimited(strong), await isLimited(ofSomebodyElse)]).toEqual([
      true,
      false,
      false,
    ]);
    await rebuild();
  });

  test("in an organization that was removed limit no later token, after a rebuild neither", async () => {
    const manager = await addMaker("ORGANIZATION_USER_MANAGER");
    const weak = await addToken(manager.userId, manager.tokenId);
    const membershipId = await gain(setup.scopes.partner, "ORGANIZATION_OWNER");
    const event = (await setup.log.events()).find((each) => each.aggregate_id === membershipId);
    const partner = event?.resource_owner ?? "";
    await setup.log.append([
      { type: "organization.removed", aggregateId: partner, resourceOwner: partner, payload: {} },
    ]);
    expect(await isLimited(await addToken(setup.userId, weak))).toBe(false);
    await rebuild();
  });

  test("and that no token is left out for leave no word of that in the event", async () => {
    await addToken("system");
    await gain(setup.scopes.home, "ORGANIZATION_OWNER");
    const payload = JSON.parse((await setup.log.events()).at(-1)?.payload ?? "");
    expect(Object.keys(payload)).toEqual(["user_id", "organization_id", "roles"]);
  });

  test("take nothing from what a token carried before", async () => {
    const manager = await addMaker("ORGANIZATION_USER_MANAGER");
    await gain(setup.scopes.home, "ORGANIZATION_USER_MANAGER");
    const token = await addToken(manager.userId, manager.tokenId);
    await gain(setup.scopes.partner, "ORGANIZATION_OWNER");
    await gain(setup.scopes.project, "PROJECT_OWNER");
    expect(await carried(token)).toEqual(["ORGANIZATION_USER_MANAGER on organization"]);
  });

  test.each<[string, Role, () => Scope, Role, boolean]>([
    ["a wider scope", "ORGANIZATION_OWNER", () => setup.scopes.project, "PROJECT_OWNER", true],
    ["another role", "ORGANIZATION_PROJECT_MANAGER", () => setup.scopes.project, "PROJECT_OWNER", false],
    ["a wider scope elsewhere", "ORGANIZATION_OWNER", () => setup.scopes.grant, "PROJECT_GRANT_OWNER", false],
  ])("are judged by permissions: held on %s", async (_where, held, scope, role, isCarried) => {
    const maker = await addMaker(held);
    const token = await addToken(maker.userId, maker.tokenId);
    await gain(scope(), role);
    expect(await isLimited(token)).toBe(!isCarried);
  });

  test("are judged all together, and added ones without those that were there", async () => {
    const maker = await addMaker("ORGANIZATION_VIEWER", "ORGANIZATION_USER_MANAGER");
    const token = await addToken(maker.userId, maker.tokenId);
    const id = await gain(setup.scopes.home, "ORGANIZATION_VIEWER");
    await commands.update(owner, id, { roles: ["ORGANIZATION_USER_MANAGER", "ORGANIZATION_VIEWER"] });
    expect(await isLimited(token)).toBe(false);
    await commands.update(owner, id, {
      roles: ["ORGANIZATION_USER_MANAGER", "ORGANIZATION_VIEWER", "ORGANIZATION_PROJECT_MANAGER"],
    });
    expect(await carried(token)).toEqual([
      "ORGANIZATION_USER_MANAGER on organization",
      "ORGANIZATION_VIEWER on organization",
    ]);
    const payload = JSON.parse((await setup.log.events()).at(-1)?.payload ?? "");
    expect(payload).toMatchObject({ limited_token_ids: [token] });
    await rebuild();
  });

  test("and lose again are forgotten; given again they are gained again, and judged again", async () => {
    const maker = await addMaker("ORGANIZATION_USER_MANAGER");
    const token = await addToken(maker.userId, maker.tokenId);
    const id = await gain(setup.scopes.home, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER");
    expect(await carried(token)).toEqual([]);
    await commands.update(owner, id, { roles: ["ORGANIZATION_OWNER"] });
    await commands.update(owner, id, { roles: ["ORGANIZATION_VIEWER"] });
    expect([await carried(token), await isLimited(token)]).toEqual([[], true]);
    await commands.update(owner, maker.membershipId, { roles: ["ORGANIZATION_OWNER"] });
    await commands.update(owner, id, { roles: ["ORGANIZATION_OWNER", "ORGANIZATION_VIEWER"] });
    expect(await carried(token)).toEqual(["ORGANIZATION_OWNER on organization"]);
    await commands.remove(owner, id);
    expect(await isLimited(token)).toBe(false);
    await gain(setup.scopes.home, "ORGANIZATION_VIEWER");
    expect(await carried(token)).toEqual(["ORGANIZATION_VIEWER on organization"]);
    await rebuild();
  });

  test("stay left out when the membership changes in something else, and stay carried when the maker loses all", async () => {
    const manager = await addMaker("ORGANIZATION_USER_MANAGER");
    const another = await addMaker("ORGANIZATION_OWNER");
    const weak = await addToken(manager.userId, manager.tokenId);
    const strong = await addToken(another.userId, another.tokenId);
    const id = await gain(setup.scopes.home, "ORGANIZATION_OWNER");
    await commands.update(owner, manager.membershipId, { roles: ["ORGANIZATION_OWNER"] });
    await commands.remove(owner, another.membershipId);
    await setup.log.append([
      { type: "user.removed", aggregateId: another.userId, resourceOwner: setup.home, payload: {} },
    ]);
    await commands.update(owner, id, { roles: ["ORGANIZATION_OWNER", "ORGANIZATION_USER_MANAGER"] });
    expect(await carried(weak)).toEqual(["ORGANIZATION_USER_MANAGER on organization"]);
    expect(await carried(strong)).toEqual(["ORGANIZATION_OWNER on organization"]);
    await rebuild();
  });
});

describe("a token is judged", () => {
  test("by the token that it was made with, not by all that its maker holds", async () => {
    const maker = await addMaker("ORGANIZATION_USER_MANAGER");
    const manager = await addMaker("ORGANIZATION_USER_MANAGER");
    const limited = await addToken(manager.userId, manager.tokenId, maker.userId);
    await commands.update(owner, maker.membershipId, {
      roles: ["ORGANIZATION_USER_MANAGER", "ORGANIZATION_OWNER"],
    });
    const byLimited = await addToken(maker.userId, limited);
    const byWhole = await addToken(maker.userId, maker.tokenId);
    await gain(setup.scopes.project, "PROJECT_OWNER");
    expect([await isLimited(byLimited), await isLimited(byWhole)]).toEqual([true, false]);
  });

  test("by nothing when that is gone, however much its maker holds", async () => {
    const maker = await addMaker("ORGANIZATION_OWNER");
    const token = await addToken(maker.userId, maker.tokenId);
    const { tokenId, userId } = maker;
    await setup.log.append([removeToken({ tokenId, userId, organizationId: setup.home })]);
    await gain(setup.scopes.home, "ORGANIZATION_VIEWER");
    expect(await isLimited(token)).toBe(true);
  });

  test("by the roles of that one's user, less what is left out for it, when it has expired", async () => {
    const maker = await addMaker("ORGANIZATION_OWNER");
    const expirationMs = setup.log.clock.nowMs() + 1000;
    const parent = await setup.addToken({ userId: maker.userId, by: "system", expirationMs });
    const token = await addToken(maker.userId, parent.id);
    setup.log.clock.turn(2000);
    await gain(setup.scopes.home, "ORGANIZATION_VIEWER");
    await gain(setup.scopes.partner, "ORGANIZATION_VIEWER");
    expect(await carried(token)).toEqual(["ORGANIZATION_VIEWER on organization"]);
  });

  test("by its maker when it was made without a token", async () => {
    const maker = await addMaker("ORGANIZATION_USER_MANAGER");
    const token = await addToken(maker.userId);
    await gain(setup.scopes.home, "ORGANIZATION_USER_MANAGER");
    expect(await isLimited(token)).toBe(false);
    await gain(setup.scopes.partner, "ORGANIZATION_VIEWER");
    expect(await isLimited(token)).toBe(true);
  });

  test("with those that its user made with it, and with it again", async () => {
    const maker = await addMaker("ORGANIZATION_USER_MANAGER");
    const first = await addToken(maker.userId, maker.tokenId);
    const second = await addToken(setup.userId, first);
    const third = await addToken(setup.userId, second);
    await gain(setup.scopes.home, "ORGANIZATION_USER_MANAGER");
    await gain(setup.scopes.partner, "ORGANIZATION_VIEWER");
    for (const id of [first, second, third])
      expect(await carried(id)).toEqual(["ORGANIZATION_USER_MANAGER on organization"]);
    await rebuild();
  });

  test("by what the token that it was made with carries by other roles, too", async () => {
    const maker = await addMaker("ORGANIZATION_OWNER");
    const first = await addToken(maker.userId, maker.tokenId);
    await gain(setup.scopes.home, "ORGANIZATION_OWNER");
    const second = await addToken(setup.userId, first);
    await commands.remove(owner, maker.membershipId);
    await gain(setup.scopes.project, "PROJECT_OWNER");
    expect(await carried(first)).toEqual(["ORGANIZATION_OWNER on organization"]);
    expect(await carried(second)).toEqual(["ORGANIZATION_OWNER on organization", "PROJECT_OWNER on project"]);
  });

  test("by roles that the same change takes away no more", async () => {
    const maker = await addMaker("ORGANIZATION_OWNER");
    const first = await addToken(maker.userId, maker.tokenId);
    const id = await gain(setup.scopes.home, "ORGANIZATION_OWNER");
    const second = await addToken(setup.userId, first);
    await commands.remove(owner, maker.membershipId);
    await commands.update(owner, id, { roles: ["ORGANIZATION_VIEWER"] });
    expect([await carried(first), await carried(second)]).toEqual([[], []]);
  });
});

describe("a token that a user makes with a limited one", () => {
  test("is limited alike from the start, and no others are", async () => {
    const maker = await addMaker("ORGANIZATION_USER_MANAGER");
    const limited = await addToken(maker.userId, maker.tokenId);
    const whole = await addToken("system");
    await gain(setup.scopes.home, "ORGANIZATION_VIEWER", "ORGANIZATION_OWNER");
    const alike = await addToken(setup.userId, limited);
    const again = await addToken(setup.userId, alike);
    const ofWhole = await addToken(setup.userId, whole);
    const forAnother = await addToken(setup.userId, limited, setup.partnerUserId);
    expect([await carried(alike), await carried(again)]).toEqual([[], []]);
    expect([await isLimited(ofWhole), await isLimited(forAnother)]).toEqual([false, false]);
    await rebuild();
  });
});

test("many tokens of one maker are judged at once", async () => {
  const maker = await addMaker("ORGANIZATION_USER_MANAGER");
  for (let at = 0; at < 50; at++) await addToken(maker.userId, maker.tokenId);
  const reads: string[] = [];
  const { database } = setup.log.context;
  const noting: typeof database = {
    ...database,
    write: (fn, options) =>
      database.write((tx) => {
        const get: typeof tx.get = (sql, parameters) => (reads.push(sql), tx.get(sql, parameters));
        const all: typeof tx.all = (sql, parameters) => (reads.push(sql), tx.all(sql, parameters));
        return fn({
          commit: tx.commit,
          now: tx.now,
          isUndone: () => tx.isUndone(),
          get,
          all,
          run: (sql, parameters) => tx.run(sql, parameters),
          change: (sql, parameters) => tx.change(sql, parameters),
          nextId: () => tx.nextId(),
          reserveSequences: (count) => tx.reserveSequences(count),
          nested: (part) => tx.nested(part),
          pause: () => tx.pause(),
        });
      }, options),
  };
  const counting = createMembershipCommands({ ...setup.log.context, database: noting }, instanceId);
  const scope: ScopeName = { kind: "project", id: setup.projectId };
  await counting.add(owner, { userId: setup.userId, scope, roles: ["PROJECT_OWNER"] });
  expect(reads.filter((sql) => sql.includes("left_out_roles")).length).toBeLessThan(10);
});

describe("ten thousand tokens of a user", () => {
  const count = 10_000;

  /** Stores tokens that somebody made who holds nothing, as that many calls would leave them. */
  const store = () =>
    setup.log.database.write((tx) =>
      tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO credentials (id, sequence, creation_date, resource_owner, user_id, creator)
         SELECT '9' || i, i, i, ?, ?, '8' FROM n`,
        [count, setup.home, setup.userId],
      ),
    );

  test("are judged with pauses, in which others read", async () => {
    await store();
    let reads = 0;
    const reader = { goesOn: true };
    const read = async () => {
      while (reader.goesOn) {
        await setup.log.database.read((tx) => tx.get("SELECT 1"));
        reads += 1;
        await new Promise(setImmediate);
      }
    };
    const reading = read();
    await gain(setup.scopes.home, "ORGANIZATION_VIEWER");
    reader.goesOn = false;
    await reading;
    const [row] = await setup.log.database.read((tx) =>
      tx.all<{ n: number }>("SELECT COUNT(*) AS n FROM left_out_roles"),
    );
    expect(row?.n).toBe(count);
    expect(reads).toBeGreaterThan(30); // twice in each thousand
  });
});
