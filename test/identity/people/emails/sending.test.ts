import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { CallerLogin } from "../../../../src/kernel/base/call.ts";
import { type SessionId, toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { EmailVerification } from "../../../../src/identity/people/emails/email.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

const minute = 60_000;
const hour = 60 * minute;
const address = "Countess@Example.com";
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const set = (verification: EmailVerification = "send-code", email = address, id = userId) =>
  fixture.commands.emails.set(fixture.call(), { userId: id, email, verification });
const resend = (verification: "send-code" | "return-code" = "send-code", id = userId) =>
  fixture.commands.emails.resendCode(fixture.call(), { userId: id, verification });
const verify = (text: string) =>
  fixture.commands.emails.verify(fixture.call(), { userId, code: new Secret(text) });
const codeIn = (text = "") => /\b\d{8}\b/.exec(text)?.[0] ?? "";
const sentCode = async () => {
  await fixture.idle();
  return codeIn(fixture.mail.sent.at(-1)?.text);
};
const getHuman = async (id = userId) => {
  const user = await fixture.commands.get(fixture.call(), id);
  if (user.kind !== "human") throw new Error("a person was expected");
  return user;
};

describe("a code", () => {
  test("goes out after the answer, which does not have it, and verifies the address", async () => {
    let release = () => {};
    fixture.mail.hold = new Promise((resolve) => {
      release = resolve;
    });
    const { code } = await set();
    expect([code, fixture.mail.sent]).toEqual([undefined, []]);
    release();
    const sent = await sentCode();
    expect(fixture.mail.sent).toEqual([
      {
        to: address,
        subject: "Verify your email address",
        text: `Hello\n\nYour verification code is ${sent}. It is valid for 10 minutes.\n\nIf you did not ask for it, you can ignore this email.\n`,
      },
    ]);
    expect(await getHuman()).toMatchObject({ email: address, isEmailVerified: false });
    await verify(sent);
    expect(await getHuman()).toMatchObject({ email: address, isEmailVerified: true });
  });

  test.each([
    ["de", "Bestätigen Sie Ihre E-Mail-Adresse"],
    ["de-CH", "Bestätigen Sie Ihre E-Mail-Adresse"],
    ["DE-at", "Bestätigen Sie Ihre E-Mail-Adresse"],
    ["del", "Verify your email address"],
    ["fr", "Vérifiez votre adresse e-mail"],
    ["nl", "Verify your email address"],
    ["", "Verify your email address"],
  ])("is written in the language of a user who prefers %j", async (preferredLanguage, subject) => {
    const user = await getHuman();
    await fixture.commands.updateHuman(fixture.call(), userId, { ...user, preferredLanguage });
    await set();
    await fixture.idle();
    expect(fixture.mail.sent.at(-1)?.subject).toBe(subject);
  });

  test("goes to users who ask for it themselves, if they have just logged in", async () => {
    const login = (ago: number): CallerLogin => ({
      sessionId: toId<SessionId>("1"),
      authTimeMs: fixture.clock.nowMs() - ago,
      isMultiFactor: false,
      methods: ["PASSWORD"],
    });
    const as = (given: CallerLogin | undefined) => {
      const tokenId = given === undefined ? fixture.administrator.tokenId : undefined;
      return fixture.call({ userId, tokenId, ...(given === undefined ? {} : { login: given }) });
    };
    const { emails } = fixture.commands;
    const input = { userId, email: address, verification: "send-code" } as const;
    expect(await outcomeOf(emails.set(as(undefined), input))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await outcomeOf(emails.set(as(login(10 * minute)), input))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await outcomeOf(emails.set(as(login(minute)), input))).toBe("ok");
    fixture.clock.advance(hour);
    const again = { userId, verification: "send-code" } as const;
    expect(await outcomeOf(emails.resendCode(as(undefined), again))).toBe("ok"); // it changes no way to log in
    await verify(await sentCode());
  });

  test("is stored in the clear nowhere, nor is the address in the counters", async () => {
    await set();
    const code = await sentCode();
    expect((await fixture.place.bytes()).includes(code)).toBe(false);
    const rows = await fixture.read((tx) =>
      tx.all<{ id: string; value: Uint8Array }>("SELECT id, value FROM secrets WHERE id LIKE 'mail-rate:%'"),
    );
    expect(rows).toHaveLength(3);
    const text = rows.map(({ id, value }) => `${id} ${Buffer.from(value).toString("utf8")}`).join("\n");
    expect(text.toLowerCase()).not.toContain("countess");
  });

  test("is not sent without a provider, and then nothing is changed", async () => {
    fixture = await fixture.reopen({ hasMail: false });
    expect(await outcomeOf(set())).toBe("MAIL_NOT_CONFIGURED");
    expect((await getHuman()).email).not.toBe(address);
    expect(await outcomeOf(set("return-code"))).toBe("ok");
    expect(await outcomeOf(resend())).toBe("MAIL_NOT_CONFIGURED");
  });

  test("is not sent by a dry run", async () => {
    const call = { ...fixture.call(), isDryRun: true };
    let steps = 0;
    const unit = {
      ...call,
      unit: {
        write: async (
          _database: unknown,
          work: (tx: never) => Promise<unknown>,
          { after }: { after: readonly unknown[] },
        ) => {
          const result = await fixture.context.database.write((tx) => work(tx as never));
          steps = after.length;
          return result as never;
        },
      },
    };
    await fixture.commands.emails.set(unit, { userId, email: address, verification: "send-code" });
    await fixture.idle();
    expect([steps, fixture.mail.sent]).toEqual([1, []]);
  });
});

describe("mails", () => {
  test("go to a user once in 30 seconds, whatever they are about", async () => {
    await set();
    const problem = await problemOf(resend());
    expect([problem.reason, problem.retryAfterMs]).toEqual(["RATE_LIMITED", 30_000]);
    const reset = () =>
      fixture.commands.passwords.requestReset(fixture.call(), {
        userId,
        medium: { kind: "send-link", urlTemplate: "" },
      });
    expect(await outcomeOf(reset())).toBe("RATE_LIMITED");
    fixture.clock.advance(30_000);
    expect(await outcomeOf(reset())).toBe("ok");
    expect(await outcomeOf(resend())).toBe("RATE_LIMITED");
  });

  test("that are refused change nothing", async () => {
    await set();
    const code = await sentCode();
    expect(await outcomeOf(set("send-code", "other@example.com"))).toBe("RATE_LIMITED");
    expect(await getHuman()).toMatchObject({ email: address });
    expect(await outcomeOf(verify(code))).toBe("ok");
  });

  test("go to an address 10 times in 24 hours, however it is written and whoever has it, also after a restart", async () => {
    for (let index = 0; index < 10; index += 1) {
      await set();
      fixture.clock.advance(minute);
    }
    fixture = await fixture.reopen();
    expect(await outcomeOf(set("send-code", "other@example.com"))).toBe("RATE_LIMITED"); // the user
    const other = await fixture.addHuman("other");
    const problem = await problemOf(set("send-code", address.toUpperCase(), other)); // the address
    expect([problem.reason, problem.retryAfterMs]).toEqual(["RATE_LIMITED", 24 * hour - 10 * minute]);
    expect(await outcomeOf(set("send-code", "other@example.com", other))).toBe("ok");
    fixture.clock.advance(24 * hour);
    expect(await outcomeOf(set("send-code", address.toUpperCase(), other))).toBe("ok");
  });

  test("of an organization are limited, and SMS are counted apart", async () => {
    fixture = await fixture.reopen({ maxMailPerOrganization: 2 });
    const users = [userId, await fixture.addHuman("b"), await fixture.addHuman("c")];
    const outcomes: string[] = [];
    for (const id of users) outcomes.push(await outcomeOf(set("send-code", `${id}@example.com`, id)));
    expect(outcomes).toEqual(["ok", "ok", "RATE_LIMITED"]);
    const sms = { userId, phone: "+41791234567", verification: "send-code" } as const;
    expect(await outcomeOf(fixture.commands.phones.set(fixture.call(), sms))).toBe("ok");
  });

  test("that were refused for the organization are not counted for the user", async () => {
    fixture = await fixture.reopen({ maxMailPerOrganization: 1 });
    await set("send-code", "b@example.com", await fixture.addHuman("b"));
    expect(await outcomeOf(set())).toBe("RATE_LIMITED");
    fixture = await fixture.reopen({});
    expect(await outcomeOf(set())).toBe("ok");
  });

  test("that fail are reported without code and address, and lift the pause, but count for the day", async () => {
    fixture.mail.failWith = (text) =>
      new Error(`cannot send "${text}" to ${address} or ${address.toLowerCase()}`);
    for (let index = 0; index < 10; index += 1) {
      expect(await outcomeOf(set())).toBe("ok");
      await fixture.idle();
    }
    expect(fixture.failures).toHaveLength(10);
    expect(fixture.failures[0]).toMatchObject({ userId, requestId: "test" });
    const details = JSON.stringify(fixture.failures);
    expect(details).toContain("[code]");
    expect(details).not.toMatch(/countess|\b\d{8}\b/i);
    expect(await outcomeOf(set())).toBe("RATE_LIMITED");
  });

  test("leave no counter of a removed user or organization, and old counters go", async () => {
    await set();
    const idsOf = () =>
      fixture.read((tx) => tx.all<{ id: string }>("SELECT id FROM secrets WHERE id LIKE 'mail-rate:%'"));
    await fixture.idle();
    await fixture.commands.remove(fixture.call(), userId);
    expect((await idsOf()).filter(({ id }) => id.includes(userId))).toEqual([]);
    fixture.clock.advance(25 * hour);
    const other = await fixture.addHuman("other");
    await set("send-code", "other@example.com", other);
    const left = (await idsOf()).map(({ id }) => id.split(":").slice(0, 2).join(":")).toSorted();
    expect(left).toEqual(["mail-rate:address", "mail-rate:organization", "mail-rate:user"]);
  });
});
