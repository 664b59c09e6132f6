import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import type { OrganizationId } from "../../../src/kernel/base/ids.ts";
import { findSecret } from "../../../src/kernel/events/secret-store.ts";
import {
  createIdentityProviderCommands,
  type IdentityProviderCommands,
} from "../../../src/identity/providers/commands.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { identityProviderSettings, jwtConfig, jwtSource, oidcConfig } from "../../support/samples.ts";

const source = jwtSource();
const jwt = jwtConfig();
const oidcWith = (clientSecret: string, scopes: readonly string[] = []) => oidcConfig(clientSecret, scopes);
const named = (name: string) => identityProviderSettings({ name });

let fixture: FeatureFixture;
let commands: IdentityProviderCommands;
let organization: OrganizationId;

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createIdentityProviderCommands(fixture.context);
});

beforeEach(async () => {
  organization = await fixture.addOrganization();
});

afterAll(() => fixture.close());

describe("add", () => {
  test("stores a JWT identity provider as it was sent", async () => {
    const { id, details } = await commands.add(callAs(organization), named(" Name "), jwt);
    expect(details.creationDate).toBe(details.sequence);
    expect(await commands.get(callAs(organization), id)).toEqual({
      id,
      details: { ...details, resourceOwner: organization },
      state: "ACTIVE",
      ...named(" Name "),
      config: jwt,
    });
  });

  test("stores an OIDC identity provider with each scope once, in the order in which it came first", async () => {
    const config = oidcWith("s", ["openid", "email", "openid", "profile", "email"]);
    const { id } = await commands.add(callAs(organization), named("n"), config);
    expect((await commands.get(callAs(organization), id)).config).toEqual({
      kind: "oidc",
      clientId: "client",
      clientSecretId: `client-secret:${id}`,
      issuer: "https://idp.example.com",
      scopes: ["openid", "email", "profile"],
      displayNameMapping: "OIDC_MAPPING_FIELD_EMAIL",
      usernameMapping: "OIDC_MAPPING_FIELD_PREFERRED_USERNAME",
    });
  });

  test("keeps the client secret encrypted and nowhere else", async () => {
    const canary = "canary-0a9c1f77";
    const { id } = await commands.add(callAs(organization), named("n"), oidcWith(canary));
    const sealed = await fixture.database.read((tx) => findSecret(tx, `client-secret:${id}`));
    const { keyring } = fixture.context;
    expect(sealed).toBeDefined();
    expect(Buffer.from(keyring.decrypt("client-secret", sealed!, `client-secret:${id}`)).toString()).toBe(
      canary,
    );
    expect(JSON.stringify(await fixture.events(id))).not.toContain(canary);
    expect(JSON.stringify(await commands.get(callAs(organization), id))).not.toContain(canary);
    expect((await fixture.place.bytes()).includes(id)).toBe(true);
    expect((await fixture.place.bytes()).includes(canary)).toBe(false);
    expect((await fixture.place.bytes()).includes(Buffer.from(canary).toString("base64"))).toBe(false);
  });

  test("ties the ciphertext to its identity provider", async () => {
    const { id } = await commands.add(callAs(organization), named("n"), oidcWith("s"));
    const sealed = await fixture.database.read((tx) => findSecret(tx, `client-secret:${id}`));
    expect(() => fixture.context.keyring.decrypt("client-secret", sealed!, "client-secret:1")).toThrow();
  });

  test("records only the id of the client secret", async () => {
    const { id } = await commands.add(callAs(organization), named("n"), oidcWith("s", ["b", "a"]));
    expect(await fixture.events(id)).toMatchObject([
      {
        type: "identity_provider.added",
        resource_owner: organization,
        editor: "1",
        payload: {
          name: "n",
          styling_type: "STYLING_TYPE_GOOGLE",
          auto_register: true,
          oidc: {
            client_id: "client",
            client_secret_id: `client-secret:${id}`,
            issuer: "https://idp.example.com",
            scopes: ["b", "a"],
            display_name_mapping: "OIDC_MAPPING_FIELD_EMAIL",
            username_mapping: "OIDC_MAPPING_FIELD_PREFERRED_USERNAME",
          },
        },
      },
    ]);
  });

  test("refuses a name that counts as the same in the organization, of either kind", async () => {
    await commands.add(callAs(organization), named("Straße"), jwt);
    const secrets = () => fixture.database.read((tx) => tx.all("SELECT id FROM secrets"));
    const before = await secrets();
    await expect(commands.add(callAs(organization), named(" STRASSE "), oidcWith("s"))).rejects.toMatchObject(
      {
        kind: "already-exists",
        reason: "ALREADY_EXISTS",
        resource: { type: "identity_provider", name: " STRASSE " },
      },
    );
    expect(await secrets()).toEqual(before);
  });

  test("allows the same name in another organization", async () => {
    await commands.add(callAs(organization), named("n"), jwt);
    const other = await fixture.addOrganization();
    const { details } = await commands.add(callAs(other), named("n"), jwt);
    expect(details.resourceOwner).toBe(other);
  });

  test("adds exactly one of many with the same name that arrive at once", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => commands.add(callAs(organization), named("n"), jwt)),
    );
    expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
  });
});

describe("get", () => {
  test("answers NOT_FOUND for another organization's, an unknown and an ill-formed id", async () => {
    const { id } = await commands.add(callAs(organization), named("n"), jwt);
    const other = callAs(await fixture.addOrganization());
    for (const [call, asked] of [
      [other, id],
      [callAs(organization), "4711"],
      [callAs(organization), "%' --"],
    ] as const) {
      await expect(commands.get(call, asked)).rejects.toMatchObject({
        kind: "not-found",
        reason: "NOT_FOUND",
        resource: { type: "identity_provider", name: asked },
      });
    }
  });
});

describe("updateJwt", () => {
  const changed = {
    jwtEndpoint: "https://new.example.com/jwt",
    issuer: "new",
    keysEndpoint: "https://new.example.com/keys",
    headerName: "",
  };

  test("replaces the four fields and leaves name, styling, auto_register and audiences", async () => {
    const added = await commands.add(callAs(organization), named("n"), jwt);
    const details = await commands.updateJwt(callAs(organization), added.id, changed);
    expect(details.sequence).toBeGreaterThan(added.details.sequence);
    expect(await commands.get(callAs(organization), added.id)).toEqual({
      id: added.id,
      details: { ...details, creationDate: added.details.creationDate },
      state: "ACTIVE",
      ...named("n"),
      config: { kind: "jwt", ...changed, audiences: ["a", "b"] },
    });
  });

  test("records the four fields and no more", async () => {
    const { id } = await commands.add(callAs(organization), named("n"), jwt);
    await commands.updateJwt(callAs(organization), id, changed);
    expect((await fixture.events(id))[1]).toMatchObject({ type: "identity_provider.jwt.changed" });
    expect((await fixture.events(id))[1]?.payload).toEqual({
      jwt_endpoint: changed.jwtEndpoint,
      issuer: "new",
      keys_endpoint: changed.keysEndpoint,
      header_name: "",
    });
  });

  test("records nothing and answers the stored details when nothing changes", async () => {
    const { id, details } = await commands.add(callAs(organization), named("n"), jwt);
    fixture.clock.turn(1000);
    expect(await commands.updateJwt(callAs(organization), id, source)).toEqual(details);
    expect(await fixture.events(id)).toHaveLength(1);
  });

  test("refuses an OIDC identity provider as one of the wrong kind", async () => {
    const { id } = await commands.add(callAs(organization), named("n"), oidcWith("s"));
    await expect(commands.updateJwt(callAs(organization), id, source)).rejects.toMatchObject({
      kind: "precondition",
      reason: "WRONG_KIND",
    });
    expect(await fixture.events(id)).toHaveLength(1);
  });
});

describe("list", () => {
  let call: Call;
  beforeEach(() => {
    call = callAs(organization);
  });

  async function list(filter: Partial<Parameters<IdentityProviderCommands["list"]>[1]> = {}) {
    const page = { pageSize: 0, pageToken: "", countTotal: true };
    const answer = await commands.list(call, { name: "", state: undefined, ...filter }, page);
    const { items, totalResult: total } = answer.page;
    return { items, names: items.map(({ name }) => name), total };
  }

  test("gives the providers of the organization as get does, oldest first, and counts them", async () => {
    const ids = [];
    for (const name of ["C", "A", "B"])
      ids.push((await commands.add(call, named(name), name === "A" ? oidcWith("s") : jwt)).id);
    await commands.add(callAs(await fixture.addOrganization()), named("D"), jwt);
    const { items, total } = await list();
    expect(items).toEqual(await Promise.all(ids.map((id) => commands.get(call, id))));
    expect(total).toBe(3);
  });

  test("is narrowed by name, compared as unique names are, and by state", async () => {
    for (const name of ["A", "B", "C"]) {
      const { id } = await commands.add(call, named(name), jwt);
      await (name === "B" ? commands.deactivate(call, id) : commands.reactivate(call, id));
    }
    expect(await list({ name: " b " })).toMatchObject({ names: ["B"], total: 1 });
    expect(await list({ state: "ACTIVE" })).toMatchObject({ names: ["A", "C"], total: 2 });
    expect(await list({ state: "INACTIVE" })).toMatchObject({ names: ["B"], total: 1 });
    expect(await list({ name: "A", state: "INACTIVE" })).toMatchObject({ names: [], total: 0 });
    expect(await list({ name: "D" })).toMatchObject({ names: [], total: 0 });
  });
});
