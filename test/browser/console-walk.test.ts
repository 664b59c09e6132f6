// The way of an administrator through the console, in Chromium: from the link of a new installation to an organization with all that
// it can have, and back to nothing. Nothing but gRPC-web, files and the pages of signing in goes over the wire.
import { describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { canaries } from "../support/canaries.ts";
import { answerOf } from "../support/service.ts";
import { type CreationOptions, registerInSoftware } from "../support/software-authenticator.ts";
import { idOf, jwtConfig, nextPhone, samlMetadata } from "../support/world.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";
import { listenToWire } from "./support/wire.ts";

const stage = useConsoleStage();
const chosen = "a password for the first administrator";
canaries.add("password", chosen);

/** Returns a function that calls what has no page, over gRPC-web as a page would. */
function callInside(organizationId: string) {
  return async <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ): Promise<JsonObject> => {
    const { clients, adminToken } = stage().service;
    const headers = { "x-service-orgid": organizationId };
    return answerOf(await clients["grpc-web"].call(method, request, { token: adminToken, headers }));
  };
}

/** Returns the id that stands in the address behind the name of the kind. */
function idInPlace(window: ConsoleWindow, kind: string): string {
  const id = new RegExp(`/${kind}/(\\d+)`).exec(window.place())?.[1];
  if (id === undefined) throw new Error(`no ${kind} in ${window.place()}`);
  return id;
}

/** Signs up with the link of the data folder, and opens the console from the start page. */
async function signUp({ page, heading, button }: ConsoleWindow): Promise<void> {
  const { service } = stage();
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
  await button("Create administrator").click();
  await heading("Add a security key");
  await page.goto(`http://localhost:${service.port}/`);
  await page.getByRole("link", { name: "Open the console" }).click();
  await heading("Hello, Grace Hopper");
}

/** Adds an organization with a project, which has a role, and a user who holds it; all by the pages. */
async function addBasics(
  window: ConsoleWindow,
): Promise<{ readonly base: string; readonly project: string }> {
  const { page } = window;
  const link = (name: string) => page.getByRole("link", { name, exact: true });
  await link("Organizations").click();
  await window.button("Add organization").click();
  await window.field("Name").fill("Northern Rail");
  await window.button("Add organization").click();
  await window.heading("Northern Rail");
  const base = `/orgs/${idInPlace(window, "orgs")}`;

  await link("Users").click();
  await window.heading("Users");
  await window.button("Add person").click();
  await window.field("Username").fill("mei.tanaka");
  await window.field("Given name").fill("Mei");
  await window.field("Family name").fill("Tanaka");
  await window.field("Email").fill("mei.tanaka@northern-rail.example");
  await window.button("Add person").click();
  await window.heading("Mei Tanaka");

  await link("Projects").click();
  await window.heading("Projects");
  await window.button("Add project").click();
  await window.field("Name").fill("Ticket Shop");
  await window.button("Add project").click();
  await window.heading("Ticket Shop");
  const project = `${base}/projects/${idInPlace(window, "projects")}`;
  await window.field("Name").fill("Ticket Shops");
  await window.button("Save").click();
  await window.heading("Ticket Shops");
  await link("Roles").click();
  await window.button("Add role").click();
  await window.dialog.field("Key").fill("clerk");
  await window.dialog.button("Add role").click();
  await page.getByRole("row", { name: "clerk" }).waitFor();
  return { base, project };
}

/** Gives the user the role, and adds an application of each protocol. */
async function addAccess(window: ConsoleWindow, project: string): Promise<void> {
  const { page } = window;
  await window.visit(`${project}/user-grants`);
  await window.button("Give roles to a user").click();
  await window.field("User").fill("mei.tanaka");
  await page.getByRole("checkbox", { name: "clerk", exact: true }).check();
  await window.button("Give roles to a user").click();
  await page.getByText("The user holds these roles now: clerk.").waitFor();

  await window.visit(`${project}/applications/new/web`);
  await window.field("Name").fill("Counter");
  await window.field("Redirect URIs").fill("https://counter.northern-rail.example/callback");
  await window.button("Add application").click();
  await window.heading("Your client secret");
  await window.button("I have kept it").click();
  await window.heading("Counter");

  await window.visit(`${project}/applications/new/saml`);
  await window.field("Name").fill("Payroll");
  await page
    .locator("label.choice")
    .filter({ hasText: /^As a document/ })
    .click();
  const metadata = samlMetadata("https://payroll.northern-rail.example/metadata");
  await window.field("Metadata (XML)").fill(new TextDecoder().decode(metadata));
  await window.button("Add application").click();
  await window.heading("Payroll");
}

/** Proves a phone and a security key by calls, as only their user does, and looks at them in the console. */
async function proveByCalls(window: ConsoleWindow, base: string): Promise<void> {
  const { page } = window;
  const call = callInside(base.slice("/orgs/".length));
  await window.visit(`${base}/users?username=mei.tanaka`);
  await page.getByRole("link", { name: "Mei Tanaka" }).click();
  await window.heading("Mei Tanaka");
  const userId = idInPlace(window, "users");

  const phone = nextPhone();
  const sent = await call(UserService.method.setPhone, {
    userId,
    phone,
    verification: { case: "returnCode", value: {} },
  });
  await window.page.reload();
  await page.getByText(`${phone} (not verified)`).waitFor();
  await call(UserService.method.verifyPhone, { userId, verificationCode: idOf(sent, "verificationCode") });
  await window.page.reload();
  await page.getByText(`${phone} (verified)`).waitFor();

  const begun = await call(UserService.method.registerU2f, { userId });
  // What RegisterU2f answers is a Struct: its shape is that of WebAuthn.
  const options = begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions;
  const publicKeyCredential = { ...registerInSoftware(options) } as unknown as JsonObject;
  const u2fId = idOf(begun, "u2fId");
  await call(UserService.method.verifyU2f, { userId, u2fId, publicKeyCredential, tokenName: "Blue key" });
  await window.visit(`${base}/users/${userId}/sign-in`);
  await page.getByRole("row", { name: "Blue key" }).waitFor();
}

/** Adds an identity provider of each kind, and changes and removes that of JWT. */
async function addProviders(window: ConsoleWindow, base: string): Promise<void> {
  await window.visit(`${base}/idps/new/jwt`);
  await window.field("Name").fill("Staff gateway");
  await window.field("Address of the gateway").fill(jwtConfig.jwtEndpoint);
  await window.field("Issuer").fill(jwtConfig.issuer);
  await window.field("Address of the keys").fill(jwtConfig.keysEndpoint);
  await window.field("Header").fill(jwtConfig.headerName);
  await window.button("Add identity provider").click();
  await window.heading("Staff gateway");
  await window.field("Header optional").fill("");
  await window.button("Save").click();
  await window.notice("The identity provider was saved.");
  await window.button("Remove identity provider").click();
  await window.dialog.button("Remove").click();
  await window.heading("Identity providers");

  await window.visit(`${base}/idps/new/oidc`);
  await window.field("Name").fill("Directory");
  await window.field("Issuer").fill("https://accounts.example.com");
  await window.field("Client ID").fill("rail");
  await window.field("Client secret").fill("not-a-real-secret");
  await window.button("Add identity provider").click();
  await window.heading("Directory");
}

/** Removes the user, the project and the organization; the dialogs say what goes with each. */
async function removeAll(window: ConsoleWindow, base: string, project: string): Promise<void> {
  const { page } = window;
  const goesAlong = (text: string) => page.getByRole("dialog").getByText(text, { exact: true }).waitFor();
  await window.visit(`${base}/users?username=mei.tanaka`);
  await page.getByRole("link", { name: "Mei Tanaka" }).click();
  await window.button("Remove user").click();
  await goesAlong("1 user grant");
  await goesAlong("1 security key");
  await window.dialog.button("Remove").click();
  await window.notice("Mei Tanaka was removed.");
  await window.visit(project);
  await window.button("Remove project").click();
  await goesAlong("2 applications");
  await goesAlong("1 role");
  await window.dialog.button("Remove").click();
  await window.heading("Projects");
  await window.visit(base);
  await window.button("Remove organization").click();
  await goesAlong("1 identity provider");
  await window.dialog.field("Type Northern Rail to confirm").fill("Northern Rail");
  await window.dialog.button("Remove").click();
  await window.heading("Organizations");
  expect(await page.getByRole("row", { name: "Northern Rail" }).count()).toBe(0);
}

describe("the first administrator", () => {
  test("signs up, sets up an organization with all that it can have, and removes it again", async () => {
    const { service } = stage();
    const window = await stage().profile();
    const wire = await listenToWire(window.page.context(), `http://localhost:${service.port}`);
    await signUp(window);
    const { base, project } = await addBasics(window);
    await addAccess(window, project);
    await proveByCalls(window, base);
    await addProviders(window, base);
    await removeAll(window, base, project);

    expect(wire.strange).toEqual([]);
    expect(wire.breaches).toEqual([]);
    expect(wire.countFiles()).toBeGreaterThan(5);
    for (const rpc of [
      "OrganizationService/AddOrganization",
      "UserService/AddHumanUser",
      "ProjectService/UpdateProject",
      "ProjectService/AddProjectRole",
      "UserGrantService/AddUserGrant",
      "ApplicationService/CreateOidcApplication",
      "ApplicationService/CreateSamlApplication",
      "OrganizationService/RemoveOrganization",
    ])
      expect(wire.called).toContain(rpc);
  });
});
