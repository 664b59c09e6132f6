import { hash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import type { HeldRoles } from "../../../../src/kernel/base/permission.ts";
import { createMembershipCommands } from "../../../../src/identity/memberships/commands.ts";
import { findPasswordHash } from "../../../../src/identity/people/passwords/repository.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";
import {
  about,
  addSession,
  code,
  createCountingHasher,
  currentPassword,
  eventsOf,
  password,
  setPolicy,
  tryAs,
} from "./ground.ts";

const minute = 60_000;
const next = "another long password";
let fixture: Fixture;
let userId: UserId;
let ada: ReturnType<typeof about>;

beforeEach(async () => {
  const breached = {
    has: (sum: string) => Promise.resolve(sum === hash("sha1", "known from a breach", "hex").toUpperCase()),
  };
  fixture = await openFixture({ hasher: createCountingHasher(), breached });
  userId = await fixture.addHuman();
  ada = about(fixture, userId);
});
afterEach(() => fixture.close());

const getUser = async () => await fixture.commands.get(fixture.call(), userId);
const hasPassword = async () => (await getUser()) as { readonly hasPassword?: boolean };
const dry = (call: ReturnType<Fixture["call"]>) => ({ ...call, isDryRun: true });

describe("a password of another user", () => {
  test("is set without a proof, and lets the user in", async () => {
    const details = await ada.set();
    expect(await getUser()).toMatchObject({
      details,
      hasPassword: true,
      isPasswordChangeRequired: false,
      passwordChangeDate: details.sequence,
    });
    expect(await tryAs(fixture)).toEqual({ kind: "right", userId });
  });

  test("is refused with a proof, because whoever may set it needs none", async () => {
    expect(await outcomeOf(ada.set(next, { proof: currentPassword(password) }))).toBe("FIELD_INVALID");
    expect(await outcomeOf(ada.set(next, { proof: code("A") }))).toBe("FIELD_INVALID");
  });

  test.each([
    ["too short", "123456789", "min_length"],
    ["a name of the user", "ada@example.com", "personal"],
    ["known from a breach", "known from a breach", "breached"],
  ])("is refused if it is %s", async (_name, text, rule) => {
    expect(await problemOf(ada.set(text))).toMatchObject({ reason: "PASSWORD_TOO_WEAK", metadata: { rule } });
    expect(await hasPassword()).toMatchObject({ hasPassword: false });
  });

  test("is as long as the policy of the user's organization says", async () => {
    await setPolicy(fixture, { minPasswordLength: 30 });
    expect(await outcomeOf(ada.set(next))).toBe("PASSWORD_TOO_WEAK");
  });

  test("ends every session and refresh token", async () => {
    await addSession(fixture, userId, "501");
    await addSession(fixture, userId, "502");
    await ada.set();
    const states = await fixture.read((tx) => tx.all("SELECT state FROM sessions"));
    expect(states).toEqual([{ state: "TERMINATED" }, { state: "TERMINATED" }]);
  });

  test("cannot be set for a program", async () => {
    const program = about(fixture, fixture.administrator.userId);
    const call = fixture.call({ userId, tokenId: fixture.administrator.tokenId });
    expect(await outcomeOf(program.set(next, { call }))).toBe("WRONG_KIND");
  });
});

describe("users who set their own password", () => {
  test("prove something", async () => {
    expect(await outcomeOf(ada.set(next, { call: ada.self() }))).toBe("FIELD_INVALID");
  });

  test("have logged in a moment ago; a personal access token is not enough", async () => {
    await ada.set();
    const proof = currentPassword(password);
    const tokenId = await fixture.addSystemToken(userId);
    const byToken = fixture.call({ userId, tokenId });
    expect(await outcomeOf(ada.set(next, { call: byToken, proof }))).toBe("REAUTHENTICATION_REQUIRED");
    const call = ada.self();
    fixture.clock.advance(10 * minute);
    expect(await outcomeOf(ada.set(next, { call, proof }))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await tryAs(fixture)).toMatchObject({ kind: "right" });
  });

  test("are refused with a wrong password, which is counted", async () => {
    await ada.set();
    const attempt = () => outcomeOf(ada.set(next, { call: ada.self(), proof: currentPassword("wrong") }));
    const outcomes: string[] = [];
    for (let index = 0; index < 6; index += 1) outcomes.push(await attempt());
    expect(outcomes).toEqual([...Array<string>(5).fill("PASSWORD_INVALID"), "LOGIN_PAUSED"]);
    const failed = (await eventsOf(fixture, userId)).filter(({ type }) => type.endsWith("failed"));
    expect(failed).toHaveLength(5);
  });

  test("record a wrong password in the write of the call", async () => {
    await ada.set();
    const typesOf = async () => (await eventsOf(fixture, userId)).map(({ type }) => type);
    let before: readonly string[] = [];
    const confirm = async () => {
      before = await typesOf();
      return [];
    };
    const call = { ...ada.self(), confirm };
    expect(await outcomeOf(ada.set(next, { call, proof: currentPassword("wrong") }))).toBe(
      "PASSWORD_INVALID",
    );
    expect(await typesOf()).toEqual([...before, "user.password.check.failed"]);
  });

  test("need one, to prove it", async () => {
    const proof = currentPassword(password);
    expect(await outcomeOf(ada.set(next, { call: ada.self(), proof }))).toBe("PASSWORD_NOT_SET");
  });

  test("keep the session that they do it in, and no other one", async () => {
    await ada.set();
    await addSession(fixture, userId, "77"); // the one of the call
    await addSession(fixture, userId, "78");
    await ada.set(next, { call: ada.self(), proof: currentPassword(password) });
    const active = await fixture.read((tx) => tx.all("SELECT id FROM sessions WHERE state = 'ACTIVE'"));
    expect(active).toEqual([{ id: "77" }]);
    expect(await tryAs(fixture)).toEqual({ kind: "wrong" });
    expect(await tryAs(fixture, { password: next })).toEqual({ kind: "right", userId });
  });

  test("learn nothing of a password from a dry run, which counts nothing either", async () => {
    await ada.set();
    const call = dry(ada.self());
    for (const text of [password, "wrong", "wrong", "wrong", "wrong", "wrong", "wrong"])
      expect(await outcomeOf(ada.set(next, { call, proof: currentPassword(text) }))).toBe("ok");
    expect(await tryRows()).toEqual([]);
  });
});

describe("a code for a password", () => {
  const use = (text: string, call = ada.self()) => outcomeOf(ada.set(next, { call, proof: code(text) }));

  test("cannot be had for oneself", async () => {
    expect(await outcomeOf(ada.requestCode(ada.self()))).toBe("SELF_VERIFICATION_FORBIDDEN");
  });

  test("sets a password once, and is in no event", async () => {
    const made = await ada.requestCode();
    expect(made).toMatch(/^[A-Z2-7]{20}$/);
    expect([await use(made), await use(made)]).toEqual(["ok", "CODE_NOT_PENDING"]);
    expect(await tryAs(fixture, { password: next })).toMatchObject({ kind: "right" });
    expect(JSON.stringify(await eventsOf(fixture, userId))).not.toContain(made);
  });

  test("can be used after any number of wrong tries of it: strangers cannot keep a user from a reset", async () => {
    const made = await ada.requestCode();
    const outcomes: string[] = [];
    for (let index = 0; index < 25; index += 1) outcomes.push(await use("A".repeat(20)));
    expect(outcomes).toEqual(Array<string>(25).fill("CODE_INVALID"));
    expect(await use(made)).toBe("ok");
  });

  test("is void after 30 minutes", async () => {
    const made = await ada.requestCode();
    fixture.clock.advance(30 * minute);
    expect(await use(made, about(fixture, userId).self())).toBe("CODE_EXPIRED");
  });

  test.each<[string, () => Promise<unknown>]>([
    ["another one is made", () => ada.requestCode()],
    ["a password is set", () => ada.set()],
    ["the password is removed", () => fixture.commands.passwords.remove(fixture.call(), userId)],
    [
      "the email address is another one",
      () =>
        fixture.commands.emails.set(fixture.call(), {
          userId,
          email: "countess@example.com",
          verification: "is-verified",
        }),
    ],
    [
      "an update brings another email address",
      async () => {
        const user = await getUser();
        if (user.kind !== "human") throw new Error("a person was expected");
        const update = { ...user, email: "countess@example.com" };
        await fixture.commands.updateHuman(fixture.call(), userId, update);
      },
    ],
  ])("is void once %s", async (_name, change) => {
    const made = await ada.requestCode();
    await change();
    expect(await use(made)).toMatch(/^CODE_(INVALID|NOT_PENDING)$/);
  });

  test("is not judged by a dry run", async () => {
    await ada.requestCode();
    expect(await use("A".repeat(20), dry(ada.self()))).toBe("ok");
  });
});

describe("removing a password", () => {
  const remove = (call = fixture.call()) => outcomeOf(fixture.commands.passwords.remove(call, userId));

  test("ends it, and is harmless to repeat", async () => {
    await ada.set();
    expect([await remove(), await remove()]).toEqual(["ok", "ok"]);
    expect(await getUser()).toMatchObject({ hasPassword: false, passwordChangeDate: undefined });
    expect(await tryAs(fixture)).toEqual({ kind: "wrong" });
    const removed = (await eventsOf(fixture, userId)).filter(({ type }) => type === "user.password.removed");
    expect(removed).toHaveLength(1);
  });

  const listEnded = () => fixture.read((tx) => tx.all("SELECT id, state FROM sessions ORDER BY id"));

  test("ends what others have logged in to with it, whoever removes it, before the user gains roles", async () => {
    await ada.set();
    await addSession(fixture, userId, "76");
    await addSession(fixture, userId, "77");
    expect(await remove(ada.self())).toBe("ok");
    expect(await listEnded()).toEqual([
      { id: "76", state: "TERMINATED" },
      { id: "77", state: "TERMINATED" },
    ]);
  });

  test("keeps the session in which users remove one of their own", async () => {
    const payload = { change_required: false, by: userId };
    const of = { aggregateId: userId, resourceOwner: fixture.organizationId };
    await fixture.record({ ...of, type: "user.password.set", payload });
    await addSession(fixture, userId, "76");
    await addSession(fixture, userId, "77");
    expect(await remove(ada.self())).toBe("ok");
    expect(await listEnded()).toEqual([
      { id: "76", state: "TERMINATED" },
      { id: "77", state: "ACTIVE" },
    ]);
  });

  test("needs a login of a moment ago, by the user", async () => {
    await ada.set();
    const tokenId = await fixture.addSystemToken(userId);
    expect(await remove(fixture.call({ userId, tokenId }))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await remove(ada.self())).toBe("ok");
  });
});

describe("a user who gains roles", () => {
  const manager = async () => {
    const id = await fixture.addHuman("manager");
    const tokenId = await fixture.addSystemToken(id);
    await fixture.addRole(id, "ORGANIZATION_USER_MANAGER");
    const { organizationId } = fixture;
    const held: readonly HeldRoles[] = [
      { scope: { kind: "organization", organizationId }, roles: ["ORGANIZATION_USER_MANAGER"] },
    ];
    return fixture.call({ userId: id, tokenId, held });
  };
  const gain = (roles: readonly string[] = ["INSTANCE_OWNER"]) =>
    createMembershipCommands(fixture.context, fixture.context.ids.next()).add(fixture.call(), {
      userId,
      scope: { kind: "instance" },
      roles,
    });

  test("keeps a password that a holder of these roles has set", async () => {
    await ada.set();
    await gain();
    expect(await tryAs(fixture)).toMatchObject({ kind: "right" });
  });

  test("loses one that somebody else has set, with the sessions", async () => {
    await ada.set(password, { call: await manager() });
    await addSession(fixture, userId, "501");
    expect(await tryAs(fixture)).toMatchObject({ kind: "right" });
    await gain();
    expect(await tryAs(fixture)).toEqual({ kind: "wrong" });
    expect(await getUser()).toMatchObject({ hasPassword: false });
    expect(await fixture.read((tx) => findPasswordHash(tx, userId))).toBeUndefined();
    expect(await fixture.read((tx) => tx.all("SELECT state FROM sessions"))).toEqual([
      { state: "TERMINATED" },
    ]);
    expect((await eventsOf(fixture, userId)).map(({ type }) => type)).toContain("user.password.removed");
  });

  test("loses one that was changed with such a password", async () => {
    await ada.set(password, { call: await manager() });
    await ada.set(next, { call: ada.self(), proof: currentPassword(password) });
    await gain();
    expect(await tryAs(fixture, { password: next })).toEqual({ kind: "wrong" });
  });

  test("loses one that was set with a code which somebody else was given", async () => {
    const made = await ada.requestCode(await manager());
    await ada.set(next, { call: ada.self(), proof: code(made) });
    await gain();
    expect(await tryAs(fixture, { password: next })).toEqual({ kind: "wrong" });
  });

  test("loses such a code, but not one that a holder of these roles was given", async () => {
    const theirs = await ada.requestCode(await manager());
    await gain();
    expect(await outcomeOf(ada.set(next, { call: ada.self(), proof: code(theirs) }))).toBe(
      "CODE_NOT_PENDING",
    );
    const ours = await ada.requestCode();
    expect(await outcomeOf(ada.set(next, { call: ada.self(), proof: code(ours) }))).toBe("ok");
  });
});

async function tryRows(): Promise<readonly unknown[]> {
  return await fixture.read((tx) => tx.all("SELECT kind FROM tries"));
}
