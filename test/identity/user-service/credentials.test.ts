import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../src/kernel/base/ids.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { serviceProfile } from "../../support/samples.ts";
import { enterWith } from "../../support/no-access-tokens.ts";

let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const get = () => fixture.commands.get(fixture.call(), userId);
const addBot = async () => (await fixture.commands.addService(fixture.call(), serviceProfile())).id;
const hasSecret = async (id: string) =>
  (await fixture.read((tx) => tx.get("SELECT id FROM secrets WHERE id = ?", [id]))) !== undefined;

describe("removing a phone", () => {
  const phone = "+41791234567";
  const set = async () =>
    (await fixture.commands.phones.set(fixture.call(), { userId, phone, verification: "return-code" }))
      .code ?? new Secret("");
  const remove = (id: string = userId) => fixture.commands.phones.remove(fixture.call(), id);
  const verify = (code: Secret) =>
    outcomeOf(fixture.commands.phones.verify(fixture.call(), { userId, code }));

  test("leaves the user without one, and moves their details", async () => {
    await set();
    const { details } = await remove();
    expect(await get()).toMatchObject({ phone: "", isPhoneVerified: false, details });
  });

  test("that is verified leaves nothing verified, also when the number is set again", async () => {
    expect(await verify(await set())).toBe("ok");
    await remove();
    expect(await get()).toMatchObject({ phone: "", isPhoneVerified: false });
    await set();
    expect(await get()).toMatchObject({ phone, isPhoneVerified: false });
  });

  test("makes its code void, for good", async () => {
    const code = await set();
    await remove();
    expect(await hasSecret(`phone-code:${userId}`)).toBe(false);
    expect(await verify(code)).toBe("CODE_NOT_PENDING");
    await set();
    expect(await verify(code)).toBe("CODE_INVALID");
  });

  test("is the same again for a user without one: nothing is recorded", async () => {
    const before = await get();
    const count = await fixture.eventCount();
    expect(await remove()).toEqual({ details: before.details, removed: [] });
    expect(await fixture.eventCount()).toBe(count);
  });

  test("does not begin the limits of messages anew", async () => {
    const send = () =>
      outcomeOf(fixture.commands.phones.set(fixture.call(), { userId, phone, verification: "send-code" }));
    expect(await send()).toBe("ok");
    await remove();
    expect(await send()).toBe("RATE_LIMITED");
  });

  test("of a service user or of nobody is refused", async () => {
    expect(await outcomeOf(remove(await addBot()))).toBe("WRONG_KIND");
    expect(await outcomeOf(remove("1"))).toBe("NOT_FOUND");
  });

  test("leaves the code of a phone that was set later, when the log is replayed", async () => {
    await set();
    await remove();
    const code = await set();
    await fixture.rebuild();
    expect(await verify(code)).toBe("ok");
  });
});

describe("removing a second factor", () => {
  const register = (id: string = userId) =>
    fixture.commands.u2f.register(fixture.call(), { userId: id, domain: "" });
  const remove = (u2fId: string, id: string = userId) =>
    fixture.commands.u2f.remove(fixture.call(), { userId: id, u2fId });
  const list = async () => {
    const page = { pageSize: 0, pageToken: "", countTotal: true };
    const listed = await fixture.commands.u2f.list(fixture.call(), userId, page);
    return listed.page.items.map(({ id }) => id);
  };

  test("that was begun takes its challenge along, and leaves the others", async () => {
    const [first, second] = [await register(), await register()];
    const { details } = await remove(first.id);
    expect(details).toEqual({ ...first.details, sequence: details.sequence });
    expect(details.sequence).toBeGreaterThan(second.details.sequence);
    expect(await list()).toEqual([second.id]);
    expect(await hasSecret(`u2f-challenge:${first.id}`)).toBe(false);
    expect(await hasSecret(`u2f-challenge:${second.id}`)).toBe(true);
    expect(await outcomeOf(remove(first.id))).toBe("NOT_FOUND");
  });

  test("does not move the user's details", async () => {
    const before = await get();
    await remove((await register()).id);
    expect((await get()).details).toEqual(before.details);
  });

  test("of another user is not found", async () => {
    const other = await fixture.addHuman("bea");
    const { id } = await register(other);
    const problem = await problemOf(remove(id));
    expect([problem.reason, problem.resource]).toEqual(["NOT_FOUND", { type: "second_factor", name: id }]);
    expect(await hasSecret(`u2f-challenge:${id}`)).toBe(true);
  });
});

describe("the tokens of a user", () => {
  const add = async (options: { expirationMs?: number; caller?: Parameters<Fixture["call"]>[0] } = {}) =>
    await fixture.commands.tokens.add(fixture.call(options.caller), {
      userId,
      expirationMs: options.expirationMs,
    });
  const remove = (tokenId: string, id: string = userId) =>
    fixture.commands.tokens.remove(fixture.call(), { userId: id, tokenId });
  const list = (id: string = userId, pageToken = "", pageSize = 0) =>
    fixture.commands.tokens.list(fixture.call(), id, { pageSize, pageToken, countTotal: true });
  const enter = (token: Secret) => {
    const { clock, database } = fixture.context;
    const findCredentials = createCredentials({ database, clock }, database.watch(accessTables));
    return outcomeOf(enterWith({ clock, findCredentials }, `Bearer ${token.reveal()}`));
  };

  test("are listed oldest first, with those that have expired, and without what makes them usable", async () => {
    const expirationMs = fixture.clock.nowMs() + 1000;
    const made = [await add({ expirationMs }), await add()];
    fixture.clock.advance(2000);
    const { page } = await list();
    const whole = { wasLimited: false, isLimited: false, leftOutMembershipIds: [] };
    expect(page.items).toEqual([
      { ...whole, id: made[0]?.id, details: made[0]?.details, expirationMs },
      { ...whole, id: made[1]?.id, details: made[1]?.details, expirationMs: undefined },
    ]);
    expect(page.totalResult).toBe(2);
    for (const { token } of made) expect(JSON.stringify(page)).not.toContain(token.reveal().slice(-40, -6));
  });

  test("are listed in pages, with a token that is good for this user only", async () => {
    const other = await fixture.addHuman("bea");
    const ids = [(await add()).id, (await add()).id, (await add()).id];
    const first = await list(userId, "", 2);
    const second = await list(userId, first.page.nextPageToken, 2);
    expect([...first.page.items, ...second.page.items].map(({ id }) => id)).toEqual(ids);
    expect(second.page.nextPageToken).toBe("");
    expect(await outcomeOf(list(other, first.page.nextPageToken, 2))).toBe("PAGE_TOKEN_INVALID");
    expect((await list(other)).page.items).toEqual([]);
  });

  test("are fewer on a page when much is left out for them: a page has some ten thousand memberships", async () => {
    const ids = [(await add()).id, (await add()).id, (await add()).id];
    await fixture.context.database.write(async (tx) => {
      await tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
         INSERT INTO stored_memberships (id, sequence, creation_date, resource_owner, user_id, scope_kind, scope_id, roles)
         SELECT '9' || i, 1, i, '9' || i, ?, 'organization', '9' || i, '["ORGANIZATION_VIEWER"]' FROM n`,
        [userId],
      );
      await tx.run(
        "INSERT INTO left_out_roles (token_id, membership_id, roles) SELECT t.id, m.id, m.roles FROM memberships m, credentials t WHERE m.user_id = ? AND t.user_id = m.user_id",
        [userId],
      );
      await tx.run("UPDATE credentials SET was_limited = 1 WHERE user_id = ?", [userId]);
    });
    const seen: (readonly (readonly [string, number])[])[] = [];
    let pageToken = "";
    do {
      const { page } = await list(userId, pageToken);
      seen.push(page.items.map(({ id, leftOutMembershipIds }) => [id, leftOutMembershipIds.length] as const));
      pageToken = page.nextPageToken;
    } while (pageToken !== "");
    expect(seen).toEqual(ids.map((id) => [[id, 6000]]));
  });

  test("are let in until they are removed, with those that were made with them", async () => {
    const parent = await add();
    const child = await add({ caller: { userId, tokenId: parent.id } });
    const other = await add();
    expect(await Promise.all([parent, child, other].map(({ token }) => enter(token)))).toEqual([
      "ok",
      "ok",
      "ok",
    ]);
    const { details } = await remove(parent.id);
    expect(details).toEqual({ ...parent.details, sequence: details.sequence });
    expect(details.sequence).toBeGreaterThan(parent.details.sequence);
    expect(await Promise.all([parent, child, other].map(({ token }) => enter(token)))).toEqual([
      "TOKEN_INVALID",
      "TOKEN_INVALID",
      "ok",
    ]);
    expect((await list()).page.items.map(({ id }) => id)).toEqual([other.id]);
    expect(await outcomeOf(remove(parent.id))).toBe("NOT_FOUND");
    expect(await outcomeOf(remove(child.id))).toBe("NOT_FOUND");
  });

  test("of another user are not found under this one", async () => {
    const { id, token } = await add();
    const other = await fixture.addHuman("bea");
    const problem = await problemOf(remove(id, other));
    expect([problem.reason, problem.resource]).toEqual([
      "NOT_FOUND",
      { type: "personal_access_token", name: id },
    ]);
    expect(await enter(token)).toBe("ok");
  });

  test("do not move the user's details when they are removed", async () => {
    const before = await get();
    await remove((await add()).id);
    expect((await get()).details).toEqual(before.details);
  });
});
