// The pages of identity providers in Chromium: all kinds are added, changed, stopped, started and removed.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createCaller, idOf, uniqueName } from "../support/world.ts";
import { facesOf, type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();
let window: ConsoleWindow;
let list: string;
beforeAll(async () => {
  list = `/orgs/${stage().organizationId}/idps`;
  window = await stage().open(list);
});

const oidc = {
  issuer: "https://accounts.example.com",
  clientId: "lamp",
  clientSecret: "secret of the client",
  scopes: ["openid", "email"],
};
const jwt = {
  jwtEndpoint: "https://gateway.example.com/jwt",
  issuer: "https://tokens.example.com",
  keysEndpoint: "https://tokens.example.com/keys",
  headerName: "x-lamp-jwt",
};
const caller = () => createCaller(stage().service, stage().organizationId);
const row = (name: string) => window.page.getByRole("row", { name });
const text = (shown: string) => window.page.getByText(shown, { exact: true }).first();
const link = (name: string | RegExp) => window.page.locator("main").getByRole("link", { name });

async function add(
  name: string,
  config: { case: "oidc"; value: typeof oidc } | { case: "jwt"; value: typeof jwt },
): Promise<string> {
  return idOf(
    await caller()(IdentityProviderService.method.createIdentityProvider, { name, config }),
    "idpId",
  );
}

async function read(idpId: string): Promise<unknown> {
  const answer = await caller()(IdentityProviderService.method.getIdentityProvider, { idpId });
  return answer["identityProvider"];
}

const sequenceOf = (provider: unknown): number => {
  const json = JSON.stringify(provider);
  return Number(/"sequence":"(\d+)"/.exec(json)?.[1]);
};
const idOfPlace = (): string => window.place().split("/").at(-1) ?? "";

describe("an identity provider of OpenID Connect", () => {
  test("is added with the address for the other side in sight, and changed", async () => {
    const name = uniqueName("Directory");
    await window.visit(list);
    await text("No identity providers yet").waitFor();
    await window.button("Add identity provider").click();
    await link(/^OpenID Connect/).click();
    await window.heading("Add: OpenID Connect");
    const { origin } = new URL(window.page.url());
    await text(`${origin}/idps/callback`).waitFor();
    await window.field("Name").fill(name);
    await window.button("Add identity provider").click();
    await text("This is required.").waitFor();
    expect(await window.page.getByText("This is required.").count()).toBe(3); // issuer, client ID and secret
    await window.field("Issuer").fill("accounts.example.com");
    await window.field("Client ID").fill("lamp");
    await window.field("Client secret").fill("secret of the client");
    expect(await window.field("Client secret").getAttribute("type")).toBe("password");
    await window.button("Add identity provider").click();
    await window.page.locator(".field-error", { hasText: "http" }).waitFor();
    await window.field("Issuer").fill("https://accounts.example.com");
    await window.button("Add identity provider").click();
    await window.heading(name);
    expect(await window.page.locator("input[type=password]").count()).toBe(0);

    await window.field("Scopes optional").fill("openid\nprofile");
    await window.field("Username of new accounts").selectOption({ label: "The email" });
    await window.page.getByText("Add people at their first sign-in").click();
    await window.page.getByText("As Google requires it").click();
    await window.button("Save").click();
    await window.notice("The identity provider was saved.");
    expect(await read(idOfPlace())).toMatchObject({
      name,
      stylingType: "STYLING_TYPE_GOOGLE",
      autoRegister: true,
      oidc: {
        issuer: oidc.issuer,
        clientId: "lamp",
        scopes: ["openid", "profile"],
        usernameMapping: "OIDC_MAPPING_FIELD_EMAIL",
      },
    });
    await window.page.reload();
    await window.heading(name);
    expect(await window.field("Scopes optional").inputValue()).toBe("openid\nprofile");
  });

  test("gets another secret, and keeps what somebody else has changed meanwhile", async () => {
    const name = uniqueName("Other Secret");
    const idpId = await add(name, { case: "oidc", value: oidc });
    await window.visit(`${list}/${idpId}`);
    await window.button("Replace the secret").click();
    await window.dialog.button("Replace the secret").click();
    await text("This is required.").waitFor();
    const { clientSecret: _kept, ...settings } = { ...oidc, clientId: "lantern" };
    await caller()(IdentityProviderService.method.updateIdentityProvider, {
      idpId,
      name,
      config: { case: "oidc", value: settings },
    });
    const before = sequenceOf(await read(idpId));
    await window.dialog.field("Client secret").fill("another secret");
    await window.dialog.button("Replace the secret").click();
    await window.notice("The client secret was replaced.");
    const after = await read(idpId);
    expect(after).toMatchObject({ name, oidc: { ...settings, clientId: "lantern" } });
    expect(sequenceOf(after)).toBeGreaterThan(before);
  });

  test("is stopped, started and removed, and the removal says what goes with it", async () => {
    const { owner } = stage();
    const name = uniqueName("Leaving");
    const idpId = await add(name, { case: "oidc", value: oidc });
    await caller()(UserService.method.addIdpLink, { userId: owner.id, idpId, externalUserId: "1" });
    await window.visit(`${list}/${idpId}`);
    await window.button("Deactivate").click();
    await window.dialog.button("Deactivate").click();
    await window.page.getByText("nobody can sign in with it").waitFor();
    await window.visit(`${list}?state=2`);
    await row(name).waitFor();
    expect(await window.page.getByRole("row").count()).toBe(2); // with that of the titles
    await link(name).click();
    await window.button("Reactivate").click();
    await window.notice("is active again");
    await window.button("Remove identity provider").click();
    await text("1 link to an identity provider").waitFor();
    await window.dialog.button("Remove").click();
    await window.notice(`${name} was removed.`);
    await window.heading("Identity providers");
    expect(await row(name).count()).toBe(0);
  });
});

describe("an identity provider of JWT", () => {
  test("is added and changed, and needs a header only at first", async () => {
    const name = uniqueName("Gateway");
    await window.visit(`${list}/new`);
    await link(/^JWT/).click();
    await window.heading("Add: JWT");
    const { origin } = new URL(window.page.url());
    await text(`${origin}/ui/login/login/jwt/authorize`).waitFor();
    expect(await window.field("Header").inputValue()).toBe("authorization");
    await window.field("Name").fill(name);
    await window.field("Address of the gateway").fill(jwt.jwtEndpoint);
    await window.field("Issuer").fill(jwt.issuer);
    await window.field("Address of the keys").fill(jwt.keysEndpoint);
    await window.field("Header").fill("");
    await window.button("Add identity provider").click();
    await text("This is required.").waitFor();
    await window.field("Header").fill(jwt.headerName);
    await window.button("Add identity provider").click();
    await window.heading(name);
    await window.field("Audiences optional").fill("lamp-works\nlanterns");
    await window.field("Header optional").fill("");
    await window.button("Save").click();
    await window.notice("The identity provider was saved.");
    const { headerName: _emptied, ...others } = jwt;
    expect(await read(idOfPlace())).toMatchObject({
      jwt: { ...others, headerName: "", audiences: ["lamp-works", "lanterns"] },
    });
  });
});

describe("an identity provider that is known beforehand", () => {
  test("is added with what it needs alone, and keeps its secret until it gets another address", async () => {
    const name = uniqueName("Tenants");
    await window.visit(`${list}/new`);
    await link(/^Microsoft Entra ID/).click();
    await window.heading("Add: Microsoft Entra ID");
    const { origin } = new URL(window.page.url());
    await text(`${origin}/idps/callback`).waitFor();
    await window.button("Add identity provider").click();
    await text("This is required.").first().waitFor();
    await window.field("Name").fill(name);
    await window.field("Client ID").fill("lamp");
    await window.field("Client secret").fill("secret of the client");
    await window.field("Tenants").fill("*");
    await window.page.getByText("Add people at their first sign-in").click();
    await window.button("Add identity provider").click();
    await window.page.locator(".field-error", { hasText: "must be ids of tenants" }).waitFor();
    await window.page.getByText("Add people at their first sign-in").click();
    await window.button("Add identity provider").click();
    await window.heading(name);
    expect(await read(idOfPlace())).toMatchObject({
      entra: { clientId: "lamp", tenants: ["*"], baseUrl: "" },
    });
    await window.field("Client ID").fill("lantern");
    await window.button("Save").click();
    await window.notice("The identity provider was saved.");
    await window.field("Address optional").fill("https://login.microsoftonline.us");
    await window.button("Save").click();
    await text("This is required.").waitFor();
    await window.field("Client secret").fill("secret of the other cloud");
    await window.button("Save").click();
    await window.notice("The identity provider was saved.");
    const baseUrl = "https://login.microsoftonline.us";
    expect(await read(idOfPlace())).toMatchObject({ entra: { clientId: "lantern", baseUrl } });
  });
});

describe("an identity provider of an organization with a login policy of its own", () => {
  test("says that it is not offered, until it is", async () => {
    const name = uniqueName("Late");
    const idpId = await add(name, { case: "oidc", value: oidc });
    await window.visit(`${list}/${idpId}`);
    await text("It is offered.").waitFor();
    const policy = { allowPassword: true, allowExternalIdps: true };
    await caller()(LoginPolicyService.method.updateLoginPolicy, policy);
    await window.page.reload();
    await window.page.getByText("It is not offered: the organization has a login policy").waitFor();
    await window.button("Offer it").click();
    await text("It is offered.").waitFor();
    const { idps } = await caller()(LoginPolicyService.method.listLoginPolicyIdps, {});
    expect(idps).toMatchObject([{ idpId, idpName: name }]);
    await caller()(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true });
    await link("Login policy of the organization").click();
    await window.heading("Login policy");
    await window.page.goBack();
    await window.page.getByText("does not let people sign in with identity providers").waitFor();
    await caller()(LoginPolicyService.method.resetLoginPolicy, {});
  });
});

describe.each(facesOf("dark"))("every page, $face", ({ options }) => {
  test("has no serious findings of axe-core and fits into the window", async () => {
    const ofOidc = await add(uniqueName("Directory"), { case: "oidc", value: oidc });
    const ofJwt = await add(uniqueName("Gateway"), { case: "jwt", value: jwt });
    const face = await stage().open("/", options);
    const added = ["/new/oidc", "/new/jwt", "/new/template/entra", "/new/template/apple"];
    const pages = ["", "/new", ...added, `/${ofOidc}`, `/${ofJwt}`];
    await face.expectAllAccessible(pages.map((page) => list + page));
    await face.visit(`${list}/${ofOidc}`);
    for (const name of ["Replace the secret", "Deactivate", "Remove identity provider"]) {
      await face.button(name).click();
      await face.dialog.button("Cancel").waitFor();
      await face.expectAccessible();
      await face.dialog.button("Cancel").click();
    }
    expect(face.complaints).toEqual([]);
  });
});
