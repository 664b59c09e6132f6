import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { addPerson } from "../sites/login/support/people.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { generateRecoveryCodes, makeApp } from "../support/totp.ts";
import { createCaller } from "../support/world.ts";
import { setUpByOthers, typePassword } from "./support/faces.ts";
import { useLoginStage } from "./support/login-stage.ts";

const stage = useLoginStage();

// The organization demands two factors of everybody.
beforeAll(async () => {
  const { service, organizationId } = stage();
  const settings = { allowPassword: true, forceMfa: true };
  await createCaller(service, organizationId)(LoginPolicyService.method.updateLoginPolicy, settings);
});

const seeHeading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const nowMs = () => stage().service.clock.nowMs();

describe.each([
  ["with script", true],
  ["without script", false],
])("a login with an authenticator app in Chromium, %s,", (_name, javaScriptEnabled) => {
  test("registers the app at first, asks for its code later, and takes a recovery code in its place", async () => {
    const { service, organizationId, url } = stage();
    const { page, context, complaints } = await stage().profile({ javaScriptEnabled });
    const person = await addPerson(service, organizationId);
    await page.goto(url());
    await typePassword(page, person);
    await seeHeading(page, "Add a security key");
    await page.getByRole("link", { name: "Use an authenticator app instead" }).click();
    await seeHeading(page, "Add an authenticator app");
    await page.getByRole("img", { name: "QR code for your authenticator app" }).waitFor();
    const { code } = makeApp((await page.locator(".secret").textContent()) ?? "");
    const field = page.getByLabel("Code that the app shows");
    await field.fill("000000");
    await field.press("Enter");
    expect(await page.getByRole("alert").textContent()).toContain("The code is wrong");
    await field.fill(code(nowMs()));
    await field.press("Enter");
    await seeHeading(page, "Time Sheets");

    service.clock.turn(30_000);
    await context.clearCookies();
    await page.goto(url());
    await typePassword(page, person);
    await seeHeading(page, "Enter your code");
    await page.locator("#code:focus").waitFor();
    await page.keyboard.type(code(nowMs()));
    await page.keyboard.press("Enter");
    await seeHeading(page, "Time Sheets");

    const [recovery = ""] = await generateRecoveryCodes(service, person.id);
    await context.clearCookies();
    await page.goto(url());
    await typePassword(page, person);
    await page.getByRole("link", { name: "Use a recovery code" }).click();
    await page.getByLabel("Recovery code").fill(`${recovery.slice(0, 5)}-${recovery.slice(5)}`.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    await seeHeading(page, "Time Sheets");
    expect(complaints).toEqual([]);
  });
});

test("somebody who has gained roles decides about what others have set up, before the login ends", async () => {
  const { service, organizationId, url } = stage();
  const person = await addPerson(service, organizationId);
  const app = await setUpByOthers(service, { organizationId, userId: person.id });
  const { page, complaints } = await stage().profile();
  await page.goto(url());
  await typePassword(page, person);
  await seeHeading(page, "Enter your code");
  service.clock.turn(30_000); // the code of its registration counts no more
  await page.getByLabel("Code").fill(app.code(nowMs()));
  await page.keyboard.press("Enter");
  await seeHeading(page, "Are these yours?");
  const choose = (name: string, choice: string) =>
    page.getByRole("group", { name }).getByLabel(choice, { exact: true }).check();
  await choose("Authenticator app", "Keep it");
  await choose("Recovery codes", "Remove it");
  await page.getByRole("button", { name: "Continue" }).click();
  await seeHeading(page, "Time Sheets");
  const { secondFactors } = await service.call(UserService.method.listSecondFactors, { userId: person.id });
  expect(secondFactors).toMatchObject([{ type: "SECOND_FACTOR_TYPE_TOTP" }]);
  expect(complaints).toEqual([]);
});
