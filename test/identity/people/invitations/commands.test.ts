import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { Role } from "../../../../src/kernel/base/permission.ts";
import { createMembershipCommands } from "../../../../src/identity/memberships/commands.ts";
import type { NewPerson } from "../../../../src/identity/people/additions/addition.ts";
import { dayMs } from "../../../../src/identity/people/codes/code.ts";
import type { HumanUser } from "../../../../src/identity/people/user/user.ts";
import { humanProfile } from "../../../support/samples.ts";
import { outcomeOf } from "../../../support/problems.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";

const minute = 60_000;
const plain = { urlTemplate: "", applicationId: "" };
let fixture: Fixture;
beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.close());

const add = async (username: string, more: Partial<NewPerson> = {}, call = fixture.call()) =>
  (
    await fixture.commands.addHuman(call, {
      ...humanProfile({ username, email: `${username}@example.com` }),
      ...more,
    })
  ).id;
const invite = (username: string, more: Partial<NewPerson> = {}) => add(username, { invite: plain, ...more });
const resend = (userId: string) =>
  fixture.commands.invitations.resend(fixture.call(), { userId, invite: undefined });
const getHuman = async (userId: string): Promise<HumanUser> => {
  const user = await fixture.commands.get(fixture.call(), userId);
  if (user.kind !== "human") throw new Error("a person was expected");
  return user;
};
const isInvited = async (userId: string) => (await getHuman(userId)).invitation !== undefined;
const sentCode = async () => {
  await fixture.idle();
  return /[A-Z2-7]{20}/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
};
const use = (userId: UserId, code: string) =>
  fixture.commands.passwords.set(
    fixture.call({
      userId,
      tokenId: undefined,
      login: {
        sessionId: toId("1"),
        authTimeMs: fixture.clock.nowMs(),
        isMultiFactor: false,
        methods: ["PASSWORD"],
      },
    }),
    {
      userId,
      password: new Secret("a password of my own"),
      isChangeRequired: false,
      proof: { kind: "code", code: new Secret(code) },
    },
  );
const lastEvents = async (count: number) =>
  await fixture.read((tx) =>
    tx.all<{ type: string; payload: string }>(
      `SELECT type, payload FROM (SELECT sequence, type, payload FROM events ORDER BY sequence DESC LIMIT ?) AS last
       ORDER BY sequence`,
      [count],
    ),
  );

describe("an invitation", () => {
  test("is mailed with a link to our page, which names the organization, and lasts for seven days", async () => {
    const userId = await invite("ada");
    await fixture.idle();
    const [mail] = fixture.mail.sent;
    expect(mail).toMatchObject({ to: "ada@example.com", subject: "Your invitation to Default" });
    expect(mail?.text).toMatch(
      new RegExp(`\nhttps://login\\.example/login/invitation/${userId}\\?code=[A-Z2-7]{20}\n`),
    );
    expect(mail?.text).toContain("Default has made an account for you. ");
    expect(mail?.text).toContain("7 days");
    const { invitation, isEmailVerified, state, details } = await getHuman(userId);
    const sendDate = details.sequence;
    expect({ isEmailVerified, state }).toEqual({ isEmailVerified: false, state: "ACTIVE" });
    expect(invitation).toMatchObject({ applicationId: "", sendDate });
    expect(invitation?.expirationDate).toBe((fixture.clock.nowMs() + 7 * dayMs) * 1000);
    await fixture.rebuild();
    expect((await getHuman(userId)).invitation).toEqual(invitation);
  });

  test("makes no link of a name", async () => {
    const { organizationId: id } = fixture;
    const name = "Go to https://evil.example/x, www.evil.example or a@evil.example. J.P. Inc.";
    await fixture.record({
      type: "organization.changed",
      aggregateId: id,
      resourceOwner: id,
      payload: { name },
    });
    await invite("ada");
    await fixture.idle();
    const { subject = "", text = "" } = fixture.mail.sent[0] ?? {};
    const shown = "Go to https: / / evil. example/ x, www. evil. example or a@ evil. example. J. P. Inc.";
    expect([subject, text.match(/^.* has made an account for you/m)?.[0]]).toEqual([
      `Your invitation to ${shown}`,
      `${shown} has made an account for you`,
    ]);
  });

  test("is void after seven days, but still shown", async () => {
    const userId = await invite("ada");
    fixture.clock.advance(7 * dayMs - 1);
    expect(await outcomeOf(use(userId, "A".repeat(20)))).toBe("CODE_INVALID");
    fixture.clock.advance(1);
    expect(await outcomeOf(use(userId, await sentCode()))).toBe("CODE_EXPIRED");
    expect(await isInvited(userId)).toBe(true);
    await resend(userId);
    expect(await outcomeOf(use(userId, await sentCode()))).toBe("ok");
  });

  test("sets a password once, verifies the address, and is over", async () => {
    const userId = await invite("ada");
    await use(userId, await sentCode());
    const { isEmailVerified, hasPassword, invitation } = await getHuman(userId);
    expect({ isEmailVerified, hasPassword, invitation }).toEqual({
      isEmailVerified: true,
      hasPassword: true,
      invitation: undefined,
    });
    expect(await outcomeOf(use(userId, await sentCode()))).toBe("CODE_NOT_PENDING");
    expect((await lastEvents(3)).find(({ type }) => type === "user.invitation.ended")?.payload).toBe(
      '{"cause":"accepted"}',
    );
    expect(await outcomeOf(resend(userId))).toBe("INVITATION_NOT_NEEDED");
  });

  test("is shown by the filter, expired or not, and nobody else", async () => {
    const userId = await invite("ada");
    await add("grace");
    const list = async () =>
      (
        await fixture.commands.list(
          fixture.call(),
          { isInvited: true },
          { pageSize: 50, pageToken: "", countTotal: false },
        )
      ).page.items.map(({ id }) => id);
    expect(await list()).toEqual([userId]);
    fixture.clock.advance(8 * dayMs);
    expect(await list()).toEqual([userId]);
    await use(userId, (await resend(userId), await sentCode()));
    expect(await list()).toEqual([]);
  });

  const endings: readonly [string, (userId: UserId) => Promise<unknown>][] = [
    [
      "another code for a password",
      (userId) =>
        fixture.commands.passwords.requestReset(fixture.call(), { userId, medium: { kind: "return-code" } }),
    ],
    [
      "another address",
      (userId) =>
        fixture.commands.emails.set(fixture.call(), {
          userId,
          email: "other@example.com",
          verification: "is-verified",
        }),
    ],
    [
      "another address in the profile",
      (userId) =>
        fixture.commands.updateHuman(
          fixture.call(),
          userId,
          humanProfile({ username: "ada", email: "x@example.com" }),
        ),
    ],
    [
      "a password that is set",
      (userId) =>
        fixture.commands.passwords.set(fixture.call(), {
          userId,
          password: new Secret("a password of others"),
          isChangeRequired: true,
          proof: undefined,
        }),
    ],
    ["a password that is removed", (userId) => fixture.commands.passwords.remove(fixture.call(), userId)],
    ["a lock", (userId) => fixture.commands.changeState(fixture.call(), userId, "lock")],
    ["a deactivation", (userId) => fixture.commands.changeState(fixture.call(), userId, "deactivate")],
    ["a role outside", (userId) => giveRole(userId, "INSTANCE_VIEWER")],
  ];
  test.each(endings)("is ended by %s", async (_what, end) => {
    const userId = await invite("ada");
    const code = await sentCode();
    await end(userId);
    expect(await isInvited(userId)).toBe(false);
    expect(await outcomeOf(use(userId, code))).not.toBe("ok");
    await fixture.rebuild();
    expect(await isInvited(userId)).toBe(false);
  });

  test("stays when the inviter gives a role inside of the organization, or confirms the same address", async () => {
    const userId = await invite("ada");
    const code = await sentCode();
    await giveRole(userId, "ORGANIZATION_OWNER");
    await fixture.commands.emails.set(fixture.call(), {
      userId,
      email: "ada@example.com",
      verification: "is-verified",
    });
    expect(await outcomeOf(use(userId, code))).toBe("ok");
  });

  test("is not stored in the clear, and goes with its user", async () => {
    const userId = await invite("ada");
    expect((await fixture.place.bytes()).includes(await sentCode())).toBe(false);
    await fixture.commands.remove(fixture.call(), userId);
    const left = await fixture.read((tx) =>
      tx.all("SELECT id FROM secrets WHERE id LIKE ? ORDER BY id", [`%${userId}`]),
    );
    expect(left).toEqual([]);
  });
});

describe("another invitation", () => {
  test("takes the place of the former one", async () => {
    const userId = await invite("ada");
    const first = await sentCode();
    fixture.clock.advance(minute);
    await resend(userId);
    expect(await outcomeOf(use(userId, first))).toBe("CODE_INVALID");
    expect(await outcomeOf(use(userId, await sentCode()))).toBe("ok");
  });

  test("may be the first one of a user who cannot sign in yet, and of no other", async () => {
    const userId = await add("ada");
    await resend(userId);
    expect(await isInvited(userId)).toBe(true);
    const bot = fixture.administrator.userId;
    expect(await outcomeOf(resend(bot))).toBe("WRONG_KIND");
    const secured = await add("grace");
    await fixture.record({
      type: "user.u2f.added",
      aggregateId: secured,
      resourceOwner: fixture.organizationId,
      payload: { u2f_id: "77", domain: "localhost" },
    });
    fixture.clock.advance(minute);
    expect(await outcomeOf(resend(secured))).toBe("ok"); // a registration that was begun is no factor
    await fixture.record({
      type: "user.u2f.verified",
      aggregateId: secured,
      resourceOwner: fixture.organizationId,
      payload: {
        u2f_id: "77",
        name: "Key",
        credential_id: "AAAA",
        public_key: "AAAA",
        counter: "0",
        aaguid: "00000000-0000-0000-0000-000000000000",
        attestation_format: "none",
      },
    });
    fixture.clock.advance(minute);
    expect(await outcomeOf(resend(secured))).toBe("INVITATION_NOT_NEEDED");
    const stopped = await add("linus");
    await fixture.commands.changeState(fixture.call(), stopped, "deactivate");
    expect(await outcomeOf(resend(stopped))).toBe("STATE_CONFLICT");
  });
});

describe("invitations are limited:", () => {
  test("three to an address in a day, over all users, however it is written", async () => {
    const send = async (username: string, email: string) =>
      await outcomeOf(add(username, { invite: plain, email }));
    expect(await send("a", "ada@example.com")).toBe("ok");
    expect(await send("b", "Ada@Example.com")).toBe("ok");
    expect(await send("c", "ada@example.com")).toBe("ok");
    const events = await fixture.eventCount();
    expect(await send("d", "ADA@example.com")).toBe("RATE_LIMITED");
    expect(await fixture.eventCount()).toBe(events); // nobody was added
    expect(await send("e", "grace@example.com")).toBe("ok");
    fixture.clock.advance(dayMs);
    expect(await send("d", "ada@example.com")).toBe("ok");
  });

  test("by the option for each organization, apart from other emails", async () => {
    await fixture.close();
    fixture = await openFixture({ maxInvitationsPerOrganization: 2 });
    expect(await outcomeOf(invite("a"))).toBe("ok");
    expect(await outcomeOf(invite("b"))).toBe("ok");
    expect(await outcomeOf(invite("c"))).toBe("RATE_LIMITED");
    expect(await outcomeOf(add("c", { emailVerification: "send-code" }))).toBe("ok");
  });

  test("where nothing can be mailed, or no page is there", async () => {
    await fixture.close();
    fixture = await openFixture({ hasMail: false });
    expect(await outcomeOf(invite("a"))).toBe("MAIL_NOT_CONFIGURED");
    await fixture.close();
    fixture = await openFixture({ issuer: "" });
    expect(await outcomeOf(invite("a"))).toBe("ISSUER_NOT_CONFIGURED");
  });
});

describe("what an invitation names", () => {
  test.each([
    ["not-an-id", ""],
    ["99", ""],
    ["", "https://evil.example/{code}"],
  ])("is of the organization: %j %j", async (applicationId, urlTemplate) => {
    expect(await outcomeOf(add("a", { invite: { applicationId, urlTemplate } }))).toBe("FIELD_INVALID");
  });

  test("may be a page of an application, whose chooser answers for the password", async () => {
    await fixture.close();
    fixture = await openFixture({ applicationOrigin: "https://app.example" });
    const userId = await add("a", {
      invite: { applicationId: "", urlTemplate: "https://app.example/in?c={code}" },
    });
    await use(userId, await sentCode());
    expect(fixture.mail.sent.at(-1)?.text).toContain("https://app.example/in?c=");
    const set = (await lastEvents(3)).find(({ type }) => type === "user.password.set");
    expect(JSON.parse(set?.payload ?? "{}")).toMatchObject({ by: fixture.administrator.userId });
  });
});

/** As the administrator. */
async function giveRole(userId: UserId, role: Role): Promise<void> {
  const memberships = createMembershipCommands(fixture.context, toId("1"));
  const scope = role.startsWith("INSTANCE_")
    ? ({ kind: "instance" } as const)
    : ({ kind: "organization", id: fixture.organizationId } as const);
  await memberships.add(fixture.call(), { userId, scope, roles: [role] });
}
