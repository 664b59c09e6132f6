import { beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { addPerson, password, type ServicePerson } from "../sites/login/support/people.ts";
import { createCaller } from "../support/world.ts";
import { addKey } from "./support/authenticator.ts";
import { type LoginProfile, useLoginStage } from "./support/login-stage.ts";

const stage = useLoginStage();
const chosen = "a password of my own";

// The organization demands two factors of everybody.
beforeAll(async () => {
  const { service, organizationId } = stage();
  const settings = { allowPassword: true, forceMfa: true };
  await createCaller(service, organizationId)(LoginPolicyService.method.updateLoginPolicy, settings);
});

/** Opens the application and proves the password. */
async function begin(profile: LoginProfile, person: ServicePerson): Promise<void> {
  const { page } = profile;
  await page.goto(stage().url());
  await page.getByLabel("Username").fill(person.username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const plugIn = async ({ context, page }: LoginProfile, isUntouched = false) =>
  addKey(await context.newCDPSession(page), { protocol: "ctap2", isUntouched });

const seeHeading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

async function expectCode(page: Page): Promise<void> {
  await seeHeading(page, "Time Sheets");
  expect(page.url()).toMatch(/\/callback\?code=[\w-]+/);
}

describe("a login with a security key in Chromium", () => {
  test("registers the key at first, and asks for it later, by the keyboard alone", async () => {
    const profile = await stage().profile();
    const { page, context, complaints } = profile;
    const person = await addPerson(stage().service, stage().organizationId);
    await plugIn(profile);
    await begin(profile, person);
    await seeHeading(page, "Add a security key");
    expect(await page.getByLabel("Name of the security key").inputValue()).toBe("Security key");
    await page.getByRole("button", { name: "Add security key" }).click();
    await expectCode(page);
    await context.clearCookies();
    await begin(profile, person);
    await seeHeading(page, "Use your security key");
    await page.keyboard.press("Enter"); // the button has the focus
    await expectCode(page);
    expect(complaints).toEqual([]);
  });

  test("tells of a key that was not accepted by an alert, and of what it needs without script", async () => {
    const profile = await stage().profile();
    const { page } = profile;
    const person = await addPerson(stage().service, stage().organizationId);
    await plugIn(profile, true); // nobody touches it
    await begin(profile, person);
    await seeHeading(page, "Add a security key");
    await page.getByRole("button", { name: "Add security key" }).click();
    await page.getByRole("alert").filter({ hasText: "was not accepted" }).waitFor();
    const plain = await stage().profile({ javaScriptEnabled: false });
    await begin(plain, person);
    // Chromium parses the page as if scripts ran, so it does not show what stands there for browsers without.
    expect(await plain.page.locator("noscript").textContent()).toContain("This page needs JavaScript");
    await plain.page.getByRole("button", { name: "Add security key" }).click();
    await plain.page.getByRole("alert").filter({ hasText: "was not accepted" }).waitFor();
  });
});

test("the first administrator signs up with the link, adds a key, and logs in with both", async () => {
  const { service } = stage();
  const profile = await stage().profile();
  const { page, complaints } = profile;
  await plugIn(profile);
  await page.goto(readFileSync(join(service.dataFolder, "admin.link"), "utf8").trimEnd());
  await page.getByLabel("Username").fill("first");
  await page.getByLabel("First name").fill("Grace");
  await page.getByLabel("Last name").fill("Hopper");
  await page.getByLabel("Email address").fill("grace@example.com");
  await page.getByLabel("Password", { exact: true }).fill(chosen);
  await page.getByLabel("Repeat password").fill(chosen);
  await page.getByRole("button", { name: "Create administrator" }).click();
  await seeHeading(page, "Add a security key");
  await page.getByRole("button", { name: "Add security key" }).click();
  await seeHeading(page, "Everything is set up");
  await page.goto(readFileSync(join(service.dataFolder, "admin.link"), "utf8").trimEnd());
  await seeHeading(page, "This link no longer works");
  expect(complaints.filter((each) => !each.includes("400"))).toEqual([]);
});
