import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { Role } from "../../../../src/kernel/base/permission.ts";
import { checkNewPerson, type NewPerson } from "../../../../src/identity/people/additions/addition.ts";
import {
  findUserIdByImportedId,
  nextUserId,
} from "../../../../src/identity/people/user/imported-id-repository.ts";
import { tryPassword } from "../../../../src/identity/people/passwords/password-check.ts";
import { loginName } from "../passwords/ground.ts";
import { humanProfile } from "../../../support/samples.ts";
import { outcomeOf } from "../../../support/problems.ts";
import { passwordHashSample } from "../../../support/world.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";

let fixture: Fixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.close());

const phrase = "a phrase that is long";
const password = { kind: "password", password: new Secret(phrase) } as const;
const hash = { kind: "hash", encoded: new Secret(passwordHashSample) } as const;
const invite = { urlTemplate: "", applicationId: "" };
const add = (more: Partial<NewPerson>, call = fixture.call()) =>
  fixture.commands.addHuman(call, { ...humanProfile({ username: "ada" }), ...more });
const as = (role: Role) =>
  fixture.call({
    ...fixture.administrator,
    held: [{ scope: { kind: "organization", organizationId: fixture.organizationId }, roles: [role] }],
  });

describe("a person who is added", () => {
  test("gets a password that works, with a change that is due, for which the caller answers", async () => {
    const { id } = await add({ firstPassword: password, isPasswordChangeRequired: true });
    const read = async () => await fixture.commands.get(fixture.call(), id);
    expect(await read()).toMatchObject({ hasPassword: true, isPasswordChangeRequired: true });
    const login = loginName("ada");
    const typed = { login, password: phrase, purpose: "login", remoteAddress: undefined } as const;
    const tried = await tryPassword(
      { ...fixture.context, hasher: fixture.hasher },
      { ...typed, requestId: "test" },
    );
    expect(tried).toMatchObject({ kind: "right", userId: id });
    await fixture.rebuild();
    expect(await read()).toMatchObject({ hasPassword: true, isPasswordChangeRequired: true });
    const row = await fixture.read((tx) => tx.get("SELECT password_creator FROM users WHERE id = ?", [id]));
    expect(row).toEqual({ password_creator: fixture.administrator.userId });
  });

  test("gets no password that breaks a rule, or a hash that cannot be read", async () => {
    const events = await fixture.eventCount();
    const weak = { kind: "password", password: new Secret("short") } as const;
    const own = { kind: "password", password: new Secret("the-name-of-ada") } as const;
    const unreadable = { kind: "hash", encoded: new Secret("$1$old") } as const;
    expect(await outcomeOf(add({ firstPassword: weak }))).toBe("PASSWORD_TOO_WEAK");
    expect(await outcomeOf(add({ username: "the-name-of-ada", firstPassword: own }))).toBe(
      "PASSWORD_TOO_WEAK",
    );
    expect(await outcomeOf(add({ firstPassword: unreadable }))).toBe("FIELD_INVALID");
    expect(await fixture.eventCount()).toBe(events);
  });

  test("has an address that is verified by assurance, by a code that is given, or by one that is mailed", async () => {
    const vouched = await add({ emailVerification: "is-verified" });
    expect(vouched.code).toBeUndefined();
    expect(await fixture.commands.get(fixture.call(), vouched.id)).toMatchObject({ isEmailVerified: true });
    const given = await add({ username: "b", emailVerification: "return-code" });
    const code = given.code ?? new Secret("");
    await fixture.commands.emails.verify(fixture.call(), { userId: given.id, code });
    expect(await fixture.commands.get(fixture.call(), given.id)).toMatchObject({ isEmailVerified: true });
    const mailed = await add({ username: "c", emailVerification: "send-code" });
    expect(mailed.code).toBeUndefined();
    await fixture.idle();
    const sent = new Secret(/\d{8}/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "");
    await fixture.commands.emails.verify(fixture.call(), { userId: mailed.id, code: sent });
    await fixture.rebuild();
    expect(await fixture.commands.get(fixture.call(), mailed.id)).toMatchObject({ isEmailVerified: true });
  });
});

describe("the permission", () => {
  test("for a hash is needed instance-wide", async () => {
    expect(await outcomeOf(add({ firstPassword: hash }, as("ORGANIZATION_OWNER")))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(add({ firstPassword: hash }))).toBe("ok");
  });

  test("for all else is user.credential.write", async () => {
    const mores = [
      { firstPassword: password },
      { emailVerification: "is-verified" as const },
      { emailVerification: "return-code" as const },
      { invite },
    ];
    for (const more of mores)
      expect(await outcomeOf(add(more, as("ORGANIZATION_PROJECT_MANAGER")))).toBe("PERMISSION_DENIED");
    expect(await outcomeOf(add({}, as("ORGANIZATION_PROJECT_MANAGER")))).toBe("ok"); // as the pipeline has allowed
    const manager = as("ORGANIZATION_USER_MANAGER");
    expect(await outcomeOf(add({ username: "b", firstPassword: password }, manager))).toBe("ok");
  });
});

describe("an imported id", () => {
  const old = "auth0|5f7c8ec7";

  test("is given by a caller with user.write instance-wide", async () => {
    expect(await outcomeOf(add({ importedId: old }, as("ORGANIZATION_OWNER")))).toBe("PERMISSION_DENIED");
    const { id } = await add({ importedId: old });
    await fixture.rebuild();
    expect(await fixture.commands.get(fixture.call(), id)).toMatchObject({ importedId: old });
    expect(await fixture.read((tx) => findUserIdByImportedId(tx, old))).toBe(id);
  });

  test("is unique for ever: also once its user is removed, and all tables were made again", async () => {
    const { id } = await add({ importedId: old });
    expect(await outcomeOf(add({ username: "b", importedId: old }))).toBe("ALREADY_EXISTS");
    await fixture.commands.remove(fixture.call(), id);
    expect(await outcomeOf(add({ username: "b", importedId: old }))).toBe("ALREADY_EXISTS");
    await fixture.rebuild();
    expect(await outcomeOf(add({ username: "b", importedId: old }))).toBe("ALREADY_EXISTS");
    expect(await fixture.read((tx) => tx.all("SELECT digest FROM imported_ids"))).toEqual([
      { digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  test("is the id of no other user, whichever is there first", async () => {
    const { id } = await add({});
    expect(await outcomeOf(add({ username: "b", importedId: id }))).toBe("ALREADY_EXISTS");
    const { database } = fixture.context;
    await add({ username: "c", importedId: "4711" });
    const ids = ["4711", "4712"];
    const nextId = <T>() => ids.shift() as T;
    const drawn = await database.write((tx) => {
      const get: typeof tx.get = (sql, parameters) => tx.get(sql, parameters);
      return nextUserId({ get, nextId });
    });
    expect([drawn, ids]).toEqual(["4712", []]);
  });
});

describe("an item of a batch", () => {
  test.each([
    ["password", { firstPassword: password }],
    ["send_code", { emailVerification: "send-code" }],
    ["return_code", { emailVerification: "return-code" }],
    ["invite", { invite }],
  ] as const)("has no %s", async (_field, more) => {
    const item = { ...fixture.call(), isItem: true } as const;
    expect(await outcomeOf(add(more, item))).toBe("FIELD_INVALID");
  });

  test("may have a hash, and an address that is vouched for", async () => {
    const item = { ...fixture.call(), isItem: true } as const;
    expect(await outcomeOf(add({ firstPassword: hash, emailVerification: "is-verified" }, item))).toBe("ok");
  });
});

test.each([
  [{ isPasswordChangeRequired: true }, ["password_change_required"]],
  [{ invite, firstPassword: password }, ["invite"]],
  [{ invite, emailVerification: "send-code" }, ["invite"]],
  [{ invite, emailVerification: "return-code" }, ["invite"]],
  [{ invite, emailVerification: "is-verified" }, []],
  [{ firstPassword: password, isPasswordChangeRequired: true, emailVerification: "send-code" }, []],
] as const)("what does not fit together is refused (%#)", (more, fields) => {
  expect(checkNewPerson(more).map(({ field }) => field)).toEqual(fields);
});
