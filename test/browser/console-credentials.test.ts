// What a user has, in the console: password, factors, sessions, tokens, keys; and several users at once.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { password } from "../sites/login/support/people.ts";
import { registerTotp } from "../support/totp.ts";
import { createCaller, createServiceUser, idOf, jwtConfig, nextPhone, uniqueName } from "../support/world.ts";
import { type ConsoleWindow, facesOf, keptInTab, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
beforeAll(async () => {
  window = await stage().open("/");
});

const row = (name: string | RegExp) => window.page.getByRole("row", { name });
const panel = (title: string) =>
  window.page.locator("section.panel", {
    has: window.page.getByRole("heading", { name: title, exact: true }),
  });
const pathOf = (userId: string, page = "") => `/orgs/${stage().organizationId}/users/${userId}${page}`;

/** Adds a person with a name of their own. */
async function addNamed(stem: string): Promise<{ readonly id: string; readonly name: string }> {
  const { service, organizationId } = stage();
  const name = uniqueName(stem);
  const added = await createCaller(service, organizationId)(UserService.method.addHumanUser, {
    username: name.toLowerCase().replaceAll(" ", "-"),
    givenName: "Mary",
    familyName: "Somerville",
    displayName: name,
    email: "mary@example.com",
  });
  return { id: idOf(added, "userId"), name };
}

async function addProgram(): Promise<string> {
  const { service, organizationId } = stage();
  return (await createServiceUser(service, organizationId)).id;
}

describe("the password of a person", () => {
  test("is set, with another one to be chosen at the next sign-in, and removed", async () => {
    const { id } = await addNamed("Mary");
    await window.visit(pathOf(id, "/sign-in"));
    await window.page.getByText("There is no password.").waitFor();
    await window.button("Set password").click();
    await window.dialog.field("New password").fill("short");
    await window.dialog.button("Set password").click();
    await window.page.locator("dialog .field-error").waitFor();
    await window.dialog.field("New password").fill(password);
    await window.dialog.button("Set password").click();
    await window.notice("The password was set.");
    await window.page.getByText("Another one must be chosen at the next sign-in.").waitFor();
    await window.button("Remove password").click();
    await window.dialog.button("Remove").click();
    await window.page.getByText("There is no password.").waitFor();
    expect(await window.page.getByRole("button", { name: "Remove password" }).count()).toBe(0);
  });

  test("is not set for a user who has changed meanwhile, unless it is tried again", async () => {
    const { id: userId } = await addNamed("Mary");
    await window.visit(pathOf(userId, "/sign-in"));
    await window.button("Set password").click();
    await window.dialog.field("New password").fill(password);
    await stage().service.call(UserService.method.setPhone, {
      userId,
      phone: nextPhone(),
      verification: { case: "isVerified", value: true },
    });
    await window.dialog.button("Set password").click();
    await window.page.getByText("SEQUENCE_MISMATCH").waitFor();
    expect(await window.page.getByText("There is no password.").count()).toBe(1);
    await window.dialog.button("Set password").click();
    await window.notice("The password was set.");
  });

  test("can be replaced with a code, which is shown once", async () => {
    const { id } = await addNamed("Mary");
    await window.visit(pathOf(id, "/sign-in"));
    await window.button("Reset password").click();
    await window.page.getByText("Show the code to me").click();
    await window.dialog.button("Make code").click();
    await window.heading("A code for another password");
    const [code, link] = await window.page.locator("dialog code").allTextContents();
    expect(code).toMatch(/^\S{20}$/);
    expect(link).toContain(`/login/password/${id}?code=${code ?? ""}`);
    await window.page.keyboard.press("Escape");
    await window.dialog.button("I have kept it").click();
    await window.page.getByRole("dialog").waitFor({ state: "detached" });
  });
});

describe("passkeys, second factors, recovery codes and links of a person", () => {
  test("are listed and removed", async () => {
    const { service, organizationId } = stage();
    const { id: userId } = await addNamed("Mary");
    const { addIdpLink, generateRecoveryCodes, registerPasskey, registerU2f } = UserService.method;
    await service.call(registerPasskey, { userId });
    await service.call(registerU2f, { userId });
    await registerTotp(service, userId);
    await service.call(generateRecoveryCodes, { userId });
    const provider = await createCaller(service, organizationId)(
      IdentityProviderService.method.createIdentityProvider,
      { name: uniqueName("Partners"), config: { case: "jwt", value: jwtConfig } },
    );
    const link = { externalUserId: "subject 1", externalUsername: "mary@partners.example" };
    await service.call(addIdpLink, { userId, idpId: idOf(provider, "idpId"), ...link });
    await window.visit(pathOf(userId, "/sign-in"));
    for (const [title, ...rows] of [
      ["Passkeys", "without a name"],
      ["Second factors", "Security key", "Authenticator app"],
      ["Identity providers", "mary@partners.example"],
    ] as const) {
      for (const name of rows) {
        const found = panel(title).getByRole("row", { name });
        await found.getByRole("button").click();
        await window.dialog.button("Remove").click();
        await found.waitFor({ state: "detached" });
      }
    }
    await window.button("Remove recovery codes").click();
    await window.dialog.button("Remove").click();
    await window.page.getByText("The user has no recovery codes.").waitFor();
    expect(await row("mary@partners.example").count()).toBe(0);
  });
});

describe("the sessions of a person", () => {
  test("are listed with their browsers, and end one by one or all at once", async () => {
    const member = await stage().addMember(["ORGANIZATION_VIEWER"]);
    await stage().open("/", { person: member });
    await stage().open("/", { person: member });
    await window.visit(pathOf(member.id, "/sessions"));
    await row(/Active/)
      .nth(1)
      .waitFor();
    expect(await row(/Active.*password/).count()).toBe(2);
    await window.page
      .getByRole("button", { name: /^End: Session of/ })
      .first()
      .click();
    await window.dialog.button("End").click();
    await window.notice("The session was ended.");
    await row(/Ended/).waitFor();
    await window.button("End all sessions").click();
    await window.dialog.button("End all sessions").click();
    await window.notice("All sessions were ended.");
    await row(/Ended/).nth(1).waitFor();
    await window.visit(`${pathOf(member.id, "/sessions")}?state=1`);
    await window.page.getByText("Nothing fits these filters.").waitFor();
  });
});

describe("what programs use", () => {
  test("a token is made with its last day, shown once, and removed", async () => {
    const id = await addProgram();
    await window.visit(pathOf(id, "/tokens"));
    await window.button("Add token").click();
    await window.dialog.field("Last day optional").fill("2001-01-01");
    await window.dialog.button("Add token").click();
    await window.page.locator("dialog .field-error").waitFor();
    await window.dialog.field("Last day optional").fill("2999-12-31");
    await window.dialog.button("Add token").click();
    await window.heading("The new token");
    expect(await window.page.locator("dialog code").textContent()).toMatch(/^gatehouse_pat_/);
    await window.dialog.button("I have kept it").click();
    await row(/2999/).getByRole("button").click();
    await window.dialog.button("Remove").click();
    await row(/2999/).waitFor({ state: "detached" });
  });

  test("a token whose answer was lost is replaced, and not made twice", async () => {
    const id = await addProgram();
    const other = await stage().open(pathOf(id, "/tokens"));
    const count = async (): Promise<number> => await other.page.locator("tbody tr").count();
    await other.button("Add token").click();
    await other.page.locator("tbody tr").first().waitFor();
    const before = await count();
    const loseAnswer = async () =>
      await other.page.route(
        "**/AddPersonalAccessToken",
        async (route) => {
          await route.fetch();
          await route.abort();
        },
        { times: 1 },
      );
    await loseAnswer();
    await other.dialog.button("Add token").click();
    await other.page.getByText("The service cannot be reached").waitFor();
    await other.dialog.button("Add token").click();
    await other.heading("The secret cannot be shown again");
    // The answer about the second one is lost as well: it is replaced in turn.
    await loseAnswer();
    await other.dialog.button("Make another one").click();
    await other.page.getByText("The service cannot be reached").waitFor();
    await other.dialog.button("Make another one").click();
    await other.page.getByText("The service cannot be reached").waitFor({ state: "detached" });
    await other.dialog.button("Make another one").click();
    await other.heading("The new token");
    expect(await other.page.locator("dialog code").textContent()).toMatch(/^gatehouse_pat_/);
    await other.dialog.button("I have kept it").click();
    await other.visit(pathOf(id, "/tokens"));
    await other.page.locator("tbody tr").first().waitFor();
    expect(await count()).toBe(before + 1);
  });

  test("a key is handed over once as a file, or brought along, and removed", async () => {
    const id = await addProgram();
    await window.visit(pathOf(id, "/keys"));
    await window.button("Add key").click();
    await window.dialog.button("Add key").click();
    await window.heading("The new key");
    const saved = window.page.waitForEvent("download");
    await window.dialog.button("Download").click();
    expect((await saved).suggestedFilename()).toMatch(/^\d+\.json$/);
    await window.dialog.button("I have kept it").click();
    await window.button("Add key").click();
    await window.page.getByText("Made by the program").click();
    await window.dialog.button("Add key").click();
    await window.page.getByText("This is required.").waitFor();
    await window.dialog.field("Public key optional").fill("no key");
    await window.dialog.button("Add key").click();
    await window.page.locator("dialog .field-error").waitFor();
    const kept = await keptInTab(window.page);
    expect(kept).toMatch(/source\W+own/);
    expect(kept).not.toContain("no key");
    await window.dialog.button("Cancel").click();
    await row(/never/).getByRole("button").click();
    await window.dialog.button("Remove").click();
    await window.page.getByText("No keys").waitFor();
  });

  test("the client secret is made, renewed and removed", async () => {
    const id = await addProgram();
    await window.visit(pathOf(id, "/keys"));
    await window.button("Make secret").click();
    await window.dialog.button("Make secret").click();
    await window.heading("The new secret");
    const [clientId, first] = await window.page.locator("dialog code").allTextContents();
    expect(clientId).toBe(id);
    await window.dialog.button("I have kept it").click();
    await window.button("Make secret").click();
    await window.dialog.button("Make secret").click();
    await window.heading("The new secret");
    const [, second] = await window.page.locator("dialog code").allTextContents();
    expect(second).toMatch(/^[\w-]{43}$/);
    expect(second).not.toBe(first);
    await window.dialog.button("I have kept it").click();
    await window.button("Remove secret").click();
    await window.dialog.button("Remove").click();
    await window.page.getByText("There is no secret.").waitFor();
  });
});

describe("several users at once", () => {
  test("are locked, unlocked and removed, and those whose state does not allow it stay", async () => {
    const { service, organizationId } = stage();
    const people = [await addNamed("Crew"), await addNamed("Crew"), await addNamed("Crew")];
    await service.call(UserService.method.lockUser, { userId: people[2]?.id ?? "" });
    const select = async (): Promise<void> => {
      for (const { name } of people) await window.page.getByLabel(`Select ${name}`).check();
    };
    await window.visit(`/orgs/${organizationId}/users`);
    await select();
    await window.button("Lock").click();
    await window.heading("Lock 2 users?");
    await window.page.getByText("1 user of the selection stay").waitFor();
    await window.dialog.button("Lock").click();
    await window.notice("Locked: 2 users.");
    for (const { name } of people) await row(new RegExp(`${name}.*Locked`)).waitFor();
    await select();
    await window.button("Unlock").click();
    await window.dialog.button("Unlock").click();
    await window.notice("Unlocked: 3 users.");
    await select();
    await window.button("Reactivate").click();
    await window.heading("None of them is inactive");
    await window.dialog.button("Close").click();
    await window.button("Remove").click();
    await window.dialog.button("Remove").click();
    await window.notice("3 users were removed.");
    for (const { name } of people) expect(await row(name).count()).toBe(0);
  });

  test("are all left as they are when one cannot be changed, and the dialog says who", async () => {
    const { service, organizationId } = stage();
    const people = [await addNamed("Pair"), await addNamed("Pair")];
    await window.visit(`/orgs/${organizationId}/users`);
    for (const { name } of people) await window.page.getByLabel(`Select ${name}`).check();
    await service.call(UserService.method.setPhone, {
      userId: people[1]?.id ?? "",
      phone: nextPhone(),
      verification: { case: "isVerified", value: true },
    });
    await window.button("Lock").click();
    await window.page.getByText(`Nobody is changed, because of ${people[1]?.name ?? ""}.`).waitFor();
    expect(await window.dialog.button("Lock").count()).toBe(0);
    await window.dialog.button("Cancel").click();
  });
});

describe("a user who looks at their own credentials", () => {
  test("is led to the account for what is their own", async () => {
    const { owner } = stage();
    await window.visit(pathOf(owner.id, "/sign-in"));
    expect(await window.page.getByRole("link", { name: "To your account" }).getAttribute("href")).toBe(
      "/account",
    );
    expect(await window.page.getByRole("button", { name: "Set password" }).count()).toBe(0);
  });
});

describe.each(facesOf("light"))("every page, $face, in German", ({ options }) => {
  test("has no serious findings of axe-core and fits into the window", async () => {
    const { service, organizationId, addMember, open } = stage();
    const { id } = await addNamed("Mary");
    await registerTotp(service, id);
    const member = await addMember(["ORGANIZATION_VIEWER"]);
    await open("/", { person: member });
    const program = await addProgram();
    const face = await open("/", options);
    await face.page.evaluate('localStorage.setItem("gatehouse.language", "de")');
    await face.page.reload();
    await face.expectAllAccessible([
      `/orgs/${organizationId}/users`,
      pathOf(id, "/sign-in"),
      pathOf(member.id, "/sessions"),
      pathOf(program, "/keys"),
      pathOf(program, "/tokens"),
    ]);
    await face.button("Token hinzufügen").click();
    await face.page.getByRole("dialog").waitFor();
    await face.expectAccessible();
    expect(face.complaints).toEqual([]);
  });
});
