import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import { register } from "../../../../src/identity/people/registrations/commands.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

const minute = 60_000;
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const request = (urlTemplate = "", call = fixture.call()) =>
  fixture.commands.passwords.requestReset(call, { userId, medium: { kind: "send-link", urlTemplate } });
const own = () =>
  fixture.call({
    userId,
    tokenId: undefined,
    login: {
      sessionId: "1" as never,
      authTimeMs: fixture.clock.nowMs(),
      isMultiFactor: false,
      methods: ["PASSWORD"],
    },
  });
const use = (code: string) =>
  fixture.commands.passwords.set(own(), {
    userId,
    password: new Secret("a password of my own"),
    isChangeRequired: false,
    proof: { kind: "code", code: new Secret(code) },
  });
const sentLink = async () => {
  await fixture.idle();
  return /^https?:\/\/\S+$/m.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
};
const sentCode = async () => /[A-Z2-7]{20}/.exec(await sentLink())?.[0] ?? "";
const getHuman = async () => {
  const user = await fixture.commands.get(fixture.call(), userId);
  if (user.kind !== "human") throw new Error("a person was expected");
  return user;
};

describe("a link", () => {
  test("is mailed to an address that is not verified, and its code verifies it", async () => {
    const { code, details } = await request();
    expect(code).toBeUndefined();
    expect(details).toEqual((await getHuman()).details);
    expect(await sentLink()).toMatch(
      new RegExp(`^https://login\\.example/login/password/${userId}\\?code=[A-Z2-7]{20}$`),
    );
    const user = await getHuman();
    expect(fixture.mail.sent).toMatchObject([{ to: user.email, subject: "Set your password" }]);
    expect(user.isEmailVerified).toBe(false);
    await use(await sentCode());
    expect(await getHuman()).toMatchObject({ hasPassword: true, isEmailVerified: true });
    await fixture.rebuild();
    expect(await getHuman()).toMatchObject({ hasPassword: true, isEmailVerified: true });
  });

  test("is void once another one is asked for, the address is another, or time is over", async () => {
    await request();
    const first = await sentCode();
    fixture.clock.advance(minute);
    await request();
    expect(await outcomeOf(use(first))).toBe("CODE_INVALID");
    const second = await sentCode();
    const { email } = await getHuman();
    await fixture.commands.emails.set(fixture.call(), {
      userId,
      email: "x@example.com",
      verification: "is-verified",
    });
    expect(await outcomeOf(use(second))).toBe("CODE_NOT_PENDING");
    await fixture.commands.emails.set(fixture.call(), { userId, email, verification: "is-verified" });
    fixture.clock.advance(minute);
    await request();
    fixture.clock.advance(30 * minute);
    expect(await outcomeOf(use(await sentCode()))).toBe("CODE_EXPIRED");
  });

  test("may be asked for by users themselves, who are not given the code", async () => {
    const call = fixture.call({ userId, tokenId: fixture.administrator.tokenId });
    const given = { userId, medium: { kind: "return-code" } } as const;
    expect(await outcomeOf(fixture.commands.passwords.requestReset(call, given))).toBe(
      "SELF_VERIFICATION_FORBIDDEN",
    );
    expect(await outcomeOf(request("", call))).toBe("ok");
  });

  test("a code that was given and not mailed verifies no address", async () => {
    const given = { userId, medium: { kind: "return-code" } } as const;
    const { code } = await fixture.commands.passwords.requestReset(fixture.call(), given);
    await use(code?.reveal() ?? "");
    expect(await getHuman()).toMatchObject({ hasPassword: true, isEmailVerified: false });
  });

  test("is mailed after registrations under the address, which go out three times a day", async () => {
    const { email } = await getHuman();
    const outcomes: string[] = [];
    for (let index = 0; index < 12; index += 1) {
      const registrant = {
        username: `new-${index}`,
        givenName: "A",
        familyName: "B",
        displayName: "",
        email,
        preferredLanguage: "",
      };
      const registration = { registrant, organizationId: fixture.organizationId, encoded: "-" };
      const id = fixture.context.ids.next<UserId>();
      const rest = { id, remoteAddress: undefined, requestId: "test" };
      const made = await fixture.context.database.write((tx) =>
        register(tx, fixture, { ...registration, ...rest }),
      );
      outcomes.push(made?.mail === undefined ? "none" : "mail");
    }
    expect(outcomes.filter((outcome) => outcome === "mail")).toHaveLength(3);
    expect(await outcomeOf(request())).toBe("ok");
  });

  test("that fails is reported without its code", async () => {
    fixture.mail.failWith = (text) => new Error(text);
    await request();
    const code = await sentCode();
    expect(fixture.failures).toMatchObject([{ userId, detail: expect.stringContaining("code=[code]") }]);
    expect(JSON.stringify(fixture.failures)).not.toContain(code);
  });
});

describe("where a link leads", () => {
  test("is a page of the issuer, if the caller does not say which", async () => {
    await request("https://login.example/own/page?c={code}");
    expect(await sentLink()).toMatch(/^https:\/\/login\.example\/own\/page\?c=[A-Z2-7]{20}$/);
  });

  test("is never elsewhere", async () => {
    for (const template of ["https://login.example.evil.example/{code}", "https://evil.example/{code}"]) {
      const problem = await problemOf(request(template));
      expect([problem.reason, problem.violations?.map(({ field }) => field)]).toEqual([
        "FIELD_INVALID",
        ["send_link.url_template"],
      ]);
    }
    await fixture.idle();
    expect(fixture.mail.sent).toEqual([]);
  });

  test("must be said where there is no issuer", async () => {
    fixture = await fixture.reopen({ issuer: "" });
    expect(await outcomeOf(request())).toBe("ISSUER_NOT_CONFIGURED");
    expect(await outcomeOf(request("https://login.example/{code}"))).toBe("FIELD_INVALID");
  });
});
