// The pages of the account in Chromium: a walk through all of them, and how they look.
import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addPerson, password } from "../sites/login/support/people.ts";
import { canaries } from "../support/canaries.ts";
import { signIn as openSession } from "../sites/oidc/support/signed-in.ts";
import { makeApp } from "../support/totp.ts";
import { createCaller, idOf, uniqueName } from "../support/world.ts";
import { addDevice, addKey } from "./support/authenticator.ts";
import { useLoginStage } from "./support/login-stage.ts";
import { measurePage } from "./support/measure-page.ts";

const stage = useLoginStage();
const chosen = "a password of my own";
canaries.add("password", chosen);

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const status = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor();
const addressOf = (path: string) => `http://localhost:${stage().service.port}${path}`;

async function signIn(page: Page, username: string): Promise<void> {
  await heading(page, "Sign in");
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Goes from any page of the account to another one, by links alone. */
async function visit(page: Page, name: string): Promise<void> {
  if ((await page.getByRole("navigation").count()) === 0)
    await page.getByRole("link", { name: "Your account", exact: true }).click();
  await heading(page, "Your account");
  await page.getByRole("link", { name, exact: true }).click();
  await heading(page, name);
}

describe("the account in Chromium", () => {
  test("is walked through from the login to the end of the session, and nothing in the console", async () => {
    const { service, organizationId } = stage();
    const person = await addPerson(service, organizationId);
    const { context, page, complaints } = await stage().profile();
    await addKey(await context.newCDPSession(page), { protocol: "ctap2" });
    await page.goto(addressOf("/account"));
    await signIn(page, person.username);
    await visit(page, "Personal data");
    await page.getByText("Ada Lovelace", { exact: true }).waitFor();
    await visit(page, "Phone");
    await page.getByLabel("Phone number").fill("+41 44 668 18 03");
    await page.getByRole("button", { name: "Send code" }).click();
    await status(page, "a code is on its way");
    await page.getByLabel("Code", { exact: true }).fill("00000000");
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "The code is wrong." }).waitFor();
    await page.getByRole("button", { name: "Remove number" }).click();
    await status(page, "The number was removed.");
    await visit(page, "Second factors");
    await page.getByRole("link", { name: "Add security key" }).click();
    await heading(page, "Add a security key");
    await page.getByLabel("Name of the security key").fill("The red one");
    await page.getByRole("button", { name: "Add security key" }).click();
    await status(page, "The second factor was added.");
    await page.getByRole("link", { name: "Make recovery codes" }).click();
    await heading(page, "Recovery codes");
    await page.getByRole("button", { name: "Make recovery codes" }).click();
    await status(page, "Print these codes");
    for (const code of await page.locator(".codes li").allTextContents()) canaries.add("recovery code", code);
    await page.getByRole("link", { name: "I have kept them" }).click();
    await page.getByText("Your codes were made on").waitFor();
    await visit(page, "Password");
    await page.getByLabel("Current password").fill(password);
    await page.getByLabel("New password", { exact: true }).fill(chosen);
    await page.getByLabel("Repeat new password").fill(chosen);
    await page.getByRole("button", { name: "Change password" }).click();
    await status(page, "Your password was changed.");
    await openSession(service, person.id);
    await visit(page, "Sessions");
    await page.getByText("Chrome on Linux").waitFor();
    await page.getByRole("button", { name: "End all other sessions" }).click();
    await status(page, "All other sessions were ended.");
    expect(await page.getByRole("button", { name: "End all other sessions" }).count()).toBe(0);
    await visit(page, "Email");
    await page.getByLabel("Use another address").fill("ada.lovelace@example.com");
    await page.getByRole("button", { name: "Send code" }).click();
    await status(page, "a code is on its way");
    await visit(page, "Linked accounts");
    await page.getByText("You have no account elsewhere").waitFor();
    await visit(page, "Applications");
    await visit(page, "Personal access tokens");
    await visit(page, "Second factors");
    await page.getByRole("link", { name: "Remove The red one" }).click();
    await heading(page, "Remove this second factor?");
    await page.getByRole("button", { name: "Remove" }).click();
    await status(page, "The second factor was removed.");
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "You are signed out");
    expect(complaints).toEqual([]);
    await page.getByRole("link", { name: "Sign in again" }).click();
    await heading(page, "Sign in");
  });

  test("takes a passkey, with which its user signs in, and removes it", async () => {
    const { service, organizationId } = stage();
    const person = await addPerson(service, organizationId);
    const { page, complaints } = await stage().profile();
    const device = await addDevice(page);
    await page.goto(addressOf("/account"));
    await signIn(page, person.username);
    await visit(page, "Passkeys");
    await page.getByRole("link", { name: "Add passkey" }).click();
    await heading(page, "Add a passkey");
    await page.getByLabel("Name of the passkey").fill("My phone");
    await device.setUser(false);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "No passkey was made." }).waitFor();
    await device.setUser(true);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await status(page, "The passkey was added.");
    await page.getByRole("link", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: "Add passkey" }).click(); // the device has one
    await page.getByRole("alert").filter({ hasText: "No passkey was made." }).waitFor();
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in again" }).click();
    await page.getByRole("link", { name: "Use a passkey" }).click();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await heading(page, "Your account");
    await visit(page, "Passkeys");
    await page.getByRole("link", { name: "Remove My phone" }).click();
    await heading(page, "Remove this passkey?");
    await page.getByRole("button", { name: "Remove" }).click();
    await status(page, "The passkey was removed.");
    expect(complaints).toEqual([]);
  });

  test("removes a linked account, and takes an authenticator app, whose code the next login asks for", async () => {
    const { service, organizationId } = stage();
    const person = await addPerson(service, organizationId);
    const name = uniqueName("Directory");
    const added = await createCaller(service, organizationId)(
      IdentityProviderService.method.addOidcIdentityProvider,
      {
        name,
        issuer: "https://accounts.example.com",
        clientId: "lamp",
        clientSecret: "secret of the client",
      },
    );
    const identity = { externalUserId: "subject 7", externalUsername: "ada.elsewhere" };
    const link = { userId: person.id, idpId: idOf(added, "idpId"), ...identity };
    await service.call(UserService.method.addIdpLink, link);
    const { page, complaints } = await stage().profile();
    await page.goto(addressOf("/account"));
    await signIn(page, person.username);
    await visit(page, "Linked accounts");
    await page.getByText(name, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Remove (ada.elsewhere)" }).click();
    await status(page, "The account is no longer linked.");
    await page.getByText("You have no account elsewhere").waitFor();
    const { links = [] } = await service.call(UserService.method.listIdpLinks, { userId: person.id });
    expect(links).toEqual([]);

    await visit(page, "Second factors");
    await page.getByRole("link", { name: "Add authenticator app" }).click();
    await heading(page, "Add an authenticator app");
    const app = makeApp((await page.locator(".secret").textContent()) ?? "");
    await page.getByLabel("Code that the app shows").fill(app.code(service.clock.nowMs()));
    await page.getByRole("button", { name: "Add app" }).click();
    await status(page, "The second factor was added.");
    await page.getByRole("link", { name: "Remove Authenticator app" }).waitFor();
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in again" }).click();
    await signIn(page, person.username);
    await heading(page, "Enter your code");
    service.clock.turn(30_000); // the code of its registration counts no more
    await page.getByLabel("Code").fill(app.code(service.clock.nowMs()));
    await page.keyboard.press("Enter");
    await heading(page, "Your account");
    expect(complaints).toEqual([]);
  });

  test("asks for the security key again before it changes how its user logs in", async () => {
    const { service, organizationId } = stage();
    const person = await addPerson(service, organizationId);
    const { context, page, complaints } = await stage().profile();
    await addKey(await context.newCDPSession(page), { protocol: "ctap2" });
    await page.goto(addressOf("/account/factors/new"));
    await signIn(page, person.username);
    await page.getByRole("button", { name: "Add security key" }).click();
    await status(page, "The second factor was added.");
    service.clock.turn(600_000);
    await page.goto(addressOf("/account/password"));
    await heading(page, "Sign in");
    expect(await page.getByLabel("Username").inputValue()).toBe(person.username);
    await signIn(page, person.username);
    await heading(page, "Use your security key");
    await page.getByRole("button", { name: "Use security key" }).click();
    await heading(page, "Password");
    expect(complaints).toEqual([]);
  });
});

describe.each(["light", "dark"] as const)(
  "on a small screen in %s colours, pages of the account",
  (colorScheme) => {
    test("fit and have contrast", async () => {
      const { service, organizationId } = stage();
      const person = await addPerson(service, organizationId);
      const options = { colorScheme, viewport: { width: 320, height: 568 } };
      const { context, page, complaints } = await stage().profile(options);
      await addKey(await context.newCDPSession(page), { protocol: "ctap2" });
      await page.goto(addressOf("/account/factors/new"));
      await signIn(page, person.username);
      await page.getByRole("button", { name: "Add security key" }).click();
      await status(page, "The second factor was added.");
      for (const name of [
        "",
        "/profile",
        "/email",
        "/phone",
        "/passkeys",
        "/passkeys/new",
        "/recovery-codes",
        "/links",
        "/password",
        "/factors",
        "/factors/new",
        "/sessions",
        "/sign-out",
      ]) {
        await page.goto(addressOf(`/account${name}`));
        const look = await measurePage(page);
        expect([name, look.width]).toEqual([name, 320]);
        expect(look.isDark).toBe(colorScheme === "dark");
        expect(look.contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
        expect(look.faults).toEqual([]);
      }
      expect(complaints).toEqual([]);
    });
  },
);
