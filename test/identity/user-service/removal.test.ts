import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OrganizationId, type UserId } from "../../../src/kernel/base/ids.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { outcomeOf } from "../../support/problems.ts";
import { serviceProfile } from "../../support/samples.ts";

const system = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
const tables = ["users", "second_factors", "credentials", "memberships"];

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.close());

/** Returns all rows of the tables that users fill. */
const dump = () =>
  fixture.read(async (tx) => {
    const dumped: Record<string, readonly object[]> = {};
    for (const table of tables) dumped[table] = await tx.all<object>(`SELECT * FROM ${table} ORDER BY id`);
    return dumped;
  });

const secretIds = () =>
  fixture.read(async (tx) => {
    const rows = await tx.all<{ id: string }>("SELECT id FROM secrets ORDER BY id");
    return rows.map((row) => row.id);
  });

const remove = (id: string) => fixture.commands.remove(fixture.call(), id);

const addTokenOf = async (userId: string, caller?: Parameters<Fixture["call"]>[0]) =>
  (await fixture.commands.tokens.add(fixture.call(caller), { userId, expirationMs: undefined })).id;

/** Gives a user a secret of every kind: a token, a registration that waits, a code that was sent and wrongly tried. */
async function furnish(userId: UserId, phone = "+41791234567") {
  const tokenId = await addTokenOf(userId);
  const u2f = await fixture.commands.u2f.register(fixture.call(), { userId, domain: "" });
  const passkey = await fixture.commands.passkeys.register(fixture.call(), { userId, domain: "" });
  await fixture.commands.phones.set(fixture.call(), { userId, phone, verification: "send-code" });
  const code = new Secret("not it");
  await outcomeOf(fixture.commands.phones.verify(fixture.call(), { userId, code }));
  await fixture.commands.phones.texter.idle();
  const ids = [
    `phone-code:${userId}`,
    `phone-tries:${userId}`,
    `sms-rate:user:${userId}`,
    `token:${tokenId}`,
    `passkey-challenge:${passkey.id}`,
    `u2f-challenge:${u2f.id}`,
    `user-key:${userId}`,
  ];
  return { tokenId, u2fId: u2f.id, ids: ids.toSorted() };
}

describe("a removed user", () => {
  test("is gone with their tokens, factors, codes and counters, and their key", async () => {
    const other = await fixture.addHuman("bea");
    const before = { tables: await dump(), secrets: await secretIds() };
    const id = await fixture.addHuman("ada");
    const furnished = await furnish(id);
    expect((await secretIds()).filter((secret) => furnished.ids.includes(secret))).toEqual(furnished.ids);
    const { details } = await fixture.commands.get(fixture.call(), id);

    const removed = await remove(id);

    expect(removed.details).toEqual({ ...details, sequence: removed.details.sequence });
    expect(removed.details.sequence).toBeGreaterThan(details.sequence);
    expect(await outcomeOf(fixture.commands.get(fixture.call(), id))).toBe("NOT_FOUND");
    expect(await dump()).toEqual(before.tables);
    // The counters of their number and of the organization go on: a limit must not begin anew with a new user.
    const counters = (await secretIds()).filter((secret) => !before.secrets.includes(secret));
    expect(counters.map((secret) => secret.replace(/[^:]*$/, ""))).toEqual([
      "sms-rate:number:",
      "sms-rate:organization:",
    ]);
    expect(await outcomeOf(fixture.commands.get(fixture.call(), other))).toBe("ok");
  });

  test("takes all their tokens along, and none of others, also if they were made with theirs", async () => {
    const id = await fixture.addHuman("ada");
    const other = await fixture.addHuman("bea");
    const own = await addTokenOf(id);
    const child = await addTokenOf(id, { userId: id, tokenId: own });
    const ofOther = await addTokenOf(other, { userId: id, tokenId: own });
    const kept = [
      ofOther,
      await addTokenOf(other, { userId: other, tokenId: ofOther }),
      await addTokenOf(other),
    ];
    await remove(id);
    const left = (await dump())["credentials"]?.map((row) => "id" in row && row.id);
    expect(left).toEqual([fixture.administrator.tokenId, ...kept].toSorted());
    const secrets = await secretIds();
    const tokens = [own, child, ...kept].filter((token) => secrets.includes(`token:${token}`));
    expect(tokens).toEqual(kept);
  });

  test("frees their username", async () => {
    const id = await fixture.addHuman("ada");
    await remove(id);
    expect(await fixture.addHuman("ADA")).not.toBe(id);
  });

  test("cannot be removed again, changed or given anything", async () => {
    const id = await fixture.addHuman();
    const { u2fId, tokenId } = await furnish(id);
    await remove(id);
    const { commands } = fixture;
    const works = [
      remove(id),
      commands.changeState(fixture.call(), id, "lock"),
      commands.phones.remove(fixture.call(), id),
      commands.phones.verify(fixture.call(), { userId: id, code: new Secret("1") }),
      commands.u2f.remove(fixture.call(), { userId: id, u2fId }),
      commands.tokens.remove(fixture.call(), { userId: id, tokenId }),
      addTokenOf(id),
    ];
    expect(await Promise.all(works.map(outcomeOf))).toEqual(works.map(() => "NOT_FOUND"));
  });

  test("gets nothing back when a message to them fails afterwards", async () => {
    const id = await fixture.addHuman();
    let release = () => {};
    fixture.sms.hold = new Promise((resolve) => {
      release = resolve;
    });
    fixture.sms.failWith = () => new Error("no such number");
    const phone = "+41791234567";
    await fixture.commands.phones.set(fixture.call(), { userId: id, phone, verification: "send-code" });
    await remove(id);
    release();
    await fixture.commands.phones.texter.idle();
    expect(fixture.failures).toHaveLength(1);
    expect((await secretIds()).filter((secret) => secret.includes(id))).toEqual([]);
  });

  test("is gone after a rebuild too, which leaves the secrets of all others", async () => {
    const id = await fixture.addHuman("ada");
    await furnish(id);
    const other = await fixture.addHuman("bea");
    await furnish(other, "+41791234568");
    await remove(id);
    const before = { tables: await dump(), secrets: await secretIds() };
    await fixture.rebuild();
    expect({ tables: await dump(), secrets: await secretIds() }).toEqual(before);
  });
});

describe("a removed organization", () => {
  test("takes all its users along as if each were removed, and nobody else", async () => {
    const organizationId = fixture.context.ids.next<OrganizationId>();
    const members = [fixture.context.ids.next<UserId>(), fixture.context.ids.next<UserId>()];
    const { database, log } = fixture.context;
    await database.write((tx) =>
      log.append(tx, system, [
        addOrganization(organizationId, "Other"),
        ...members.map((id) =>
          addServiceUser(id, organizationId, serviceProfile({ username: `member ${id}`, name: "Zq7Name" })),
        ),
      ]),
    );
    const access = { ...fixture.call().access, organizationId };
    const inside = { ...fixture.call(), access };
    const outsider = await fixture.addHuman("ada");
    const furnished = await furnish(outsider);
    const tokens: string[] = [];
    const ofOutsider: string[] = [];
    for (const userId of members) {
      const { id: tokenId } = await fixture.commands.tokens.add(inside, { userId, expirationMs: undefined });
      tokens.push(tokenId);
      ofOutsider.push(await addTokenOf(outsider, { userId, tokenId }));
    }

    expect((await fixture.place.bytes()).includes("Zq7Name")).toBe(true);
    await database.write(async (tx) => {
      const removal = { type: "organization.removed", payload: {} } as const;
      await log.append(tx, system, [
        { ...removal, aggregateId: organizationId, resourceOwner: organizationId },
      ]);
      while (await log.sweep(tx, 1));
    });

    await database.purge();
    expect((await fixture.place.bytes()).includes("Zq7Name")).toBe(false);
    const ids = (await dump())["users"]?.map((row) => "id" in row && row.id);
    expect(ids).toEqual([fixture.administrator.userId, outsider].toSorted());
    const gone = new Set([...members.map((id) => `user-key:${id}`), ...tokens.map((id) => `token:${id}`)]);
    const secrets = await secretIds();
    expect(secrets.filter((id) => gone.has(id))).toEqual([]);
    expect(secrets).toEqual(expect.arrayContaining(ofOutsider.map((id) => `token:${id}`)));
    expect(secrets.filter((id) => furnished.ids.includes(id))).toEqual(furnished.ids);
    const before = await dump();
    await fixture.rebuild();
    expect(await dump()).toEqual(before);
  });
});
