// The pages of applications in Chromium: every kind is added, changed and removed; secrets are shown once.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import type { Download } from "playwright-core";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { makePartyKeys } from "../sites/saml/node-saml/party-keys.ts";
import { createCaller, createProject, idOf, uniqueName } from "../support/world.ts";
import { type ConsoleWindow, keptInTab, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
let projectId: string;
let list: string;
beforeAll(async () => {
  const { service, organizationId } = stage();
  projectId = await createProject(service, organizationId);
  list = `/orgs/${organizationId}/projects/${projectId}/applications`;
  window = await stage().open(list);
});

const text = (shown: string) => window.page.getByText(shown, { exact: true }).first();
/** An option or a flag, by the beginning of its label, which its explanation follows. */
const choice = (label: string) =>
  window.page
    .locator("label.choice")
    .filter({ hasText: new RegExp(`^${label.replaceAll(/[()]/g, "\\$&")}`) });
const choose = (label: string) => choice(label).first().click();
const row = (name: string) => window.page.getByRole("row", { name });
const caller = () => createCaller(stage().service, stage().organizationId);

async function addOidc(name: string): Promise<string> {
  const request = { projectId, name, redirectUris: ["https://shop.example.com/callback"] };
  return idOf(await caller()(ApplicationService.method.createOidcApplication, request), "appId");
}

const secretShown = () => window.page.locator("dialog[open] .secret-value code").last();

describe("an application of OpenID Connect", () => {
  test("is added with a secret that is shown once, changed, stopped, started and removed", async () => {
    const name = uniqueName("Shop");
    await window.visit(list);
    await window.button("Add application").click();
    await window.page.getByRole("link", { name: "Web application" }).click();
    await window.heading("Add: Web application");
    await window.field("Name").fill(name);
    await window.button("Add application").click();
    await window.page.getByText("This is required.").waitFor();
    await window.field("Redirect URIs").fill("http://localhost:4000/callback");
    await window.button("Add application").click();
    await window.page.getByText(/needs “Development mode”/).waitFor();
    await choose("Development mode");
    await window.button("Add application").click();
    await window.heading("Your client secret");
    expect(await secretShown().textContent()).toMatch(/^[\w-]{43}$/);
    await window.page.keyboard.press("Escape"); // only its button closes it
    await window.button("I have kept it").click();
    await window.heading(name);
    await text("Development mode is on.").waitFor();

    await window.field("Redirect URIs").fill("https://shop.example.com/a\nhttps://shop.example.com/b");
    await choose("Development mode");
    await choose("JWT");
    await choose("Refresh tokens");
    await window.button("Save").click();
    await window.notice("The application was saved.");
    await text("Development mode is on.").waitFor({ state: "detached" });
    await window.page.reload();
    await window.heading(name);
    expect(await window.field("Redirect URIs").inputValue()).toBe(
      "https://shop.example.com/a\nhttps://shop.example.com/b",
    );

    await choose("FAPI 2.0");
    await window.button("Save").click();
    await text("FAPI 2.0 does not allow this.").waitFor();
    await window.page.reload();
    await window.heading(name);

    await window.button("Make a new secret").click();
    await window.dialog.button("Make a new secret").click();
    await window.heading("Your client secret");
    expect(await secretShown().textContent()).toMatch(/^[\w-]{43}$/);
    await window.button("I have kept it").click();

    await window.button("Deactivate").click();
    await window.dialog.button("Deactivate").click();
    await window.page.getByText("This application is inactive").waitFor();
    await window.button("Reactivate").click();
    await window.notice("is active again");
    await window.button("Remove application").click();
    await window.dialog.button("Remove").click();
    await window.notice(`${name} was removed.`);
    await window.button("Add application").waitFor();
    expect(window.place()).toBe(list);
  });

  test("whose first answer was lost says that the secret is, and offers a new one", async () => {
    const name = uniqueName("Lost");
    await window.visit(`${list}/new/web`);
    await window.field("Name").fill(name);
    await window.field("Redirect URIs").fill("https://shop.example.com/callback");
    await window.page.route(
      "**/CreateOidcApplication",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await window.button("Add application").click();
    await window.page.getByText("UNREACHABLE").waitFor();
    await window.button("Add application").click();
    await window.heading("The secret cannot be shown again");
    await window.dialog.button("Make a new secret").click();
    await window.heading("Your client secret");
    expect(await secretShown().textContent()).toMatch(/^[\w-]{43}$/);
    await window.button("I have kept it").click();
    await window.heading(name);
    window.complaints.length = 0; // the browser's own words about the answer that was lost
  });

  test("shows both versions when somebody else has changed it, with the words of the options", async () => {
    const name = uniqueName("Contested");
    const appId = await addOidc(name);
    await window.visit(`${list}/${appId}`);
    await choose("JWT");
    await caller()(ApplicationService.method.updateOidcConfig, {
      projectId,
      appId,
      redirectUris: ["https://elsewhere.example.com/callback"],
    });
    await window.button("Save").click();
    await window.heading("Somebody else has changed this");
    await window.page.getByRole("cell", { name: "https://elsewhere.example.com/callback" }).waitFor();
    await window.page.getByRole("cell", { name: "Opaque" }).waitFor();
    await window.dialog.button("Save mine").click();
    await window.notice("The application was saved.");
    const stored = await caller()(ApplicationService.method.getApplication, { projectId, appId });
    expect(stored["application"]).toMatchObject({
      oidc: { redirectUris: ["https://shop.example.com/callback"], accessTokenType: "OIDC_TOKEN_TYPE_JWT" },
    });
  });

  test("in a browser is offered neither secrets nor logins on other devices", async () => {
    await window.visit(`${list}/new/browser`);
    await choice("Sign-in with a code").waitFor();
    expect(await choice("Sign-in on another device").count()).toBe(0);
    expect(await choice("Token exchange").count()).toBe(0);
    expect(await choice("Client secret").count()).toBe(0);
  });

  test("gets keys, of which the private part is a file once", async () => {
    const appId = await addOidc(uniqueName("Signer"));
    await window.visit(`${list}/${appId}`);
    await choose("With a key (private_key_jwt)");
    await text("When you save, the client secret ends at once.").waitFor();
    await window.button("Save").click();
    await text("No keys yet").waitFor();
    await window.button("Add key").click();
    await window.dialog.field("Expires on optional").fill("2199-12-31");
    await window.dialog.button("Add key").click();
    await window.heading("Your new key");
    const download = window.page.waitForEvent("download");
    await window.button("Download JSON").click();
    expect(await read(await download)).toMatchObject({ type: "application", clientId: appId });
    await window.button("I have the file").click();
    await row("31 Dec 2199").waitFor();
    await window.button("Add key").click();
    await choose("I have one");
    await window.dialog.button("Add key").click();
    await text("This is required.").waitFor();
    await window.dialog.field("Public key").fill("nonsense");
    await window.dialog.button("Add key").click();
    await window.page.getByText("KEY_INVALID").waitFor();
    const kept = await keptInTab(window.page);
    expect(kept).toMatch(/source\W+own/);
    expect(kept).not.toContain("nonsense");
    await window.dialog.button("Cancel").click();
    await row("31 Dec 2199").getByRole("button").click();
    await window.dialog.button("Remove").click();
    await text("No keys yet").waitFor();
  });
});

async function read(download: Download): Promise<unknown> {
  return JSON.parse(readFileSync(await download.path(), "utf8"));
}

describe("an API", () => {
  test("is added with a secret, and authenticates with keys from then on", async () => {
    const name = uniqueName("Prices");
    await window.visit(`${list}/new/api`);
    await window.field("Name").fill(name);
    await window.button("Add application").click();
    await window.heading("Your client secret");
    await window.button("I have kept it").click();
    await window.heading(name);
    await choose("With a key (private_key_jwt)");
    await window.button("Save").click();
    await text("No keys yet").waitFor();
    expect(await text("Make a new secret").count()).toBe(0);
  });

  test("gets a resource and scopes, and says whether tokens are given for it", async () => {
    const name = uniqueName("Orders");
    await window.visit(`${list}/new/api`);
    await window.field("Name").fill(name);
    await window.field("Resource optional").fill("https://api.example.com/orders");
    await window.button("Add scope").click();
    await window.button("Add application").click();
    await text("Each scope needs a name.").waitFor();
    await window.page.getByLabel("Name", { exact: true }).last().fill("orders.read");
    await window.button("Add application").click();
    await window.button("I have kept it").click();
    await window.heading(name);
    await text("Pending").waitFor();
    await window.button("Check again").click();
    await text("The API was asked again.").waitFor();
    await text("Pending").waitFor(); // nobody is there
    await choose("Take the resource as verified");
    await window.button("Save").click();
    await text("Verified").waitFor();
    expect(await window.page.getByLabel("Name", { exact: true }).first().inputValue()).toBe("orders.read");
  });
});

describe("a SAML application", () => {
  test("is added from a file, and shows its certificates and what will not work", async () => {
    const name = uniqueName("Portal");
    await window.visit(`${list}/new/saml`);
    await window.field("Name").fill(name);
    await window.button("Add application").click();
    await text("This is required.").waitFor();
    await choose("As a document");
    await window.page.getByLabel("Choose a file").setInputFiles({
      name: "metadata.xml",
      mimeType: "application/xml",
      buffer: Buffer.from(metadata("https://portal.example.com/metadata")),
    });
    await window.until("document.querySelector('textarea').value !== ''");
    await window.button("Add application").click();
    await window.heading(name);
    await text("https://portal.example.com/metadata").waitFor();
    await text("In force").waitFor();
    await text("RSA 2048").waitFor();
    await row("https://portal.example.com/acs").waitFor();

    await text("Fixed text").waitFor({ state: "detached" });
    await window.button("Add attribute").click();
    await window.button("Save").click();
    await text("Each attribute needs a name.").waitFor();
    await window.page.getByLabel("Name", { exact: true }).first().fill("mail");
    await choose("Always");
    await choose("Allow sign-ins that begin here");
    await window.field("RelayState of such sign-ins optional").fill("/start");
    await window.button("Save").click();
    await window.notice("The application was saved.");
    await window.page.getByText("encryption is required").waitFor();
    await window.page.getByText(/\/saml\/v2\/start\/\d+$/).waitFor();
    await window.page.reload();
    await window.heading(name);
    expect(await window.page.getByLabel("Name", { exact: true }).first().inputValue()).toBe("mail");
  });

  test("of which the metadata is not there yet says so, and fetches again when asked", async () => {
    const name = uniqueName("Waiting");
    await window.visit(`${list}/new/saml`);
    await window.field("Name").fill(name);
    await window.field("URL of the metadata").fill("https://127.0.0.1/metadata");
    await window.button("Add application").click();
    await window.page.getByText("does not connect").or(window.page.locator(".field-error")).first().waitFor();
    await window.field("URL of the metadata").fill("https://sp.invalid/metadata");
    await window.button("Add application").click();
    await window.heading(name);
    await text("Not fetched yet").waitFor();
    expect(await text("https://sp.invalid/metadata").isVisible()).toBe(true);
    await window.button("Fetch now").click();
    await window.notice("The metadata was fetched again.");
  });

  test("gets other metadata by pasting, and refuses what is none", async () => {
    const name = uniqueName("Pasted");
    const metadataXml = new TextEncoder().encode(metadata("https://pasted.example.com/metadata"));
    const request = { projectId, name, metadataXml };
    const appId = idOf(await caller()(ApplicationService.method.createSamlApplication, request), "appId");
    await window.visit(`${list}/${appId}`);
    await window.button("Replace metadata").click();
    await choose("As a document");
    await window.dialog.field("Metadata (XML)").fill("<nothing/>");
    await window.dialog.button("Replace metadata").click();
    await window.page
      .locator(".field-error")
      .getByText(/EntityDescriptor/)
      .waitFor();
    await window.dialog.field("Metadata (XML)").fill(metadata("https://other.example.com/metadata"));
    await window.dialog.button("Replace metadata").click();
    await window.notice("The source of the metadata was replaced.");
    await text("https://other.example.com/metadata").waitFor();
    expect(await text("https://pasted.example.com/metadata").count()).toBe(0);
  });
});

const { certificate } = makePartyKeys();

function metadata(entityId: string): string {
  const { origin } = new URL(entityId);
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${origin}/acs" index="0"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>`;
}

describe("the list", () => {
  test("filters as the API does, and removes several at once", async () => {
    const names = [uniqueName("Alpha"), uniqueName("Beta")];
    for (const name of names) await addOidc(name);
    await window.visit(`${list}?search=${names[0]}`);
    await row(names[0]!).waitFor();
    expect(await row(names[1]!).count()).toBe(0);
    await window.button("Clear filters").click();
    for (const name of names) await window.page.getByLabel(`Select ${name}`).check();
    await window.button("Remove").click();
    await window.heading("Remove 2 applications?");
    await window.dialog.button("Remove").click();
    await row(names[1]!).waitFor({ state: "detached" });
    expect(await row(names[0]!).count()).toBe(0);
  });
});

// The pages themselves are looked at in console-signing-keys.test.ts.
describe("somebody who may write applications, but not on the whole instance", () => {
  test("may stop an application that may call this API, and change nothing of it", async () => {
    const name = uniqueName("Trusted");
    const redirectUris = ["https://shop.example.com/callback"];
    const request = { projectId, name, redirectUris, apiAccess: true };
    const made = await caller()(ApplicationService.method.createOidcApplication, request);
    const person = await stage().addMember(["ORGANIZATION_OWNER"]);
    const owner = await stage().open(`${list}/${idOf(made, "appId")}`, { person });
    await owner.heading(name);
    await owner.page
      .getByText(/instance/)
      .first()
      .waitFor();
    const buttons = await owner.page.locator("main").getByRole("button").allTextContents();
    expect(buttons.filter((button) => !["Copy", "Details"].includes(button))).toEqual([
      "Deactivate",
      "Remove application",
    ]);
    await owner.button("Deactivate").click();
    await owner.dialog.button("Deactivate").click();
    await owner.page.getByText("Inactive", { exact: true }).first().waitFor();
    expect(await owner.button("Reactivate").count()).toBe(0);
  });
});
