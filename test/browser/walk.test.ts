// The way of somebody who gets an account by themselves, as an operator would try it out: from the page of an application on, with
// the mails that arrive, in Chromium.
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { findHumanByUsername } from "../../src/identity/people/user/repository.ts";
import { canaries } from "../support/canaries.ts";
import { createFacePlace, type FacePlace, typePassword } from "./support/faces.ts";
import { useLoginStage } from "./support/login-stage.ts";
import { waitForMail } from "./support/mails.ts";

const stage = useLoginStage();
const given = "a password of the administrator";
canaries.add("password", given);
const first = "a password of my own";
const second = "another password of mine";
canaries.add("password", first);
canaries.add("password", second);

let place: FacePlace;
beforeAll(async () => {
  place = await createFacePlace(stage(), { allowPassword: true, allowRegistration: true });
});

const seeHeading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

async function expectCode(page: Page): Promise<void> {
  await seeHeading(page, "Time Sheets");
  expect(page.url()).toMatch(/\/callback\?code=[\w-]+/);
}

const readMail = async (to: string, about: RegExp): Promise<string> =>
  (await waitForMail(stage().service, to, about)).text;

describe("somebody without an account", () => {
  test("registers, verifies the address, forgets the password, sets another and signs in with it", async () => {
    const { page, context, complaints } = await stage().profile();
    const [username, email] = ["grace.hopper", "grace@hopper.example"];
    await page.goto(place.url());
    await page.getByRole("link", { name: "Create an account" }).click();
    await seeHeading(page, "Create an account");
    await page.locator("#username:focus").waitFor();
    for (const text of [username, "Grace", "Hopper", email, first, first]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter"); // the button has the focus
    await expectCode(page);

    const { service } = stage();
    const user = await service.context.database.read((tx) => findHumanByUsername(tx, username));
    const code = /\b[0-9]{8}\b/.exec(await readMail(email, /address/))?.[0] ?? "";
    const userId = user?.id ?? "nobody";
    await service.call(UserService.method.verifyEmail, { userId, verificationCode: code });

    await context.clearCookies();
    await page.goto(place.url());
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("Username").fill(username);
    service.clock.turn(30_000); // two mails to a user are as far apart
    await page.getByRole("button", { name: "Send link" }).click();
    await seeHeading(page, "Check your email");
    const link = /http:\S+/.exec(await readMail(email, /password/))?.[0] ?? "";
    await page.goto(link);
    await seeHeading(page, "Choose a password");
    await page.getByLabel("New password", { exact: true }).fill(second);
    await page.getByLabel("Repeat new password").fill(second);
    await page.getByRole("button", { name: "Set password" }).click();
    await seeHeading(page, "Time Sheets"); // the application is where they wanted to go
    expect(new URL(page.url()).search).toBe("");

    await page.goto(place.url());
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("Password").fill(first);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").filter({ hasText: "is wrong" }).waitFor();
    await page.getByLabel("Password").fill(second);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expectCode(page);
    expect(complaints).toEqual([]);
  });
});

describe("somebody with a password that an administrator has chosen", () => {
  test("chooses another one at the first login, and signs in with it from then on", async () => {
    const { service } = stage();
    const { page, context, complaints } = await stage().profile();
    const person = await place.addPerson();
    const chosen = { userId: person.id, password: given, changeRequired: true };
    await service.call(UserService.method.setPassword, chosen);
    await page.goto(place.url());
    await typePassword(page, person, given);
    await seeHeading(page, "Choose a new password");
    await page.locator("#current:focus").waitFor();
    for (const text of [first, second, second]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter"); // the button has the focus
    await page.getByRole("alert").filter({ hasText: "The current password is wrong" }).waitFor();
    await page.getByLabel("Current password").fill(given);
    await page.getByLabel("New password", { exact: true }).fill(second);
    await page.getByLabel("Repeat new password").fill(second);
    await page.getByRole("button", { name: "Set password" }).click();
    await expectCode(page);

    await context.clearCookies();
    await page.goto(place.url());
    await typePassword(page, person, given);
    await page.getByRole("alert").filter({ hasText: "is wrong" }).waitFor();
    await typePassword(page, person, second);
    await expectCode(page);
    expect(complaints).toEqual([]);
  });
});
