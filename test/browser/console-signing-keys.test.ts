// The page of signing keys in Chromium, and how it looks together with the pages of applications.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { ApiAuthMethodType } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../gen/gatehouse/v1/key_pb.ts";
import { SigningKeyService } from "../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { createCaller, createProject, idOf, samlMetadata, uniqueName } from "../support/world.ts";
import { facesOf, type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage();

interface ListedKey {
  readonly id: string;
  readonly use: string;
}

describe("signing keys", () => {
  let window: ConsoleWindow;
  beforeAll(async () => {
    const { service } = stage();
    await fetch(`http://localhost:${service.port}/saml/v2/metadata`); // makes the first keys
    window = await stage().open("/signing-keys");
  });
  const rows = (name: RegExp) => window.page.getByRole("row", { name });
  const keys = async (): Promise<readonly ListedKey[]> => {
    const { signingKeys } = await stage().service.call(SigningKeyService.method.listSigningKeys, {});
    return signingKeys as unknown as readonly ListedKey[]; // as the contract has them
  };

  test("for SAML are replaced in two steps", async () => {
    await rows(/SAML messages.*Signs now/).waitFor();
    await window.button("Replace SAML key").click();
    await window.page.getByText("Publish a new key").waitFor();
    await window.dialog.button("Replace").click();
    await window.notice("The new key is published.");
    await rows(/SAML messages.*Next/).waitFor();
    await window.button("Replace SAML key").click();
    await window.page.getByText("Let the new key sign").waitFor();
    await window.dialog.button("Replace").click();
    await window.page.getByText("SAML_KEY_NOT_READY").waitFor();
    await window.dialog.button("Cancel").click();
    expect((await keys()).filter(({ use }) => use === "SIGNING_KEY_USE_SAML")).toHaveLength(2);
  });

  test("are revoked only by somebody who types the word", async () => {
    const before = await keys();
    await window.button("Replace token keys").click();
    await window.page.getByText("At once, and revoke the old ones").click();
    await window.dialog.field("Type REVOKE to confirm").fill("revoke");
    await window.dialog.button("Replace").click();
    await window.page.getByText("Type REVOKE here.").waitFor();
    expect(await keys()).toEqual(before);
    await window.dialog.field("Type REVOKE to confirm").fill("REVOKE");
    await window.dialog.button("Replace").click();
    await window.notice("The keys were replaced.");
    const isOfTokens = ({ use }: ListedKey) => use !== "SIGNING_KEY_USE_SAML";
    const old = new Set(before.filter(isOfTokens).map(({ id }) => id));
    expect((await keys()).filter(({ id }) => old.has(id))).toEqual([]);
  });
});

describe.each(facesOf("light"))("every page of applications and keys, $face", ({ options }) => {
  test("has no serious findings of axe-core and fits into the window", async () => {
    const list = await fillProject();
    const window = await stage().open("/signing-keys", options);
    const kinds = ["web", "browser", "native", "api", "saml"].map((kind) => `${list.path}/new/${kind}`);
    const objects = list.ids.map((id) => `${list.path}/${id}`);
    await window.expectAllAccessible(["/signing-keys", list.path, `${list.path}/new`, ...kinds, ...objects]);
    for (const opener of ["Replace metadata", "Deactivate", "Remove application"]) {
      await window.button(opener).click();
      await window.dialog.button("Cancel").waitFor();
      await window.expectAccessible();
      await window.dialog.button("Cancel").click();
    }
    expect(window.complaints).toEqual([]);
  });
});

/** Makes a project with an application of each kind, the one of SAML last. */
async function fillProject(): Promise<{ readonly path: string; readonly ids: readonly string[] }> {
  const { service, organizationId } = stage();
  const projectId = await createProject(service, organizationId);
  const call = createCaller(service, organizationId);
  const { createOidcApplication, createApiApplication, createSamlApplication, addApplicationKey } =
    ApplicationService.method;
  const redirectUris = ["http://localhost:3000/callback"];
  const shop = { projectId, name: uniqueName("Shop"), devMode: true, redirectUris };
  const prices = { projectId, name: uniqueName("Prices"), authMethodType: ApiAuthMethodType.PRIVATE_KEY_JWT };
  const name = uniqueName("Portal");
  const portal = { projectId, name, metadataXml: samlMetadata(`urn:${name.replaceAll(" ", "-")}`) };
  const ids = [
    idOf(await call(createOidcApplication, shop), "appId"),
    idOf(await call(createApiApplication, prices), "appId"),
    idOf(await call(createSamlApplication, portal), "appId"),
  ];
  await call(addApplicationKey, { projectId, appId: ids[1]!, type: KeyType.JSON });
  return { path: `/orgs/${organizationId}/projects/${projectId}/applications`, ids };
}
