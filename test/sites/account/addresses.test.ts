// The phone and the email address of people, on the pages of their account.
import { afterAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import type { ServicePerson } from "../login/support/people.ts";
import { formWith, startAccountPlace } from "./support/account-place.ts";

const place = await startAccountPlace();
afterAll(() => place.stop());

const readUser = async ({ id }: ServicePerson) => {
  const { user } = await place.service.call(UserService.method.getUser, { userId: id });
  return user as { readonly human: Readonly<Record<string, unknown>> };
};

/** The code of the message to that address. A message is delivered after the answer. */
async function codeFor(outbox: "sms.jsonl" | "mail.jsonl", to: string): Promise<string> {
  const file = join(place.service.dataFolder, outbox);
  const find = () =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .find((line) => line.includes(to))
      : undefined;
  await eventually(() => find() !== undefined);
  return /\b[0-9]{8}\b/.exec((JSON.parse(find() ?? "{}") as { readonly text: string }).text)?.[0] ?? "";
}

describe("the phone", () => {
  const number = "+41446681800";
  test("is set, verified and removed", async () => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/phone", person);
    const set = await page.submit({ phone: "+41 44 668 18 00" });
    expect(set.text).toContain("a code is on its way");
    const wrong = await set.submit({ code: "00000000" }, { index: formWith(set, "verify") });
    expect(wrong.text).toContain("The code is wrong.");
    const code = await codeFor("sms.jsonl", number);
    const verified = await set.submit({ code }, { index: formWith(set, "verify") });
    expect(verified.text).toContain("The number is verified.");
    expect((await readUser(person)).human).toMatchObject({ phone: number, isPhoneVerified: true });
    const removed = await verified.submit({}, { index: formWith(verified, "remove") });
    expect(removed.text).toContain("The number was removed.");
    expect((await readUser(person)).human).toMatchObject({ phone: "" });
  });

  test("that is none, and a second message at once, are refused", async () => {
    const { page } = await place.open("/account/phone", await place.addPerson());
    expect((await page.submit({ phone: "1" })).text).toContain("This cannot be used.");
    const set = await page.submit({ phone: "+41 44 668 18 01" });
    const again = await set.submit({}, { index: formWith(set, "resend") });
    expect([again.status, again.headers.get("retry-after")]).toEqual([429, "30"]);
  });
});

describe("the email address", () => {
  test("is changed and verified by the code that goes there", async () => {
    const person = await place.addPerson();
    const email = `new-${person.username}@example.com`;
    const { page } = await place.open("/account/email", person);
    const set = await page.submit({ email }, { index: formWith(page, "set") });
    expect(set.text).toContain("The address was stored, and a code is on its way.");
    expect((await readUser(person)).human).toMatchObject({ email, isEmailVerified: false });
    const wrong = await set.submit({ code: "00000000" }, { index: formWith(set, "verify") });
    expect(wrong.text).toContain("The code is wrong.");
    const made = await codeFor("mail.jsonl", email);
    const code = ` ${made.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x6f0 + Number(digit)))}`; // in Persian
    const verified = await set.submit({ code }, { index: formWith(set, "verify") });
    expect(verified.text).toContain("The address is verified.");
    expect((await readUser(person)).human).toMatchObject({ email, isEmailVerified: true });
  });

  test.each(["", "x", "ada@example.com, eve@example.com", `${"a".repeat(200)}@example.com`])(
    "is none: %p",
    async (email) => {
      const person = await place.addPerson();
      const { page } = await place.open("/account/email", person);
      const refused = await page.submit({ email }, { index: formWith(page, "set") });
      expect(refused.text).toContain("This cannot be used.");
      expect((await readUser(person)).human).toMatchObject({ email: "ada@example.com" });
    },
  );

  test("stays as it is when it is sent again, and takes a recent login", async () => {
    const person = await place.addPerson();
    const { page } = await place.open("/account/email", person);
    const same = await page.submit({ email: "ada@example.com" }, { index: formWith(page, "set") });
    expect(same.text).toContain("This is your address already.");
    place.service.clock.turn(600_000);
    const late = await page.submit({ email: "eve@example.com" }, { index: formWith(page, "set") });
    expect(late.title).toBe("Sign in");
    expect((await readUser(person)).human).toMatchObject({ email: "ada@example.com" });
  });
});
