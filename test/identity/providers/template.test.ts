// What a configuration of a provider that is known beforehand may be, and when its secret has to come again.
import { generateKeyPairSync } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import { createIdentityProviderCommands } from "../../../src/identity/providers/commands.ts";
import {
  checkTemplate,
  mayComeFrom,
  type ProviderTemplate,
  type TemplateSettings,
  toStoredTemplate,
} from "../../../src/identity/providers/template.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { findSecret } from "../../../src/kernel/events/secret-store.ts";
import { callAs, openFeatureFixture } from "../../support/feature-fixture.ts";
import { identityProviderSettings } from "../../support/samples.ts";

const fixture = await openFeatureFixture();
const commands = createIdentityProviderCommands(fixture.context);
afterAll(() => fixture.close());

const tenant = "0d6e8b8a-0b4c-4d3e-9d0e-0d6e8b8a0b4c";
const pemOf = (namedCurve: string) =>
  generateKeyPairSync("ec", { namedCurve }).privateKey.export({ format: "pem", type: "pkcs8" });
const of = (template: ProviderTemplate, settings: Partial<TemplateSettings> = {}): TemplateSettings => ({
  template,
  clientId: "client",
  baseUrl: "",
  tenants: template === "entra" ? [tenant] : [],
  teamId: "",
  keyId: "",
  ...settings,
});

describe("a configuration", () => {
  test.each<[string, TemplateSettings, boolean, string, readonly string[]]>([
    ["an address of one's own", of("gitlab", { baseUrl: "https://git.example/lab" }), true, "s", []],
    [
      "an address with a slash behind it",
      of("gitlab", { baseUrl: "https://git.example/" }),
      true,
      "s",
      ["gitlab.base_url"],
    ],
    ["what is no address", of("github", { baseUrl: "git.example" }), true, "s", ["github.base_url"]],
    ["tenants", of("entra"), true, "s", []],
    ["any tenant, without accounts for its people", of("entra", { tenants: ["*"] }), false, "s", []],
    [
      "any tenant, and accounts for all of its people",
      of("entra", { tenants: ["*"] }),
      true,
      "s",
      ["entra.tenants"],
    ],
    ["any tenant besides others", of("entra", { tenants: [tenant, "*"] }), false, "s", ["entra.tenants"]],
    ["a key", of("apple"), true, pemOf("P-256"), []],
    ["the key that is stored", of("apple"), true, "", []],
    ["a key of another curve", of("apple"), true, pemOf("P-384"), ["apple.private_key"]],
    ["what is no key", of("apple"), true, "-----BEGIN PRIVATE KEY-----", ["apple.private_key"]],
  ])("has %s", (_name, settings, autoRegister, secret, fields) => {
    expect(checkTemplate(settings, { autoRegister, secret }).map(({ field }) => field)).toEqual(fields);
  });

  test("has the address that everybody knows as its issuer, and that of all tenants for Entra", () => {
    const templates = ["google", "entra", "github", "gitlab", "apple"] as const;
    expect(templates.map((template) => toStoredTemplate(of(template), "").issuer)).toEqual([
      "https://accounts.google.com",
      "https://login.microsoftonline.com/{tenantid}/v2.0",
      "https://github.com",
      "https://gitlab.com",
      "https://appleid.apple.com",
    ]);
  });

  test.each([
    [of("entra"), `${tenant}/sub`, true],
    [of("entra"), `${tenant}0/sub`, false],
    [of("entra"), "sub", false],
    [of("entra", { tenants: ["*"] }), "any/sub", true],
    [of("google"), "sub", true],
  ])("lets people come from the tenants of %j: %s", (settings, subject, may) => {
    expect(mayComeFrom(settings, subject)).toBe(may);
  });
});

/** Adds a provider with the secret "first", and returns what changes it and what looks at the secret. */
async function addProvider(settings: TemplateSettings) {
  const call = callAs(await fixture.addOrganization());
  const named = identityProviderSettings({ name: "Known" });
  const { id } = await commands.add(call, named, {
    kind: "template",
    ...settings,
    secret: new Secret("first"),
  });
  const read = async () => {
    const { config } = await commands.get(call, id);
    if (config.kind !== "template") throw new Error("it has changed its kind");
    return config;
  };
  return {
    read,
    async update(changed: TemplateSettings, secret?: string) {
      const config = {
        kind: "template",
        ...changed,
        secret: secret === undefined ? undefined : new Secret(secret),
      } as const;
      return await commands.update(call, id, { settings: named, config });
    },
    async isStored(secretId: string) {
      return (await fixture.context.database.read((tx) => findSecret(tx, secretId))) !== undefined;
    },
  };
}

describe("the secret", () => {
  test("stays when another setting changes", async () => {
    const provider = await addProvider(of("github"));
    const { secretId } = await provider.read();
    await provider.update(of("github", { clientId: "other" }));
    expect(await provider.read()).toMatchObject({ clientId: "other", secretId });
    expect(await provider.isStored(secretId)).toBe(true);
  });

  test("goes to no other address", async () => {
    const provider = await addProvider(of("gitlab"));
    const { secretId } = await provider.read();
    const moved = of("gitlab", { baseUrl: "https://attacker.example" });
    await expect(provider.update(moved)).rejects.toMatchObject({ reason: "FIELD_INVALID" });
    await provider.update(moved, "first");
    expect((await provider.read()).secretId).not.toBe(secretId);
    expect(await provider.isStored(secretId)).toBe(false);
  });
});

test("a provider does not become another one", async () => {
  const provider = await addProvider(of("github"));
  await expect(provider.update(of("gitlab"), "first")).rejects.toMatchObject({ reason: "WRONG_KIND" });
  await expect(provider.update(of("gitlab"))).rejects.toMatchObject({ reason: "WRONG_KIND" });
});
