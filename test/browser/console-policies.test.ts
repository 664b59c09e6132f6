// The pages of login policies in Chromium: that of the instance, that of an organization, and the identity providers that it offers.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { addOrganization } from "../sites/login/support/people.ts";
import { createCaller, idOf, uniqueName } from "../support/world.ts";
import { takePicture } from "./support/face-steps.ts";
import { sized } from "../support/size.ts";
import { facesOf, type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
let organizationId: string;
let place: string;
beforeAll(async () => {
  organizationId = await addOrganization(stage().service, "Rail Works"); // nobody of the stage signs in there
  place = `/orgs/${organizationId}/login-policy`;
  window = await stage().open("/login-policy");
});

const caller = () => createCaller(stage().service, organizationId);
const text = (shown: string) => window.page.getByText(shown, { exact: true }).first();
const row = (name: string) => window.page.getByRole("row", { name });
const longest = "A session ends in any case after";

/** An option or a flag, by the beginning of its label, which its explanation follows. */
const choose = (label: string) =>
  window.page
    .locator("label.choice")
    .filter({ hasText: new RegExp(`^${label}`) })
    .first()
    .click();

async function addProvider(name: string): Promise<string> {
  const value = { issuer: "https://accounts.example.com", clientId: "lamp", clientSecret: "secret of it" };
  const request = { name, config: { case: "oidc", value } } as const;
  return idOf(await caller()(IdentityProviderService.method.createIdentityProvider, request), "idpId");
}

async function readPolicy(): Promise<unknown> {
  return (await caller()(LoginPolicyService.method.getLoginPolicy, {}))["policy"];
}

async function readOffered(): Promise<readonly string[]> {
  const { idps = [] } = await caller()(LoginPolicyService.method.listLoginPolicyIdps, {});
  return JSON.stringify(idps).match(/(?<="idpName":")[^"]*/g) ?? [];
}

describe("the policy of the instance", () => {
  test("is changed, and refuses what would keep everybody out", async () => {
    await window.heading("Login policy");
    await window.field("Shortest password").fill("7");
    await window.field(longest).fill("1000");
    for (const way of ["Password", "Passkey", "Identity providers"]) await choose(way);
    await window.button("Save").click();
    await text("This is required.").waitFor();
    await text("A whole number from 8 to 72 is needed.").waitFor();
    await text("It must be from 5 minutes to 365 days.").waitFor();
    for (const way of ["Password", "Passkey"]) await choose(way);
    await window.field("Shortest password").fill("12");
    await window.field(longest).fill("14");
    await window.field(`${longest}: Unit`).selectOption({ label: "days" });
    await choose("Offer no account because of its email");
    await choose("People get an email when something that they sign in with changes");
    await window.button("Save").click();
    await window.notice("The login policy was saved.");
    await window.page.reload();
    await window.heading("Login policy");
    expect(await window.field(longest).inputValue()).toBe("14");
    expect(await readPolicy()).toMatchObject({
      isDefault: true,
      allowPassword: true,
      allowPasskeys: true,
      linkByVerifiedEmail: "IDP_LINKING_NEVER",
      minPasswordLength: 12,
      sessionLifetimeSeconds: 1_209_600,
      notifySecurityChanges: false,
    });
    await choose("Identity providers");
    await window.button("Save").click();
    await window.notice("The login policy was saved.");
  });

  test("shows both versions when somebody else has changed it, in the words of the page", async () => {
    await window.visit("/login-policy");
    await window.field("Shortest password").fill("20");
    const theirs = { allowPassword: true, sessionIdleSeconds: 3600 };
    await stage().service.call(LoginPolicyService.method.updateDefaultLoginPolicy, theirs);
    await window.button("Save").click();
    await window.heading("Somebody else has changed this");
    await window.page.getByRole("cell", { name: "1 hour", exact: true }).waitFor();
    await window.dialog.button("Save mine").click();
    await window.notice("The login policy was saved.");
    expect(await readPolicy()).toMatchObject({ minPasswordLength: 20, sessionIdleSeconds: 43_200 });
  });
});

describe("a policy that would lock people out who administer the service", () => {
  const faces = [
    { face: "light-1280", language: "en", viewport: { width: 1280, height: 900 }, colorScheme: "light" },
    { face: "dark-360", language: "de", viewport: { width: 360, height: 740 }, colorScheme: "dark" },
  ] as const;

  test.each(sized({ small: faces.slice(1, 2), full: [...faces] }))(
    "is saved only after a yes that knows how many they are ($face)",
    async ({ face, language, ...options }) => {
      const isGerman = language === "de";
      const wide = await stage().open("/login-policy", options);
      const { page, dialog } = wide;
      if (isGerman) {
        await page.locator(".user-menu summary").click();
        await wide.button("Deutsch").click();
        await page.locator(".user-menu summary").click();
      }
      const save = wide.button(isGerman ? "Speichern" : "Save");
      const title = isGerman
        ? "Jemand könnte sich nicht mehr anmelden"
        : "Somebody could not sign in any more";
      await page
        .locator("label.choice")
        .filter({ hasText: isGerman ? /^Passwort/ : /^Password/ })
        .first()
        .click();
      await save.click();
      await wide.heading(title);
      await page
        .getByText(
          isGerman
            ? "kann sich eine Person, die diesen Dienst verwaltet"
            : "One administrator of this service would be left",
        )
        .waitFor();
      await takePicture(page, `console-lock-out-${face}`);
      await wide.expectAccessible();
      await dialog.button(isGerman ? "So lassen, wie es ist" : "Leave it as it is").click();
      await page
        .getByText(isGerman ? "Jemand, der diesen Dienst verwaltet" : "An administrator of this service")
        .waitFor();
      expect(await readPolicy()).toMatchObject({ allowPassword: true });
      await save.click();
      await wide.heading(title);
      await dialog.button(isGerman ? "Trotzdem ausführen" : "Do it anyway").click();
      await wide.notice(isGerman ? "gespeichert" : "The login policy was saved.");
      expect(await readPolicy()).toMatchObject({ allowPassword: false });
      const open = {
        allowPassword: true,
        allowPasskeys: true,
        allowExternalIdps: true,
        minPasswordLength: 20,
      };
      await stage().service.call(LoginPolicyService.method.updateDefaultLoginPolicy, open);
    },
  );

  test("is asked about once before the password of such a person is removed", async () => {
    const { service, organizationId: home, addMember } = stage();
    const person = await addMember(["ORGANIZATION_VIEWER"]);
    const scope = { case: "instance", value: true } as const;
    const membership = { userId: person.id, scope, roles: ["INSTANCE_VIEWER"] };
    await service.call(MembershipService.method.addMembership, membership);
    await window.visit(`/orgs/${home}/users/${person.id}/sign-in`);
    await window.button("Remove password").click();
    await window.heading("Somebody could not sign in any more");
    await window.dialog.button("Do it anyway").click();
    await window.dialog.button("Remove").click();
    await window.notice("removed");
    const { user } = await service.call(UserService.method.getUser, { userId: person.id });
    expect(JSON.stringify(user)).toContain('"hasPassword":false');
  });
});

describe("the policy of an organization", () => {
  test("is made of the instance's, offers what was offered, and is given up", async () => {
    const [first, second, third] = [uniqueName("Alpha"), uniqueName("Beta"), uniqueName("Gamma")];
    await addProvider(first);
    await addProvider(second);
    await window.visit(place);
    await text("The policy of the instance is in force here").waitFor();
    await window.button("Make a policy of its own").click();
    await window.field("Wrong passwords until an account is locked").fill("5");
    await window.button("Make a policy of its own").click();
    await window.notice("has a login policy of its own");
    await row(first).waitFor();
    expect(await readOffered()).toEqual([first, second]);
    expect(await readPolicy()).toMatchObject({ maxPasswordAttempts: 5, allowPassword: true });

    await window.button(`Stop offering: ${first}`).click();
    await window.dialog.button("Stop offering").click();
    await window.notice(`${first} is not offered any more.`);
    await row(first).waitFor({ state: "detached" });
    await addProvider(third);
    await window.button("Offer identity provider").click();
    await window.dialog.field("Identity provider").waitFor();
    await window.dialog.button("Add").click();
    await text("This is required.").waitFor();
    await window.dialog.field("Identity provider").selectOption({ label: third });
    await window.dialog.button("Add").click();
    await window.notice(`${third} is offered now.`);
    await row(third).waitFor();
    expect(await readOffered()).toEqual([second, third]);

    await choose("People may register themselves");
    await choose("All sign-ins without an identity provider");
    await window.button("Save").click();
    await window.notice("The login policy was saved.");
    expect(await readPolicy()).toMatchObject({ allowRegistration: true, forceMfaLocalOnly: true });

    await window.button("Return to the instance's policy").click();
    await text("2 identity providers of login policies").waitFor();
    await window.dialog.button("Remove").click();
    await text("The policy of the instance is in force here").waitFor();
    expect(await readPolicy()).toMatchObject({ isDefault: true, minPasswordLength: 20 });
  });
});

describe("a policy that somebody else has made meanwhile", () => {
  test("is kept and shown", async () => {
    await window.visit(place);
    await window.button("Make a policy of its own").click();
    const theirs = { allowPassword: true, minPasswordLength: 33 };
    await caller()(LoginPolicyService.method.updateLoginPolicy, theirs);
    await window.field("Shortest password").fill("11");
    await window.button("Make a policy of its own").click();
    await window.notice("Somebody else has made a policy");
    await window.heading("Identity providers that are offered");
    expect(await window.field("Shortest password").inputValue()).toBe("33");
    expect(await readPolicy()).toMatchObject({ minPasswordLength: 33 });
    await caller()(LoginPolicyService.method.resetLoginPolicy, {});
  });
});

describe.each(facesOf("dark"))("every page, $face", ({ options }) => {
  test("has no serious findings of axe-core and fits into the window", async () => {
    await addProvider(uniqueName("Delta"));
    const face = await stage().open("/login-policy", options);
    await face.heading("Login policy");
    await face.button("Save").waitFor();
    await face.expectAccessible();
    await face.visit(place);
    await face.button("Make a policy of its own").waitFor();
    await face.expectAccessible();
    await face.button("Make a policy of its own").click();
    await face.button("Make a policy of its own").click();
    await face.page.getByRole("row", { name: "Delta" }).first().waitFor();
    await face.settled();
    await face.expectAccessible();
    await face.button("Offer identity provider").click();
    await face.page
      .locator("dialog[open]")
      .getByText(/offered already/)
      .waitFor();
    await face.expectAccessible();
    await caller()(LoginPolicyService.method.resetLoginPolicy, {});
    expect(face.complaints).toEqual([]);
  });
});
