import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { findSecret } from "../../../src/kernel/events/secret-store.ts";
import {
  type ChangedConfig,
  createIdentityProviderCommands,
  type IdentityProviderCommands,
  type NewConfig,
} from "../../../src/identity/providers/commands.ts";
import type { OidcProviderSettings } from "../../../src/identity/providers/oidc.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { identityProviderSettings, jwtConfig, oidcConfig } from "../../support/samples.ts";

const jwt = jwtConfig();
const oidc = (clientSecret: string, changes: Partial<OidcProviderSettings> = {}): NewConfig => ({
  ...oidcConfig(clientSecret, ["openid", "email"]),
  ...changes,
});
const oidcKeeping = (
  changes: Partial<OidcProviderSettings> = {},
): ChangedConfig & { readonly kind: "oidc" } => ({
  ...oidcConfig("", ["openid", "email"]),
  clientSecret: undefined,
  ...changes,
});
const named = (name: string) => identityProviderSettings({ name });

let fixture: FeatureFixture;
let commands: IdentityProviderCommands;
let organization: OrganizationId;
let call: Call;

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createIdentityProviderCommands(fixture.context);
});

beforeEach(async () => {
  organization = await fixture.addOrganization();
  call = callAs(organization);
});

afterAll(() => fixture.close());

async function secretIdOf(id: string): Promise<string> {
  const { config } = await commands.get(call, id);
  if (config.kind !== "oidc") throw new Error("it has no client secret");
  return config.clientSecretId;
}

/** Returns the text of a stored secret; undefined when there is none. */
async function textOf(secretId: string): Promise<string | undefined> {
  const sealed = await fixture.database.read((tx) => findSecret(tx, secretId));
  if (sealed === undefined) return undefined;
  return Buffer.from(fixture.context.keyring.decrypt("client-secret", sealed, secretId)).toString();
}

const typesOf = async (id: string) => (await fixture.events(id)).map(({ type }) => type);

describe("update", () => {
  test("replaces name, styling, auto_register and the configuration of a JWT provider", async () => {
    const { id, details } = await commands.add(call, named("old"), jwt);
    const settings = { name: "new", stylingType: "STYLING_TYPE_UNSPECIFIED", autoRegister: false };
    const config = { ...jwt, issuer: "else", headerName: "", audiences: [] };
    const updated = await commands.update(call, id, { settings, config });
    expect(updated.sequence).toBeGreaterThan(details.sequence);
    expect(await commands.get(call, id)).toEqual({
      id,
      details: { ...details, sequence: updated.sequence },
      state: "ACTIVE",
      ...settings,
      config,
    });
    expect((await fixture.events(id))[1]).toMatchObject({
      type: "identity_provider.changed",
      resource_owner: organization,
      payload: { name: "new", jwt: { issuer: "else", audiences: [] } },
    });
  });

  test("replaces the configuration of an OIDC provider, and keeps the client secret that it has", async () => {
    const { id } = await commands.add(call, named("n"), oidc("first"));
    const secretId = await secretIdOf(id);
    const config = oidcKeeping({ clientId: "other", scopes: ["b", "a", "b"] });
    await commands.update(call, id, { settings: named("n"), config });
    const { clientSecret: _kept, ...settings } = config;
    expect((await commands.get(call, id)).config).toEqual({
      ...settings,
      clientSecretId: secretId,
      scopes: ["b", "a"],
    });
    expect(await textOf(secretId)).toBe("first");
  });

  test("puts a new client secret in place of the old one, which is destroyed, under an id of its own", async () => {
    const { id } = await commands.add(call, named("n"), oidc("first"));
    const ids = [await secretIdOf(id)];
    for (const text of ["second", "first"]) {
      await commands.update(call, id, { settings: named("n"), config: oidc(text) });
      const secretId = await secretIdOf(id);
      expect(await textOf(secretId)).toBe(text);
      for (const old of ids) expect(await textOf(old)).toBeUndefined();
      expect(ids).not.toContain(secretId);
      ids.push(secretId);
    }
    expect(await typesOf(id)).toHaveLength(3);
  });

  test("keeps a new client secret encrypted and nowhere else", async () => {
    const canary = "canary-5b1d0e93";
    const { id } = await commands.add(call, named("n"), oidc("first"));
    await commands.update(call, id, { settings: named("n"), config: oidc(canary) });
    expect(JSON.stringify(await fixture.events(id))).not.toContain(canary);
    expect(JSON.stringify(await commands.get(call, id))).not.toContain(canary);
    expect((await fixture.place.bytes()).includes(await secretIdOf(id))).toBe(true);
    expect((await fixture.place.bytes()).includes(canary)).toBe(false);
  });

  test("records nothing when nothing changes, the client secret that is sent included", async () => {
    const first = await commands.add(call, named("jwt"), jwt);
    const second = await commands.add(call, named("oidc"), oidc("secret"));
    const secretId = await secretIdOf(second.id);
    fixture.clock.turn(1000);
    expect(await commands.update(call, first.id, { settings: named("jwt"), config: jwt })).toEqual(
      first.details,
    );
    for (const config of [
      oidc("secret"),
      oidcKeeping(),
      oidcKeeping({ scopes: ["openid", "email", "openid"] }),
    ])
      expect(await commands.update(call, second.id, { settings: named("oidc"), config })).toEqual(
        second.details,
      );
    expect(await secretIdOf(second.id)).toBe(secretId);
    expect([await typesOf(first.id), await typesOf(second.id)]).toEqual([
      ["identity_provider.added"],
      ["identity_provider.added"],
    ]);
  });

  test("sends the stored client secret to no other issuer: it has to come again", async () => {
    const { id } = await commands.add(call, named("n"), oidc("first"));
    const before = await commands.get(call, id);
    const { issuer } = oidcKeeping();
    for (const other of ["https://attacker.example", `${issuer}/`, issuer.replace("https", "HTTPS")])
      await expect(
        commands.update(call, id, { settings: named("x"), config: oidcKeeping({ issuer: other }) }),
      ).rejects.toMatchObject({
        kind: "invalid",
        reason: "FIELD_INVALID",
        violations: [{ field: "oidc.client_secret" }],
      });
    expect(await commands.get(call, id)).toEqual(before);
    expect(await textOf(await secretIdOf(id))).toBe("first");
    // The same one may come again: it is stored under another id, so that nobody learns by it whether it is the same.
    const secretId = await secretIdOf(id);
    const config = { ...oidc("first"), issuer: `${issuer}/` };
    await commands.update(call, id, { settings: named("n"), config });
    expect(await secretIdOf(id)).not.toBe(secretId);
    expect([await textOf(secretId), await textOf(await secretIdOf(id))]).toEqual([undefined, "first"]);
  });

  test("makes a new secret for one that differs by a letter or by its length", async () => {
    const { id } = await commands.add(call, named("n"), oidc("secret"));
    for (const text of ["secreT", "secretT", "secre", "sécret"]) {
      await commands.update(call, id, { settings: named("n"), config: oidc(text) });
      expect(await textOf(await secretIdOf(id))).toBe(text);
    }
    expect(await typesOf(id)).toHaveLength(5);
  });

  test("refuses the other kind, and records nothing", async () => {
    const first = await commands.add(call, named("jwt"), jwt);
    const second = await commands.add(call, named("oidc"), oidc("secret"));
    for (const [{ id }, config] of [
      [first, oidc("secret")],
      [first, oidcKeeping()],
      [second, jwt],
    ] as const) {
      await expect(commands.update(call, id, { settings: named("x"), config })).rejects.toMatchObject({
        kind: "precondition",
        reason: "WRONG_KIND",
      });
      expect(await typesOf(id)).toHaveLength(1);
    }
    expect(await textOf(await secretIdOf(second.id))).toBe("secret");
  });

  test("refuses a name that another provider of the organization has, and changes no secret", async () => {
    await commands.add(call, named("Straße"), jwt);
    const { id } = await commands.add(call, named("n"), oidc("secret"));
    const change = { settings: named(" STRASSE "), config: oidc("other") };
    await expect(commands.update(call, id, change)).rejects.toMatchObject({
      kind: "already-exists",
      resource: { type: "identity_provider", name: " STRASSE " },
    });
    expect(await textOf(await secretIdOf(id))).toBe("secret");
  });

  test("takes its own name in another form, and that of another organization", async () => {
    const { id } = await commands.add(call, named("Name"), jwt);
    const other = await fixture.addOrganization();
    await commands.add(callAs(other), named("taken there"), jwt);
    for (const name of [" NAME ", "taken there"]) {
      await commands.update(call, id, { settings: named(name), config: jwt });
      expect((await commands.get(call, id)).name).toBe(name);
    }
  });

  test("frees the name that the provider had", async () => {
    const { id } = await commands.add(call, named("old"), jwt);
    await commands.update(call, id, { settings: named("new"), config: jwt });
    await commands.add(call, named("OLD"), jwt);
    await expect(commands.add(call, named("NEW"), jwt)).rejects.toMatchObject({ reason: "ALREADY_EXISTS" });
  });
});

describe("deactivate and reactivate", () => {
  test("take a provider out of use and into use again, and record nothing in the same state", async () => {
    const added = await commands.add(call, named("n"), jwt);
    const { id } = added;
    expect(await commands.reactivate(call, id)).toEqual(added.details);
    const stopped = await commands.deactivate(call, id);
    expect(await commands.deactivate(call, id)).toEqual(stopped);
    expect(await commands.get(call, id)).toMatchObject({ state: "INACTIVE", details: stopped });
    const started = await commands.reactivate(call, id);
    expect(await commands.get(call, id)).toMatchObject({ state: "ACTIVE", details: started });
    expect(await typesOf(id)).toEqual([
      "identity_provider.added",
      "identity_provider.deactivated",
      "identity_provider.reactivated",
    ]);
  });

  test("leave an inactive provider to be changed, and inactive", async () => {
    const { id } = await commands.add(call, named("n"), jwt);
    await commands.deactivate(call, id);
    await commands.update(call, id, { settings: named("m"), config: jwt });
    expect(await commands.get(call, id)).toMatchObject({ state: "INACTIVE", name: "m" });
  });
});

describe("remove", () => {
  test("removes the provider with its client secret, and frees its name", async () => {
    const { id, details } = await commands.add(call, named("n"), oidc("first"));
    await commands.update(call, id, { settings: named("n"), config: oidc("second") });
    const secretId = await secretIdOf(id);
    const removed = await commands.remove(call, id);
    expect(removed.details).toEqual({ ...details, sequence: removed.details.sequence });
    expect(await textOf(secretId)).toBeUndefined();
    await expect(commands.get(call, id)).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await expect(commands.remove(call, id)).rejects.toMatchObject({ reason: "NOT_FOUND" });
    await commands.add(call, named("N"), jwt);
  });

  test("happens with the removal of the organization, secrets included, and with no other", async () => {
    const other = callAs(await fixture.addOrganization());
    const gone = await commands.add(call, named("n"), oidc("gone"));
    await commands.add(call, named("m"), jwt);
    const kept = await commands.add(other, named("n"), oidc("kept"));
    const secretId = await secretIdOf(gone.id);
    await fixture.record({
      type: "organization.removed",
      aggregateId: organization,
      resourceOwner: organization,
      payload: {},
    });
    expect(await textOf(secretId)).toBeUndefined();
    expect(await textOf(`client-secret:${kept.id}`)).toBe("kept");
    await expect(commands.get(call, gone.id)).rejects.toMatchObject({ reason: "NOT_FOUND" });
    expect((await commands.get(other, kept.id)).name).toBe("n");
  });
});
