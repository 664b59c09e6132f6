// Directories in the console, in Chromium: those that call by SCIM, and those that are asked by LDAP.
import { beforeAll, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createDirectory, person } from "../sites/scim/support/scim.ts";
import { createCaller, uniqueName } from "../support/world.ts";
import { type ConsoleWindow, facesOf, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
beforeAll(async () => {
  window = await stage().open("/");
});

const text = (shown: string) => window.page.getByText(shown, { exact: true }).first();
const row = (name: string) => window.page.getByRole("row", { name });

test("a service user shows how a directory is connected as it, whether it is trusted, and who came by it", async () => {
  const { service, organizationId } = stage();
  const directory = await createDirectory(service, { organizationId });
  const place = `/orgs/${organizationId}/users/${directory.userId}`;
  await window.visit(place);
  await window.page.getByRole("link", { name: "Directory (SCIM)" }).click();
  await text("Nobody yet").waitFor();
  await text("No groups yet").waitFor();
  const { origin } = new URL(window.page.url());
  await text(`${origin}/scim/v2/${organizationId}`).waitFor();
  await text("Microsoft Entra ID").waitFor();
  await window.page.getByText("Are unverified").waitFor();

  const sent = { ...person(), externalId: "e-1" };
  const { body } = await directory.send("POST", "/Users", sent);
  const other = await directory.addUser();
  const displayName = uniqueName("Engines");
  await directory.send("POST", "/Groups", { displayName, externalId: "g-1", members: [{ value: body.id }] });
  await window.page.reload();
  await row(sent.userName).waitFor();
  expect(await window.page.locator(`a[href$="/users/${other}"]`).count()).toBe(0);
  await row(displayName).waitFor();

  await window.page.getByRole("link", { name: "Change it in the profile" }).click();
  await window.page.getByText("Trust its email addresses").click();
  await window.button("Save").click();
  await window.notice("The profile was saved.");
  const { user } = await service.call(UserService.method.getUser, { userId: directory.userId });
  expect(user).toMatchObject({ service: { trustMail: true } });
  await window.visit(`${place}/scim`);
  await window.page.getByText("Count as verified").waitFor();
  expect(window.complaints).toEqual([]);
});

test("a directory of LDAP is added, changed, and asks for its password again with other servers", async () => {
  const { service, organizationId } = stage();
  const name = uniqueName("Staff");
  await window.visit(`/orgs/${organizationId}/idps`);
  await window.button("Add identity provider").first().click();
  await window.page.locator("main").getByRole("link", { name: /LDAP/ }).click();
  await window.field("Name").fill(name);
  await window.page.getByLabel("Servers").fill("ldaps://one.example.com\nldaps://two.example.com");
  await window.page.getByLabel("Service account").fill("cn=reader,dc=example,dc=org");
  await window.field("Password of the service account").fill("a password");
  await window.page.getByLabel("Where people are").fill("not a dn");
  await window.page.getByLabel("Filter").fill("(objectClass=person)");
  await window.page.getByLabel("Names to sign in with").fill("uid");
  await window.button("Add identity provider").click();
  await window.page.locator(".field-error").first().waitFor();
  await window.page.getByLabel("Where people are").first().fill("ou=people,dc=example,dc=org");
  await window.button("Add identity provider").click();
  await window.heading(name);
  const idpId = window.place().split("/").at(-1) ?? "";
  const read = async () =>
    (
      await createCaller(service, organizationId)(IdentityProviderService.method.getIdentityProvider, {
        idpId,
      })
    )["identityProvider"];
  expect(await read()).toMatchObject({
    name,
    ldap: { baseDn: "ou=people,dc=example,dc=org", loginAttributes: ["uid"] },
  });

  await window.page.getByText("Trust its email addresses").click();
  await window.button("Save").click();
  await window.notice("The identity provider was saved.");
  expect(await read()).toMatchObject({ ldap: { trustMail: true } });

  await window.page.getByLabel("Servers").fill("ldaps://other.example.com");
  await window.page.getByText("The stored password was for other servers").waitFor();
  await window.button("Save").click();
  await text("This is required.").waitFor();
  await window.field("Password of the service account").fill("another password");
  await window.button("Save").click();
  await window.notice("The identity provider was saved.");
  expect(await read()).toMatchObject({ ldap: { servers: ["ldaps://other.example.com"] } });
});

test.each(facesOf("light"))(
  "the pages of directories can be read by everybody, $face",
  async ({ options }) => {
    const { service, organizationId } = stage();
    const { userId } = await createDirectory(service, { organizationId });
    const face = await stage().open("/", options);
    const idps = `/orgs/${organizationId}/idps`;
    await face.expectAllAccessible([`/orgs/${organizationId}/users/${userId}/scim`, `${idps}/new/ldap`]);
    expect(face.complaints).toEqual([]);
  },
);
