import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { PhoneVerification } from "../../../../src/identity/people/phones/phone.ts";
import { addCustomTexts } from "../../../../src/identity/texts/custom-texts.ts";
import { humanProfile } from "../../../support/samples.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

const number = "+41791234567";
const minute = 60_000;
const hour = 60 * minute;
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const set = (verification: PhoneVerification = "send-code", phone = number) =>
  fixture.commands.phones.set(fixture.call(), { userId, phone, verification });
const resend = (verification: "send-code" | "return-code" = "send-code") =>
  fixture.commands.phones.resendCode(fixture.call(), { userId, verification });
const verify = (code: string, id: string = userId) =>
  fixture.commands.phones.verify(fixture.call(), { userId: id, code: new Secret(code) });
const codeOf = async (made: ReturnType<typeof set>) => (await made).code?.reveal() ?? "";
const wrongOf = (code: string) => `${code.startsWith("0") ? "1" : "0"}${code.slice(1)}`;
const getUser = () => fixture.commands.get(fixture.call(), userId);
const repeat = async (count: number, work: () => Promise<unknown>) => {
  const outcomes: string[] = [];
  for (let index = 0; index < count; index += 1) outcomes.push(await outcomeOf(work()));
  return outcomes;
};

describe("a code", () => {
  test("has 8 digits and verifies the phone; the answer is the user's details after it", async () => {
    const code = await codeOf(set("return-code", "+41 79 123 45 67"));
    expect(code).toMatch(/^[0-9]{8}$/);
    expect(await getUser()).toMatchObject({ phone: number, isPhoneVerified: false });
    const details = await verify(code);
    const user = await getUser();
    expect(user).toMatchObject({ phone: number, isPhoneVerified: true });
    expect(details).toEqual(user.details);
    expect(details.sequence).toBeGreaterThan(details.creationDate);
  });

  test("may be typed with spaces, hyphens and digits of another script", async () => {
    const code = await codeOf(set("return-code"));
    const inFullWidth = code
      .slice(4)
      .replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    expect(await outcomeOf(verify(` ${code.slice(0, 4)}-${inFullWidth}`))).toBe("ok");
  });

  test("is tried 64 times at once: exactly one succeeds", async () => {
    const code = await codeOf(set("return-code"));
    const outcomes = await Promise.all(Array.from({ length: 64 }, () => outcomeOf(verify(code))));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "CODE_NOT_PENDING")).toHaveLength(63);
  });

  test("is void once another is made, or the number is set again", async () => {
    const first = await codeOf(set("return-code"));
    const second = await codeOf(resend("return-code"));
    expect(await outcomeOf(verify(first))).toBe("CODE_INVALID");
    await set("return-code", "+41791234568");
    expect(await outcomeOf(verify(second))).toBe("CODE_INVALID");
  });

  test("is void once the phone is verified by word", async () => {
    const code = await codeOf(set("return-code"));
    await set("is-verified");
    expect(await outcomeOf(verify(code))).toBe("CODE_NOT_PENDING");
  });
});

describe("wrong tries", () => {
  const exhaust = async () => {
    const code = await codeOf(set("return-code"));
    return await repeat(5, () => verify(wrongOf(code)));
  };

  test("are limited to 20 in 24 hours across codes, and nothing is compared then", async () => {
    for (let round = 0; round < 4; round += 1) {
      expect(await exhaust()).toEqual(Array<string>(5).fill("CODE_INVALID"));
      fixture.clock.advance(hour);
    }
    const code = await codeOf(set("return-code"));
    const problem = await problemOf(verify(code));
    expect(problem.reason).toBe("RATE_LIMITED");
    expect(problem.retryAfterMs).toBe(20 * hour);
    fixture.clock.advance(20 * hour);
    const later = await codeOf(resend("return-code"));
    expect(await outcomeOf(verify(later))).toBe("ok");
  });
});

describe("the order of the refusals", () => {
  test("a service user has no phone", async () => {
    const id = fixture.administrator.userId;
    const { phones } = fixture.commands;
    expect(await outcomeOf(verify("12345678", id))).toBe("WRONG_KIND");
    const someone = { userId, tokenId: fixture.administrator.tokenId };
    const call = fixture.call(someone);
    const input = { userId: id, verification: "return-code" } as const;
    expect(await outcomeOf(phones.set(call, { ...input, phone: number }))).toBe("WRONG_KIND");
    expect(await outcomeOf(phones.resendCode(call, input))).toBe("WRONG_KIND");
  });

  test("without a phone, or with a verified one, there is nothing to resend", async () => {
    expect(await outcomeOf(resend())).toBe("CODE_NOT_PENDING");
    await set("is-verified");
    expect(await outcomeOf(resend())).toBe("CODE_NOT_PENDING");
    expect(await outcomeOf(verify("12345678"))).toBe("CODE_NOT_PENDING");
  });

  test("a phone that was given when the user was added can be verified after a resend", async () => {
    userId = await fixture.addHuman("grace", number);
    expect(await outcomeOf(verify("12345678"))).toBe("CODE_NOT_PENDING");
    const before = (await getUser()).details;
    const code = await codeOf(resend("return-code"));
    expect((await getUser()).details.sequence).toBeGreaterThan(before.sequence);
    expect(await outcomeOf(verify(code))).toBe("ok");
  });

  test.each(["return-code", "is-verified"] as const)(
    "nobody may use %s for themselves, existing or not",
    async (verification) => {
      const call = fixture.call({ userId, tokenId: fixture.administrator.tokenId });
      const attempt = fixture.commands.phones.set(call, { userId, phone: number, verification });
      expect(await outcomeOf(attempt)).toBe("SELF_VERIFICATION_FORBIDDEN");
      expect(await getUser()).toMatchObject({ phone: "", isPhoneVerified: false });
    },
  );

  test("but everybody may have a code sent to themselves", async () => {
    const call = fixture.call({ userId, tokenId: fixture.administrator.tokenId });
    await fixture.commands.phones.set(call, { userId, phone: number, verification: "send-code" });
    await fixture.commands.phones.texter.idle();
    expect(fixture.sms.sent).toHaveLength(1);
  });
});

describe("setting a phone", () => {
  const typesOf = () =>
    fixture.read((tx) =>
      tx.all<{ type: string }>("SELECT type FROM events WHERE aggregate_id = ? ORDER BY sequence", [userId]),
    );

  test("by word verifies it in the same command, without a code", async () => {
    const { code, details } = await set("is-verified");
    expect(code).toBeUndefined();
    const user = await getUser();
    expect(user).toMatchObject({ phone: number, isPhoneVerified: true });
    expect(details).toEqual(user.details);
    expect((await typesOf()).map(({ type }) => type)).toEqual([
      "user.added",
      "user.phone.set",
      "user.phone.verified",
    ]);
  });

  test("unverifies it, even if the number is the same", async () => {
    await set("is-verified");
    await set("return-code");
    expect(await getUser()).toMatchObject({ phone: number, isPhoneVerified: false });
  });
});

describe("a message", () => {
  test("carries the code and goes out after the answer", async () => {
    let release = () => {};
    fixture.sms.hold = new Promise((resolve) => {
      release = resolve;
    });
    const { code } = await set();
    expect(code).toBeUndefined();
    expect(fixture.sms.sent).toEqual([]);
    release();
    await fixture.commands.phones.texter.idle();
    const [message] = fixture.sms.sent;
    expect(message).toEqual({
      to: number,
      text: expect.stringMatching(/^[0-9]{8} is your verification code\. It is valid for 10 minutes\.$/),
    });
    expect(await outcomeOf(verify(message?.text.slice(0, 8) ?? ""))).toBe("ok");
  });

  test("is in the language of the user, as the organization says it", async () => {
    const profile = humanProfile({ username: "grete", preferredLanguage: "de-CH" });
    userId = (await fixture.commands.addHuman(fixture.call(), profile)).id;
    const resourceOwner = fixture.organizationId;
    const texts = [{ key: "sms.verification", text: "{code} gilt bei Lampen AG {minutes} Minuten" }];
    await set();
    await fixture.record(addCustomTexts({ id: toId("99"), resourceOwner, language: "de", texts }));
    fixture.clock.advance(minute);
    await resend();
    await fixture.commands.phones.texter.idle();
    expect(fixture.sms.sent.map(({ text }) => text.slice(8))).toEqual([
      " ist Ihr Bestätigungscode. Er gilt 10 Minuten lang.",
      " gilt bei Lampen AG 10 Minuten",
    ]);
  });

  test("goes to a user and to a number 10 times in 24 hours, also after a restart", async () => {
    for (let index = 0; index < 10; index += 1) {
      await set();
      fixture.clock.advance(minute);
    }
    fixture = await fixture.reopen();
    expect(await outcomeOf(set("send-code", "+41791234568"))).toBe("RATE_LIMITED");
    const other = await fixture.addHuman("other", number);
    const toOther = { userId: other, verification: "send-code" } as const;
    expect(await outcomeOf(fixture.commands.phones.resendCode(fixture.call(), toOther))).toBe("RATE_LIMITED");
    fixture.clock.advance(24 * hour - 10 * minute);
    expect(await outcomeOf(fixture.commands.phones.resendCode(fixture.call(), toOther))).toBe("ok");
  });

  test("is not counted when the code is returned", async () => {
    expect(await repeat(12, () => set("return-code"))).toEqual(Array<string>(12).fill("ok"));
    expect(await outcomeOf(set())).toBe("ok");
  });

  test("that fails is reported without code and number, and lifts the pause", async () => {
    fixture.sms.failWith = (text) => new Error(`cannot send "${text}" to ${number}`);
    await set();
    await fixture.commands.phones.texter.idle();
    const text = "[code] is your verification code. It is valid for 10 minutes.";
    const detail = `Error: cannot send "${text}" to +[number]`;
    expect(fixture.failures).toEqual([{ userId, requestId: "test", detail }]);
    expect(await outcomeOf(resend())).toBe("ok");
    await fixture.commands.phones.texter.idle();
  });

  test("cannot be sent without a provider: nothing is stored, but the code can be returned", async () => {
    await fixture.close();
    fixture = await openFixture({ hasSms: false });
    userId = await fixture.addHuman();
    expect(await outcomeOf(set())).toBe("SMS_NOT_CONFIGURED");
    expect(await getUser()).toMatchObject({ phone: "" });
    expect(await outcomeOf(set("return-code"))).toBe("ok");
    expect(await outcomeOf(resend())).toBe("SMS_NOT_CONFIGURED");
  });
});
