import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type InstanceId, toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { putInstanceId } from "../../../../src/identity/instance/repository.ts";
import { putPasswordHash, findPasswordHash } from "../../../../src/identity/people/passwords/repository.ts";
import { tryPassword } from "../../../../src/identity/people/passwords/password-check.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { putKnownBrowser } from "../../../../src/identity/logins/known-browsers/repository.ts";
import { findLockCount } from "../../../../src/identity/people/user/repository.ts";
import {
  about,
  addSession,
  compareAs,
  type CountingHasher,
  createCountingHasher,
  currentPassword,
  eventsOf,
  loginName,
  password,
  setPolicy,
  tally,
  tryAs,
} from "./ground.ts";

const minute = 60_000;
let hasher: CountingHasher;
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  hasher = createCountingHasher();
  fixture = await openFixture({ hasher });
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const typed = (text: string) => tryAs(fixture, { password: text });
const wrong = () => typed("wrong");
const times = (count: number, work: (index: number) => Promise<unknown>) =>
  Array.from({ length: count }, (_item, index) => index).reduce<Promise<unknown>>(
    (before, index) => before.then(() => work(index)),
    Promise.resolve(),
  );

describe("a password that lets nobody in", () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ["is wrong", () => about(fixture, userId).set("another password"), "wrong"],
    ["is of a user without one", async () => {}, "not_set"],
    [
      "is of a locked user",
      async () => {
        await about(fixture, userId).set();
        await fixture.commands.changeState(fixture.call(), userId, "lock");
      },
      "not_active",
    ],
    [
      "is of an inactive user",
      async () => {
        await about(fixture, userId).set();
        await fixture.commands.changeState(fixture.call(), userId, "deactivate");
      },
      "not_active",
    ],
    [
      "is not allowed by the policy of the user",
      async () => {
        await about(fixture, userId).set();
        await setPolicy(fixture, { allowPassword: false });
      },
      "not_allowed",
    ],
  ])("%s: one hash is computed, and the answer says no more", async (_name, given, reason) => {
    await given();
    expect(await typed(password)).toEqual({ kind: "wrong" });
    expect(hasher.compared).toBe(1);
    const last = (await eventsOf(fixture, userId)).at(-1);
    expect(last).toEqual({ type: "user.password.check.failed", editor: userId, reason });
  });

  test.each([
    ["nobody", "nobody"],
    ["a program", "admin"],
  ])("is of %s: one hash is computed, and nothing is recorded", async (_name, username) => {
    const before = await fixture.eventCount();
    expect(await tryAs(fixture, { login: loginName(username) })).toEqual({ kind: "wrong" });
    expect([hasher.compared, await fixture.eventCount()]).toEqual([1, before]);
  });

  test("is of a user of another organization than the one that logs in", async () => {
    await about(fixture, userId).set();
    expect(await tryAs(fixture, { homeId: toId("9") })).toEqual({ kind: "wrong" });
    expect(await tryAs(fixture, { homeId: fixture.organizationId })).toEqual({
      kind: "right",
      userId,
    });
  });

  test("was replaced while the hash was computed", async () => {
    await about(fixture, userId).set();
    const { promise, resolve } = Promise.withResolvers<void>();
    hasher.hold = promise;
    const pending = typed(password);
    await untilCompared(1);
    await about(fixture, userId).set("another password");
    resolve();
    expect(await pending).toEqual({ kind: "wrong" });
  });

  test("was replaced after it was compared: what would follow from it does not", async () => {
    await about(fixture, userId).set();
    const tried = await compareAs(fixture);
    if (tried.kind !== "right") throw new Error("the password is right");
    await about(fixture, userId).set("another password");
    expect(await fixture.context.database.write(tried.settle)).toBe(false);
    expect((await eventsOf(fixture, userId)).at(-1)).toMatchObject({
      type: "user.password.check.failed",
      reason: "wrong",
    });
  });

  test("does not move the user's details, nor is it in the log", async () => {
    await about(fixture, userId).set();
    const before = await fixture.commands.get(fixture.call(), userId);
    await typed("a wrong password");
    expect(await fixture.commands.get(fixture.call(), userId)).toEqual(before);
    expect(JSON.stringify(await eventsOf(fixture, userId))).not.toContain("a wrong password");
  });
});

test("the right password lets the user in, however the name is written", async () => {
  await about(fixture, userId).set();
  expect(await tryAs(fixture, { login: loginName(" ADA ") })).toEqual({ kind: "right", userId });
});

test("a right password is counted until what follows from it is written, in one write", async () => {
  await about(fixture, userId).set();
  for (let count = 0; count < 5; count += 1)
    expect(await compareAs(fixture)).toMatchObject({ kind: "right" });
  expect(await compareAs(fixture)).toEqual({ kind: "paused", retryAfterMs: 1000 });
  fixture.clock.advance(1000);
  expect(await tryAs(fixture)).toEqual({ kind: "right", userId });
  expect(await compareAs(fixture)).toMatchObject({ kind: "right" });
});

test("a weak hash is replaced by the right password only", async () => {
  await about(fixture, userId).set();
  const put = () =>
    fixture.context.database.write((tx) => putPasswordHash(tx, userId, `weak hash of ${password}`));
  const stored = () => fixture.read((tx) => findPasswordHash(tx, userId));
  await put();
  await wrong();
  expect(await stored()).toBe(`weak hash of ${password}`);
  await typed(password);
  expect(await stored()).toBe(`hash of ${password}`);
});

describe("tries", () => {
  beforeEach(() => about(fixture, userId).set());

  test("at once: 40 wrong ones compare five, and the right one is paused with the others", async () => {
    expect(await tally(Array.from({ length: 40 }, wrong))).toEqual({ wrong: 5, paused: 35 });
    expect(hasher.compared).toBe(5);
    expect(await typed(password)).toEqual({ kind: "paused", retryAfterMs: 1000 });
    expect(hasher.compared).toBe(5);
  });

  test("go on after the pause, which a restart does not end", async () => {
    await times(5, wrong);
    const reopened = await fixture.reopen({ hasher });
    expect(await tryAs(reopened)).toEqual({ kind: "paused", retryAfterMs: 1000 });
    reopened.clock.advance(1000);
    expect(await tryAs(reopened)).toEqual({ kind: "right", userId });
    fixture = reopened;
  });

  test("of a right one count until the write of what it is good for, and it is judged there once more", async () => {
    await times(4, wrong);
    const ports = { ...fixture.context, hasher };
    const right = async () => {
      const asked = { login: loginName("ada"), password, remoteAddress: undefined, requestId: "test" };
      const checked = await tryPassword(ports, asked);
      if (checked.kind !== "right") throw new Error(checked.kind);
      return checked.settle;
    };
    const { database } = fixture.context;
    const settle = await right();
    await expect(
      database.write(async (tx) => {
        await settle(tx);
        throw new Error("nothing came of it");
      }),
    ).rejects.toThrow("nothing came of it");
    expect(await typed(password)).toEqual({ kind: "paused", retryAfterMs: 1000 });
    expect(await database.write(settle)).toBe(true);
    const late = await right();
    await fixture.commands.changeState(fixture.call(), userId, "lock");
    expect(await database.write(late)).toBe(false);
  });

  test("begin anew after a right one", async () => {
    await times(4, wrong);
    await typed(password);
    await times(4, wrong);
    expect(await typed(password)).toMatchObject({ kind: "right" });
  });

  test("are counted for a name that nobody has in the same way", async () => {
    const unknown = () => tryAs(fixture, { login: loginName("nobody") });
    expect(await tally(Array.from({ length: 8 }, unknown))).toEqual({ wrong: 5, paused: 3 });
    expect(await tryAs(fixture, { login: loginName("NOBODY ") })).toMatchObject({ kind: "paused" });
    expect(await typed(password)).toMatchObject({ kind: "right" });
  });

  test("in a browser in which the user has logged in before are counted apart", async () => {
    await times(6, wrong);
    for (const hash of ["k1", "k2"]) {
      const browser = { hash, userId, expirationMs: fixture.clock.nowMs() + minute };
      await fixture.context.database.write((tx) => putKnownBrowser(tx, browser, undefined));
    }
    const known = { browserHash: "k1" };
    expect(await tryAs(fixture, known)).toMatchObject({ kind: "right" });
    expect(await typed(password)).toMatchObject({ kind: "paused" });
    await times(6, () => tryAs(fixture, { ...known, password: "wrong" }));
    expect(await tryAs(fixture, known)).toMatchObject({ kind: "paused" });
    expect(await tryAs(fixture, { browserHash: "k2" })).toMatchObject({ kind: "right" });
  });

  test("by the API count with those of the pages", async () => {
    const { set, self } = about(fixture, userId);
    await times(5, wrong);
    const change = set("another password", { call: self(), proof: currentPassword(password) });
    await expect(change).rejects.toMatchObject({ reason: "LOGIN_PAUSED", retryAfterMs: 1000 });
  });

  test("from one network: the 101st within 15 minutes is paused, whoever it is about", async () => {
    const from = (host: number) => `2001:db8:0:1::${host.toString(16)}`;
    const guess = (index: number) =>
      tryAs(fixture, { login: loginName(`name ${index}`), remoteAddress: from(index) });
    const outcomes = await tally(Array.from({ length: 110 }, (_item, index) => guess(index)));
    expect(outcomes).toEqual({ wrong: 100, paused: 10 });
    expect(await tryAs(fixture, { remoteAddress: from(500) })).toEqual({
      kind: "paused",
      retryAfterMs: 15 * minute,
    });
    expect(await tryAs(fixture, { remoteAddress: "2001:db8:0:2::1" })).toMatchObject({ kind: "right" });
    fixture.clock.advance(15 * minute);
    expect(await tryAs(fixture, { remoteAddress: from(1) })).toMatchObject({ kind: "right" });
  });

  test("that are right do not count for the network", async () => {
    await times(99, (index) => tryAs(fixture, { login: loginName(`name ${index}`) }));
    await times(3, () => typed(password));
    expect(await wrong()).toEqual({ kind: "wrong" });
    expect(await typed(password)).toMatchObject({ kind: "paused" });
  });

  test("leave neither name nor address in the table", async () => {
    await wrong();
    const rows = await fixture.read((tx) => tx.all("SELECT * FROM tries"));
    expect(rows).toHaveLength(3); // name, user, address
    expect(JSON.stringify(rows)).not.toMatch(/ada|192\.0\.2/);
  });

  test("are forgotten with the user", async () => {
    await wrong();
    await fixture.commands.remove(fixture.call(), userId);
    expect(await fixture.read((tx) => tx.all("SELECT kind FROM tries"))).toEqual([{ kind: "address" }]);
  });
});

describe("a policy of three attempts", () => {
  beforeEach(async () => {
    await about(fixture, userId).set();
    await setPolicy(fixture, { maxPasswordAttempts: 3 });
  });
  const state = async () => (await fixture.commands.get(fixture.call(), userId)).state;

  test("locks the user at the third wrong one, and no lock is counted", async () => {
    await times(2, wrong);
    expect(await state()).toBe("ACTIVE");
    await wrong();
    expect(await state()).toBe("LOCKED");
    const last = (await eventsOf(fixture, userId)).at(-1);
    expect(last).toMatchObject({ type: "user.locked", cause: "wrong_passwords" });
    const row = await fixture.read((tx) =>
      tx.get<{ lock_count: number }>("SELECT lock_count FROM users WHERE id = ?", [userId]),
    );
    expect(row?.lock_count).toBe(0);
    expect(await typed(password)).toEqual({ kind: "wrong" });
    await fixture.commands.changeState(fixture.call(), userId, "unlock");
    expect(await typed(password)).toMatchObject({ kind: "right" });
  });

  test("ends nothing, but somebody may still lock the user for good, once", async () => {
    await addSession(fixture, userId, "500");
    const change = (action: "lock" | "unlock") =>
      fixture.commands.changeState(fixture.call(), userId, action);
    const sessions = () => fixture.read((tx) => tx.all("SELECT state FROM sessions"));
    for (let count = 0; count < 3; count += 1) await wrong();
    expect(await sessions()).toEqual([{ state: "ACTIVE" }]);
    await change("lock");
    await change("lock");
    expect(await sessions()).toEqual([{ state: "TERMINATED" }]);
    const locks = (await eventsOf(fixture, userId)).filter(({ type }) => type === "user.locked");
    expect(locks).toHaveLength(2);
    await change("unlock");
    expect(await fixture.read((tx) => findLockCount(tx, userId))).toBe(1);
  });

  test("is over once the user is reactivated, too: the right password lets them in", async () => {
    for (let count = 0; count < 3; count += 1) await wrong();
    for (const action of ["deactivate", "reactivate"] as const)
      await fixture.commands.changeState(fixture.call(), userId, action);
    expect(await typed(password)).toMatchObject({ kind: "right" });
  });

  test("lets no more than three be compared at once: the right one is not found by guessing on", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hasher.hold = promise;
    const first = [wrong(), wrong(), wrong()];
    await untilCompared(3);
    hasher.hold = undefined;
    expect(await typed(password)).toEqual({ kind: "wrong" });
    resolve();
    expect(await tally(first)).toEqual({ wrong: 3 });
    expect(await state()).toBe("LOCKED");
  });

  test("never locks anybody who holds INSTANCE_OWNER, whose policy is that of the instance", async () => {
    await fixture.addRole(userId, "INSTANCE_OWNER");
    await fixture.context.database.write((tx) => putInstanceId(tx, toId<InstanceId>("1")));
    await setPolicy(fixture, { maxPasswordAttempts: 2 }, "1");
    await times(4, wrong);
    expect(await state()).toBe("ACTIVE");
    expect(await typed(password)).toMatchObject({ kind: "right" });
  });
});

/** Lets the service work until so many hashes have begun. */
async function untilCompared(count: number): Promise<void> {
  while (hasher.compared < count) await setImmediate();
}
