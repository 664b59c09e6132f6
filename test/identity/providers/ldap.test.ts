// The password of the service account of a directory: where it is stored, and when it has to come again.
import { afterAll, describe, expect, test } from "@jest/globals";
import { findDirectorySecret } from "../../../src/identity/directories/directory-secret.ts";
import type { ChangedConfig } from "../../../src/identity/providers/commands.ts";
import { createIdentityProviderCommands } from "../../../src/identity/providers/commands.ts";
import { checkDirectory, type LdapSettings, toLdapConfig } from "../../../src/identity/providers/ldap.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { findSecret } from "../../../src/kernel/events/secret-store.ts";
import { createCertificate } from "../../kernel/outbound/certificate.ts";
import { callAs, openFeatureFixture } from "../../support/feature-fixture.ts";
import { identityProviderSettings, ldapPayload } from "../../support/samples.ts";

const fixture = await openFeatureFixture();
const commands = createIdentityProviderCommands(fixture.context);
afterAll(() => fixture.close());

const { issuer: _issuer, bindSecretId: _secret, ...plain } = toLdapConfig(ldapPayload);
const settings: LdapSettings = { ...plain, bindDn: "cn=reader,dc=example,dc=org" };
const named = identityProviderSettings({ name: "Directory" });

/** Adds a directory whose account has the password "first", and returns what changes it and what looks at the password. */
async function addDirectory() {
  const call = callAs(await fixture.addOrganization());
  const config = { kind: "ldap", ...settings, bindPassword: new Secret("first") } as const;
  const { id } = await commands.add(call, named, config);
  const read = async () => {
    const { config: stored } = await commands.get(call, id);
    if (stored.kind !== "ldap") throw new Error("it has changed its kind");
    return stored;
  };
  return {
    async update(change: Partial<LdapSettings>, bindPassword?: string) {
      const secret = bindPassword === undefined ? undefined : new Secret(bindPassword);
      const changed: ChangedConfig = { kind: "ldap", ...settings, ...change, bindPassword: secret };
      return await commands.update(call, id, { settings: named, config: changed });
    },
    read,
    async password() {
      const stored = await read();
      const { context } = fixture;
      return (await context.database.read((tx) => findDirectorySecret(context, tx, stored)))?.reveal();
    },
    async isStored(secretId: string) {
      return (await fixture.context.database.read((tx) => findSecret(tx, secretId))) !== undefined;
    },
  };
}

test("it is stored encrypted, and stays when another setting changes", async () => {
  const directory = await addDirectory();
  const { bindSecretId } = await directory.read();
  await directory.update({ baseDn: "dc=other" });
  expect(await directory.password()).toBe("first");
  expect((await directory.read()).bindSecretId).toBe(bindSecretId);
});

describe("with", () => {
  test.each([
    ["other servers", { servers: ["ldaps://dc1.example.com", "ldaps://attacker.example.com"] }],
    ["plain text", { plainText: true }],
    ["other authorities", { caCertificates: createCertificate(["a.test"]).cert }],
  ])("%s it has to come again", async (_name, change) => {
    const directory = await addDirectory();
    const { bindSecretId } = await directory.read();
    await expect(directory.update(change)).rejects.toMatchObject({ reason: "FIELD_INVALID" });
    await directory.update(change, "first");
    expect(await directory.password()).toBe("first");
    expect((await directory.read()).bindSecretId).not.toBe(bindSecretId);
    expect(await directory.isStored(bindSecretId)).toBe(false);
  });
});

test("it is destroyed with its account, and a new account needs one", async () => {
  const directory = await addDirectory();
  const { bindSecretId } = await directory.read();
  await directory.update({ bindDn: "" });
  expect([await directory.password(), await directory.isStored(bindSecretId)]).toEqual([undefined, false]);
  await expect(directory.update({})).rejects.toMatchObject({ reason: "FIELD_INVALID" });
  await expect(directory.update({ bindDn: "" }, "of nobody")).rejects.toMatchObject({
    reason: "FIELD_INVALID",
  });
});

test("the same again changes nothing, and another one replaces it", async () => {
  const directory = await addDirectory();
  const { bindSecretId } = await directory.read();
  await directory.update({}, "first");
  expect((await directory.read()).bindSecretId).toBe(bindSecretId);
  await directory.update({}, "second");
  expect([await directory.password(), await directory.isStored(bindSecretId)]).toEqual(["second", false]);
});

test.each([
  ["bind_dn", { bindDn: "reader" }],
  ["base_dn", { baseDn: "people,dc=example" }],
  ["group_base_dn", { groupBaseDn: "ou=" }],
  ["ca_certificates", { caCertificates: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" }],
  ["ca_certificates", { caCertificates: createCertificate(["a.test"]).key }],
])("%s is checked", (field, change) => {
  expect(checkDirectory("ldap.", { ...settings, ...change })).toEqual([
    expect.objectContaining({ field: `ldap.${field}` }),
  ]);
  expect(checkDirectory("ldap.", settings)).toEqual([]);
});
