import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type OrganizationId, toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { verifyEmail } from "../../../../src/identity/people/emails/email.ts";
import { setPhone } from "../../../../src/identity/people/phones/phone.ts";
import { addHumanUser, requireHuman } from "../../../../src/identity/people/user/user.ts";
import { addOrganization } from "../../../../src/identity/organizations/organization.ts";
import { findOnlyActiveUserByEmail } from "../../../../src/identity/people/user/repository.ts";
import type { Call } from "../../../../src/kernel/base/call.ts";
import {
  findNamedUser,
  isUsernameTaken,
} from "../../../../src/identity/people/user/login-name-repository.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { humanProfile, humanUpdate } from "../../../support/samples.ts";
import { outcomeOf } from "../../../support/problems.ts";
import {
  about,
  type CountingHasher,
  createCountingHasher,
  eventsOf,
  loginName,
  password,
  setPolicy,
  tryAs,
} from "../passwords/ground.ts";

const address = "ada@example.com";
const phone = "+41791234567";
let hasher: CountingHasher;
let fixture: Fixture;
let ada: UserId;

beforeEach(async () => {
  hasher = createCountingHasher();
  fixture = await openFixture({ hasher });
  ada = await fixture.addHuman();
});
afterEach(() => fixture.close());

const human = async (userId: UserId) => requireHuman(await fixture.commands.get(fixture.call(), userId));
const vouch = async (userId: UserId) =>
  fixture.commands.emails.set(fixture.call(), { userId, email: address, verification: "is-verified" });
const self = (userId: UserId) => about(fixture, userId).self();

/** The user enters the code that was sent to the address, or to the phone. */
async function prove(userId: UserId, of: "email" | "phone" = "email"): Promise<void> {
  fixture.clock.advance(60_000); // one message in 30 seconds
  const call = self(userId);
  const verification = "send-code" as const;
  if (of === "email") await fixture.commands.emails.set(call, { userId, email: address, verification });
  else await fixture.commands.phones.set(call, { userId, phone, verification });
  await fixture.idle();
  const sent = (of === "email" ? fixture.mail : fixture.sms).sent.at(-1)?.text ?? "";
  const code = new Secret(/\d{8}/.exec(sent)?.[0] ?? "");
  const { emails, phones } = fixture.commands;
  await (of === "email" ? emails : phones).verify(call, { userId, code });
}

/** Adds an organization with a user who has the same address. */
async function addElsewhere(): Promise<{ readonly organizationId: OrganizationId; readonly userId: UserId }> {
  const organizationId = fixture.context.ids.next<OrganizationId>();
  const userId = fixture.context.ids.next<UserId>();
  const profile = humanProfile({ username: "eve", email: address });
  await fixture.record(
    addOrganization(organizationId, "Elsewhere"),
    addHumanUser(userId, organizationId, profile),
  );
  return { organizationId, userId };
}

const find = async (name: string, organizationId?: OrganizationId) => {
  const found = await fixture.read((tx) => findNamedUser(tx, { ...loginName(name), organizationId }));
  return found && { userId: found.user.id, kinds: found.kinds };
};

describe("an email address means", () => {
  test("in a login to an organization its only active user who has verified it, however that was", async () => {
    const { organizationId } = fixture;
    expect(await find(address, organizationId)).toBeUndefined();
    await vouch(ada);
    expect(await find(" ADA@example.com ", organizationId)).toEqual({ userId: ada, kinds: ["EMAIL"] });
    expect(await find(address)).toBeUndefined();
    const other = await fixture.addHuman("other");
    await vouch(other);
    expect(await find(address, organizationId)).toBeUndefined();
    await fixture.commands.changeState(fixture.call(), other, "deactivate");
    expect(await find(address, organizationId)).toEqual({ userId: ada, kinds: ["EMAIL"] });
  });

  test("a user for whom only a directory answers in a login to their organization, and to nobody who comes from a provider", async () => {
    const { organizationId } = fixture;
    const match = () => fixture.read((tx) => findOnlyActiveUserByEmail(tx, organizationId, address));
    const call: Call = { ...fixture.call(), isByDirectory: true };
    await fixture.commands.emails.set(call, { userId: ada, email: address, verification: "is-verified" });
    expect(await find(address, organizationId)).toEqual({ userId: ada, kinds: ["EMAIL"] });
    expect(await find(address)).toBeUndefined();
    expect(await match()).toBeUndefined();
    await fixture.rebuild();
    expect(await match()).toBeUndefined();
    await prove(ada);
    expect(await match()).toBe(ada);
  });

  test("anywhere the only user who has entered a code that was sent to it, and has it still", async () => {
    const { userId: eve, organizationId } = await addElsewhere();
    const user = { id: eve, details: { sequence: 0, creationDate: 0, resourceOwner: organizationId } };
    await prove(ada);
    expect(await find(address)).toEqual({ userId: ada, kinds: ["EMAIL"] });
    expect(await find(address, organizationId)).toEqual({ userId: ada, kinds: ["EMAIL"] });
    await fixture.record(verifyEmail(user)); // an administrator vouches for it
    expect(await find(address)).toEqual({ userId: ada, kinds: ["EMAIL"] });
    expect(await find(address, organizationId)).toEqual({ userId: eve, kinds: ["EMAIL"] });
    await fixture.record(verifyEmail(user, true));
    expect(await find(address)).toBeUndefined();
    await fixture.rebuild();
    expect(await find(address)).toBeUndefined();
    await fixture.commands.changeState(fixture.call(), ada, "lock");
    expect(await find(address)).toEqual({ userId: eve, kinds: ["EMAIL"] });
  });

  test("nobody after a code in an answer, for another address, or once somebody else vouches for it", async () => {
    const { emails } = fixture.commands;
    const asked = { userId: ada, email: address, verification: "return-code" } as const;
    const { code } = await emails.set(fixture.call(), asked);
    await emails.verify(fixture.call(), { userId: ada, code: code ?? new Secret("") });
    expect(await find(address)).toBeUndefined();
    for (const change of [
      () => emails.set(fixture.call(), { ...asked, email: "b@example.com", verification: "is-verified" }),
      () => fixture.commands.updateHuman(fixture.call(), ada, humanUpdate({ email: "c@example.com" })),
    ]) {
      await prove(ada);
      expect(await find(address)).toMatchObject({ userId: ada });
      await change();
      await vouch(ada);
      expect(await find(address)).toBeUndefined();
    }
  });

  test("the user who has set a password by a mail to it", async () => {
    await vouch(ada);
    const { passwords } = fixture.commands;
    await passwords.requestReset(fixture.call(), {
      userId: ada,
      medium: { kind: "send-link", urlTemplate: "" },
    });
    await fixture.idle();
    const code = new Secret(/[A-Z2-7]{20}/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "");
    const proof = { kind: "code", code } as const;
    await passwords.set(self(ada), {
      userId: ada,
      password: new Secret(password),
      isChangeRequired: false,
      proof,
    });
    expect(await find(address)).toEqual({ userId: ada, kinds: ["EMAIL"] });
  });
});

test("a phone is found however its digits are grouped, in an organization and anywhere", async () => {
  await fixture.record(...setPhone(await human(ada), phone, true));
  const typed = "+41 (0)79 123-45-67";
  expect(await find(typed, fixture.organizationId)).toEqual({ userId: ada, kinds: ["PHONE"] });
  expect(await find(typed)).toBeUndefined();
  await prove(ada, "phone");
  expect(await find(typed)).toEqual({ userId: ada, kinds: ["PHONE"] });
  expect(await find("079 123 45 67", fixture.organizationId)).toBeUndefined();
  await fixture.commands.phones.remove(fixture.call(), ada);
  expect(await find(typed, fixture.organizationId)).toBeUndefined();
});

describe("a username", () => {
  test("means its user, whoever has the address", async () => {
    const other = await fixture.addHuman(address);
    await prove(ada);
    expect(await find(address)).toEqual({ userId: other, kinds: ["USERNAME"] });
    await fixture.commands.remove(fixture.call(), other);
    await fixture.commands.updateHuman(fixture.call(), ada, humanUpdate({ username: address }));
    expect(await find(address)).toEqual({ userId: ada, kinds: ["USERNAME", "EMAIL"] });
  });

  test("cannot be the address that another user has proved, and only callers who may read them learn why", async () => {
    await prove(ada);
    const { organizationId } = fixture;
    const manager = await fixture.addHuman("manager");
    const blind = {
      userId: manager,
      tokenId: undefined,
      held: [
        {
          scope: { kind: "organization", organizationId: toId<OrganizationId>("9") },
          roles: ["ORGANIZATION_OWNER"],
        },
      ],
    } as const;
    // With a joiner, full width and capital letters it is the same name.
    for (const username of [address, "ADA@EXAMPLE.COM", "\uff41da@example.com"]) {
      const add = (call = fixture.call()) => fixture.commands.addHuman(call, humanProfile({ username }));
      expect(await outcomeOf(add())).toBe("ALREADY_EXISTS");
      expect(await outcomeOf(add(fixture.call(blind)))).toBe("FIELD_INVALID");
      expect(await fixture.read((tx) => isUsernameTaken(tx, username))).toBe(true);
    }
    const rename = { username: address, email: "manager@example.com" };
    const renamed = fixture.commands.updateHuman(fixture.call(), manager, humanUpdate(rename));
    expect(await outcomeOf(renamed)).toBe("ALREADY_EXISTS");
    const own = fixture.commands.updateHuman(fixture.call(), ada, humanUpdate({ username: address }));
    expect(await outcomeOf(own)).toBe("ok");
    expect(await find(address, organizationId)).toEqual({ userId: ada, kinds: ["USERNAME", "EMAIL"] });
  });
});

describe("a password with another name", () => {
  beforeEach(async () => {
    await prove(ada);
    await about(fixture, ada).set();
  });
  const as = (name: string, text = password) => tryAs(fixture, { login: loginName(name), password: text });

  test("lets the user in if both policies take such a name", async () => {
    expect(await as(address)).toEqual({ kind: "right", userId: ada });
    const before = { ...loginName(address), kinds: ["USERNAME", "PHONE"] as const };
    expect(await tryAs(fixture, { login: before })).toEqual({ kind: "wrong" });
    await setPolicy(fixture, { loginNames: ["USERNAME"] });
    expect(await as(address)).toEqual({ kind: "wrong" });
    expect((await eventsOf(fixture, ada)).at(-1)).toMatchObject({ reason: "not_allowed" });
    expect(await as("ada")).toEqual({ kind: "right", userId: ada });
    await fixture.commands.updateHuman(fixture.call(), ada, humanUpdate({ username: address }));
    expect(await as(address)).toEqual({ kind: "right", userId: ada });
  });

  test("counts with those under the username: after five in a row nothing is compared, and no pause shows", async () => {
    for (const name of ["ada", "ada", "ada", address, address]) await as(name, "wrong");
    expect(await as(address)).toEqual({ kind: "wrong" });
    expect((await eventsOf(fixture, ada)).at(-1)).toMatchObject({ reason: "too_many" });
    expect(hasher.compared).toBe(6); // the time of a hash all the same
    fixture.clock.advance(1000);
    expect(await as(address)).toEqual({ kind: "right", userId: ada });
    for (const name of ["ada", address, address, address]) await as(name, "wrong");
    expect(await as("ada")).toEqual({ kind: "right", userId: ada });
  });

  test("gives no more tries before a lock than the username alone", async () => {
    await setPolicy(fixture, { maxPasswordAttempts: 3 });
    for (const name of ["ada", address, "ada"]) await as(name, "wrong");
    expect(await human(ada)).toMatchObject({ state: "LOCKED" });
  });

  test("has one counter for all spellings", async () => {
    for (const name of [
      "+1 202 555 0147",
      "+12025550147",
      "+1 (202) 555-0147",
      "+1 2025550147",
      "+1-202-555-0147",
    ])
      await as(name, "wrong");
    expect(await as("+1.202.555.0147")).toMatchObject({ kind: "paused" });
  });
});
