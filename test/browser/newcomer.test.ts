// A newcomer with an empty installation, as far as the first person who signs in: who has to click too often gives up.
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { canaries } from "../support/canaries.ts";
import { addDevice } from "./support/authenticator.ts";
import { useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
const chosen = "a password for the first administrator";
canaries.add("password", chosen);

let clicks = 0;
const clicksOn = (page: Page) => async (role: "button" | "link", name: string) => {
  clicks += 1;
  await page.getByRole(role, { name, exact: true }).first().click();
};

/** Signs up, and adds a person by an email address alone. */
async function addFirstPerson(email: string): Promise<void> {
  const { service, profile } = stage();
  const { page, heading, field } = await profile();
  const click = clicksOn(page);
  await page.goto(readFileSync(join(service.dataFolder, "admin.link"), "utf8").trimEnd());
  for (const [label, text] of [
    ["Username", "first"],
    ["First name", "Grace"],
    ["Last name", "Hopper"],
    ["Email address", "grace@example.com"],
    ["Password", chosen],
    ["Repeat password", chosen],
  ] as const)
    await page.getByLabel(label, { exact: true }).fill(text);
  await click("button", "Create administrator");
  await heading("Add a security key");
  await page.goto(`http://localhost:${service.port}/`);
  await click("link", "Open the console");
  await heading("Hello, Grace Hopper");
  await click("link", "Default");
  await heading("Default");
  await click("link", "Users");
  await heading("Users");
  await click("button", "Add person");
  await field("Email").fill(email);
  await click("button", "Add person");
  await heading("Mei Tanaka");
  await page.getByText(/^Invited, until /).waitFor();
}

/** Opens the link of the mail, which counts as a click. */
function readLink(): string {
  clicks += 1;
  const mails = readFileSync(join(stage().service.dataFolder, "mail.jsonl"), "utf8").trimEnd().split("\n");
  const { text } = JSON.parse(mails.at(-1) ?? "{}") as { readonly text: string };
  return /https?:\/\/\S+/.exec(text)?.[0] ?? "";
}

test("signs up, adds a person by email address alone, who comes in by a passkey: at most 12 clicks together", async () => {
  await addFirstPerson("mei.tanaka@example.com");
  const { page, heading, expectAccessible } = await stage().profile();
  const device = await addDevice(page);
  const click = clicksOn(page);
  await page.goto(readLink());
  await heading("Choose how you sign in");
  await page.getByText("Default has made an account for you.").waitFor();
  await expectAccessible();
  await click("button", "Use a passkey");
  await heading("Create a passkey");
  await expectAccessible();
  await click("button", "Create passkey");
  await heading("Your account is ready");
  expect(await device.list()).toHaveLength(1);
  await click("link", "Go to your account");
  await click("link", "Use a passkey");
  await click("button", "Use a passkey");
  await page.getByText("mei.tanaka@example.com").first().waitFor();
  expect(clicks).toBeLessThanOrEqual(12);
});
