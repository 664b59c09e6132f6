import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { loginName } from "../people/passwords/ground.ts";
import type { Call } from "../../../src/kernel/base/call.ts";
import { toId, type SessionId, type UserId } from "../../../src/kernel/base/ids.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { requestResetByName } from "../../../src/identity/people/passwords/reset-request.ts";
import { readSignInFacts } from "../../../src/identity/factors/ways-in/repository.ts";
import { humanProfile } from "../../support/samples.ts";
import { type Fixture, openFixture } from "../user-service/fixture.ts";

// What becomes of the address of a user who gains roles: codes go to it, so whoever set it could get at the account.

const applicationOrigin = "https://app.example";
const pageOfApplication = `${applicationOrigin}/set?code={code}`;
let fixture: Fixture;
let userId: UserId;
beforeEach(async () => {
  fixture = await openFixture({ applicationOrigin });
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

async function manager(): Promise<Call> {
  const id = await fixture.addHuman("manager");
  const { organizationId } = fixture;
  await fixture.addRole(id, "ORGANIZATION_USER_MANAGER");
  const scope = { kind: "organization", organizationId } as const;
  const tokenId = await fixture.addSystemToken(id);
  return fixture.call({ userId: id, tokenId, held: [{ scope, roles: ["ORGANIZATION_USER_MANAGER"] }] });
}
const self = (...methods: readonly string[]) =>
  fixture.call({
    userId,
    tokenId: undefined,
    login: {
      sessionId: toId<SessionId>("1"),
      authTimeMs: fixture.clock.nowMs(),
      isMultiFactor: methods.length > 1,
      methods: methods.length === 0 ? ["PASSWORD"] : methods,
    },
  });
const gain = () =>
  createMembershipCommands(fixture.context, fixture.context.ids.next()).add(fixture.call(), {
    userId,
    scope: { kind: "instance" },
    roles: ["INSTANCE_OWNER"],
  });
const vouch = (call: Call, email = "other@example.com") =>
  fixture.commands.emails.set(call, { userId, email, verification: "is-verified" });
const isVerified = async () => {
  const user = await fixture.commands.get(fixture.call(), userId);
  return user.kind === "human" && user.isEmailVerified;
};
const hasPassword = async () => {
  const user = await fixture.commands.get(fixture.call(), userId);
  return user.kind === "human" && user.hasPassword;
};
async function mailCode(call: Call, urlTemplate = ""): Promise<string> {
  const medium = { kind: "send-link", urlTemplate } as const;
  await fixture.commands.passwords.requestReset(call, { userId, medium });
  await fixture.idle();
  return /[A-Z2-7]{20}/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
}
const usePasswordCode = (code: string) =>
  fixture.commands.passwords.set(self(), {
    userId,
    password: new Secret("a password of theirs"),
    isChangeRequired: false,
    proof: { kind: "code", code: new Secret(code) },
  });
async function verifyOwn(call = self()) {
  await fixture.commands.emails.set(call, { userId, email: "own@example.com", verification: "send-code" });
  await fixture.idle();
  const code = /\b\d{8}\b/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
  await fixture.commands.emails.verify(call, { userId, code: new Secret(code) });
}

test("it stays verified if a holder of these roles set it", async () => {
  await vouch(fixture.call());
  await gain();
  expect(await isVerified()).toBe(true);
});

test("it stays verified if the user set it", async () => {
  await vouch(await manager());
  await verifyOwn();
  await gain();
  expect(await isVerified()).toBe(true);
});

test("it is verified no longer if somebody else set it, also after a rebuild", async () => {
  await vouch(await manager());
  await gain();
  expect(await isVerified()).toBe(false);
  await fixture.rebuild();
  expect(await isVerified()).toBe(false);
});

test("it stays verified if a holder of these roles vouches for what somebody else has set", async () => {
  const call = await manager();
  const user = await fixture.commands.get(call, userId);
  if (user.kind !== "human") throw new Error("a person was expected");
  await fixture.commands.updateHuman(call, userId, { ...user, email: "new@example.com" });
  await vouch(fixture.call(), "new@example.com"); // whoever vouches for it answers for it from now on
  await gain();
  expect(await isVerified()).toBe(true);
});

test("it is verified no longer if the user set it whose password somebody else knows", async () => {
  await fixture.commands.passwords.set(await manager(), {
    userId,
    password: new Secret("a password of theirs"),
    isChangeRequired: false,
    proof: undefined,
  });
  await verifyOwn();
  await gain();
  expect(await isVerified()).toBe(false);
});

/** Sets a password by a code that is mailed to the address that the user has. */
async function setByMail() {
  fixture.clock.advance(60_000); // one mail a minute
  const medium = { kind: "send-link", urlTemplate: "" } as const;
  await fixture.commands.passwords.requestReset(fixture.call(), { userId, medium });
  await fixture.idle();
  const code = /[A-Z2-7]{20}/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
  const password = new Secret("a password of a mail");
  const proof = { kind: "code", code: new Secret(code) } as const;
  await fixture.commands.passwords.set(self(), { userId, password, isChangeRequired: false, proof });
}

test("a password by a mail to an address that somebody else has set is worth nothing any more", async () => {
  await vouch(await manager());
  await setByMail();
  await gain();
  expect(await hasPassword()).toBe(false);
});

test("a password by a mail stays if the user or a holder of these roles has set the address", async () => {
  await vouch(fixture.call());
  await setByMail();
  await gain();
  expect(await hasPassword()).toBe(true);
  fixture.clock.advance(60_000);
  await verifyOwn();
  await setByMail();
  const scope = { kind: "organization", id: fixture.organizationId } as const;
  const commands = createMembershipCommands(fixture.context, fixture.context.ids.next());
  await commands.add(fixture.call(), { userId, scope, roles: ["ORGANIZATION_OWNER"] });
  expect(await hasPassword()).toBe(true);
});

test("a code for the password that was mailed before is void", async () => {
  const code = await mailCode(fixture.call());
  await gain();
  await expect(usePasswordCode(code)).rejects.toMatchObject({ reason: "CODE_NOT_PENDING" });
});

describe("a password that the user sets with a mailed code", () => {
  test.each(["vouched for by", "of a user added by"])(
    "is worth nothing after the gain at an address %s others",
    async (how) => {
      const call = await manager();
      if (how === "vouched for by") await vouch(call);
      else userId = (await fixture.commands.addHuman(call, humanProfile({ username: "new" }))).id;
      await usePasswordCode(await mailCode(fixture.call()));
      await gain();
      expect(await hasPassword()).toBe(false);
    },
  );

  test("is worth nothing after the gain if others chose the page that the code went to", async () => {
    await vouch(fixture.call()); // an address of somebody who holds more answers for less
    await usePasswordCode(await mailCode(await manager(), pageOfApplication));
    await gain();
    expect(await hasPassword()).toBe(false);
  });

  test("is worth nothing after the gain if the page was chosen in a login at a provider", async () => {
    await vouch(fixture.call());
    await usePasswordCode(await mailCode(self("IDP"), pageOfApplication));
    await gain();
    expect(await hasPassword()).toBe(false);
  });

  test("is worth nothing after the gain if others set the address, whoever chose the page", async () => {
    await vouch(await manager());
    await usePasswordCode(await mailCode(fixture.call(), pageOfApplication));
    await gain();
    expect(await hasPassword()).toBe(false);
  });

  test("stays if the user or holders of the roles have set the address, and the page is our own", async () => {
    await vouch(fixture.call());
    await usePasswordCode(await mailCode(await manager(), "https://login.example/set?code={code}"));
    await gain();
    expect(await hasPassword()).toBe(true);
  });
});

describe("no code for a password is mailed after the gain to an address that others have set", () => {
  test.each(["verified", "unverified"])("and that was %s", async (state) => {
    const call = await manager();
    if (state === "verified") await vouch(call);
    else
      await fixture.commands.emails.set(call, {
        userId,
        email: "other@example.com",
        verification: "return-code",
      });
    await gain();
    await fixture.rebuild();
    await expect(mailCode(fixture.call())).rejects.toMatchObject({ reason: "CODE_NOT_PENDING" });
    await vouch(fixture.call()); // whoever may act as the user sets it anew
    expect(await mailCode(fixture.call())).toHaveLength(20);
  });

  test("until it is verified anew", async () => {
    await vouch(await manager());
    await gain();
    const { emails } = fixture.commands;
    const { code } = await emails.resendCode(fixture.call(), { userId, verification: "return-code" });
    await emails.verify(self(), { userId, code: code ?? new Secret("") });
    expect(await mailCode(fixture.call())).toHaveLength(20);
  });

  test("and that the user sets after the gain in a login at a provider, until somebody else vouches for it", async () => {
    await gain();
    await verifyOwn(self("IDP", "TOTP"));
    expect(await isVerified()).toBe(true);
    await expect(mailCode(fixture.call())).rejects.toMatchObject({ reason: "CODE_NOT_PENDING" });
    const asked = { login: loginName("ada"), homeId: undefined, issuer: "https://login.example" };
    const unnamed = { clientId: undefined, remoteAddress: undefined, requestId: "test" };
    const before = fixture.mail.sent.length;
    fixture.clock.advance(60_000); // a mail in 30 seconds
    expect(await requestResetByName(fixture, { ...asked, ...unnamed })).toEqual({ kind: "asked" });
    await fixture.idle();
    expect(fixture.mail.sent).toHaveLength(before);
    const { organizationId } = fixture;
    const place = { domain: undefined, sendsMail: true };
    const facts = () => fixture.read((tx) => readSignInFacts(tx, { userId, organizationId }, place));
    expect(await facts()).toMatchObject({ hasPassword: false }); // so it is no way in either
    await vouch(fixture.call());
    expect(await facts()).toMatchObject({ hasPassword: true });
    expect(await mailCode(fixture.call())).toHaveLength(20);
  });
});
