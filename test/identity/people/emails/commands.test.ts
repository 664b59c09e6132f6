import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { EmailVerification } from "../../../../src/identity/people/emails/email.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

const minute = 60_000;
const address = "countess@example.com";
let fixture: Fixture;
let userId: UserId;

beforeEach(async () => {
  fixture = await openFixture();
  userId = await fixture.addHuman();
});
afterEach(() => fixture.close());

const set = (verification: EmailVerification = "return-code", email = address) =>
  fixture.commands.emails.set(fixture.call(), { userId, email, verification });
const codeOf = async (made: ReturnType<typeof set>) => (await made).code?.reveal() ?? "";
const resend = () =>
  fixture.commands.emails.resendCode(fixture.call(), { userId, verification: "return-code" });
const verify = (text: string) =>
  fixture.commands.emails.verify(fixture.call(), { userId, code: new Secret(text) });
const wrongOf = (text: string) => `${text.startsWith("0") ? "1" : "0"}${text.slice(1)}`;
const getUser = () => fixture.commands.get(fixture.call(), userId);

describe("a code for an email address", () => {
  test("cannot be had for one's own address, nor can one vouch for it", async () => {
    const self = fixture.call({ userId, tokenId: fixture.administrator.tokenId });
    const { emails } = fixture.commands;
    for (const verification of ["return-code", "is-verified"] as const)
      expect(await outcomeOf(emails.set(self, { userId, email: address, verification }))).toBe(
        "SELF_VERIFICATION_FORBIDDEN",
      );
    expect(await outcomeOf(emails.resendCode(self, { userId, verification: "return-code" }))).toBe(
      "SELF_VERIFICATION_FORBIDDEN",
    );
  });

  test("has 8 digits and verifies the address once", async () => {
    const made = await codeOf(set());
    expect(made).toMatch(/^[0-9]{8}$/);
    expect(await getUser()).toMatchObject({ email: address, isEmailVerified: false });
    const details = await verify(made);
    expect(await getUser()).toMatchObject({ email: address, isEmailVerified: true, details });
    expect(await outcomeOf(verify(made))).toBe("CODE_NOT_PENDING");
    expect(await outcomeOf(resend())).toBe("CODE_NOT_PENDING");
  });

  test("is guessed 64 times at once: exactly five guesses are compared, and the right one fails then", async () => {
    const made = await codeOf(set());
    const guesses = Array.from({ length: 64 }, () => outcomeOf(verify(wrongOf(made))));
    const outcomes = await Promise.all(guesses);
    expect(outcomes.filter((outcome) => outcome === "CODE_INVALID")).toHaveLength(5);
    expect(await outcomeOf(verify(made))).toBe("CODE_EXHAUSTED");
    expect(await outcomeOf(verify(await codeOf(resend())))).toBe("ok");
  });

  test("is void after 10 minutes", async () => {
    const made = await codeOf(set());
    fixture.clock.advance(10 * minute);
    expect(await outcomeOf(verify(made))).toBe("CODE_EXPIRED");
  });

  test("is void once another is made, the address is another one, or somebody vouches for it", async () => {
    const first = await codeOf(set());
    const second = await codeOf(resend());
    expect(await outcomeOf(verify(first))).toBe("CODE_INVALID");
    await set("return-code", "ada@elsewhere.example");
    expect(await outcomeOf(verify(second))).toBe("CODE_INVALID");
    await set("is-verified");
    expect(await outcomeOf(verify(second))).toBe("CODE_NOT_PENDING");
  });

  test("is void once an update brings another address", async () => {
    const made = await codeOf(set());
    const user = await getUser();
    if (user.kind !== "human") throw new Error("a person was expected");
    await fixture.commands.updateHuman(fixture.call(), userId, { ...user, email: "new@example.com" });
    expect(await outcomeOf(verify(made))).toBe("CODE_NOT_PENDING");
  });

  test("is not judged by a dry run", async () => {
    const made = await codeOf(set());
    const call = { ...fixture.call(), isDryRun: true };
    const guess = { userId, code: new Secret(wrongOf(made)) };
    expect(await outcomeOf(fixture.commands.emails.verify(call, guess))).toBe("ok");
  });
});

test("an address that somebody vouches for again is as it was: no event", async () => {
  const { details } = await set("is-verified");
  expect((await set("is-verified")).details).toEqual(details);
});

test("a program has no address", async () => {
  const program = {
    userId: fixture.administrator.userId,
    email: address,
    verification: "return-code",
  } as const;
  const call = fixture.call({ userId, tokenId: fixture.administrator.tokenId });
  expect(await outcomeOf(fixture.commands.emails.set(call, program))).toBe("WRONG_KIND");
});
