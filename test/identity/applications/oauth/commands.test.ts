import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { outcomeOf } from "../../../support/problems.ts";
import type { Call } from "../../../../src/kernel/base/call.ts";
import { type OrganizationId, type ProjectId, toId } from "../../../../src/kernel/base/ids.ts";
import { findSecret } from "../../../../src/kernel/events/secret-store.ts";
import {
  type ApplicationCommands,
  createApplicationCommands,
} from "../../../../src/identity/applications/commands.ts";
import { applicationSecretHashId } from "../../../../src/identity/applications/oauth/oauth-application.ts";
import type { ApplicationName } from "../../../../src/identity/applications/application/application.ts";
import { createOrganizationCommands } from "../../../../src/identity/organizations/commands.ts";
import { createProjectCommands } from "../../../../src/identity/projects/commands.ts";
import { listApplicationVerificationKeys } from "../../../../src/identity/applications/keys/repository.ts";
import type { OidcSettings } from "../../../../src/identity/applications/oidc/oidc-application.ts";
import type { MetadataSource } from "../../../../src/identity/applications/saml/metadata-source.ts";
import { hashToken } from "../../../../src/identity/programs/tokens/token.ts";
import { maxKeys } from "../../../../src/identity/client-keys/client-key.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { apiSettings, oidcSettings, projectSettings } from "../../../support/samples.ts";
import { publicKeySample } from "../../../support/world.ts";

const page = { pageSize: 0, pageToken: "", countTotal: true };
const noSource = {} as MetadataSource; // no SAML application is made here
let fixture: FeatureFixture;
let commands: ApplicationCommands;
let organization: OrganizationId;
let projectId: ProjectId;
let call: Call;
let counter = 0;

beforeAll(async () => {
  fixture = await openFeatureFixture();
  commands = createApplicationCommands(fixture.context, noSource);
  organization = await fixture.addOrganization();
  call = callAs(organization);
});
beforeEach(async () => {
  projectId = await fixture.addProject(organization);
});
afterAll(() => fixture.close());

const createOidc = async (settings: Partial<OidcSettings> = {}, by = call) => {
  const name = `app ${counter++}`;
  const added = await commands.createOidc(by, { projectId, name, settings: oidcSettings(settings) });
  return { ...added, asked: { projectId, applicationId: added.id } };
};
const createApi = async (authMethodType: "BASIC" | "PRIVATE_KEY_JWT" = "BASIC") => {
  const name = `api ${counter++}`;
  const added = await commands.createApi(call, {
    projectId,
    name,
    settings: apiSettings({ authMethodType }),
  });
  return { ...added, asked: { projectId, applicationId: added.id } };
};
const typesOf = async (id: string) => (await fixture.events(id)).map(({ type }) => type);
const secretIdsOf = async (id: string) =>
  (await fixture.events(id)).flatMap(({ payload }) => (payload as { secret_id?: string }).secret_id ?? []);
const hashOf = (secretId: string | undefined) =>
  fixture.database.read((tx) => findSecret(tx, applicationSecretHashId(secretId ?? "")));

describe("a client secret", () => {
  test("is random, and only its hash is stored, in no event", async () => {
    const { id, secret } = await createOidc();
    expect(secret?.reveal()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const [secretId] = await secretIdsOf(id);
    expect((await hashOf(secretId))?.value).toEqual(new Uint8Array(hashToken(secret?.reveal() ?? "")));
    expect(JSON.stringify(await fixture.events(id))).not.toContain(secret?.reveal());
    expect((await createApi()).secret?.reveal()).not.toBe(secret?.reveal());
  });

  test.each(["NONE", "PRIVATE_KEY_JWT"] as const)("is not made for the method %s", async (authMethodType) => {
    const { id, secret, asked } = await createOidc({ authMethodType });
    expect(secret).toBeUndefined();
    expect(await typesOf(id)).toEqual(["application.oidc.added"]);
    expect(await outcomeOf(commands.generateSecret(call, asked))).toBe("STATE_CONFLICT");
  });

  test("takes the place of the former one, whose hash is destroyed", async () => {
    const { id, asked } = await createApi();
    const { details } = await commands.generateSecret(call, asked);
    const [former, present] = await secretIdsOf(id);
    expect(await hashOf(former)).toBeUndefined();
    expect(await hashOf(present)).toBeDefined();
    expect((await commands.get(call, asked)).details).toEqual(details);
  });

  test("goes with a change to a method without one, and is kept by any other change", async () => {
    const { id, asked } = await createOidc();
    const [secretId] = await secretIdsOf(id);
    await commands.updateOidc(call, asked, oidcSettings({ authMethodType: "POST" }));
    expect(await hashOf(secretId)).toBeDefined();
    await commands.updateOidc(call, asked, oidcSettings({ authMethodType: "NONE" }));
    expect(await hashOf(secretId)).toBeUndefined();
    expect((await typesOf(id)).slice(-2)).toEqual([
      "application.oidc.changed",
      "application.oidc.secret.removed",
    ]);
    const api = await createApi();
    await commands.updateApi(call, api.asked, apiSettings({ authMethodType: "PRIVATE_KEY_JWT" }));
    expect(await hashOf((await secretIdsOf(api.id))[0])).toBeUndefined();
  });

  test("goes with its application, and with its project", async () => {
    const [one, other] = [await createOidc(), await createApi()];
    const ids = [...(await secretIdsOf(one.id)), ...(await secretIdsOf(other.id))];
    await commands.remove(call, one.asked);
    await fixture.record({
      type: "project.removed",
      aggregateId: projectId,
      resourceOwner: organization,
      payload: {},
    });
    expect(await Promise.all(ids.map(hashOf))).toEqual([undefined, undefined]);
  });
});

const byInstance = () =>
  callAs(organization, { held: [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }] });

test("the subject is chosen by a caller with project.app.write for the whole instance, and kept by any", async () => {
  const byOld = { subject: "IMPORTED_ID" } as const;
  expect(await outcomeOf(createOidc(byOld))).toBe("PERMISSION_DENIED");
  const { asked } = await createOidc(byOld, byInstance());
  const update = (settings: Parameters<typeof oidcSettings>[0], by: Call) =>
    outcomeOf(commands.updateOidc(by, asked, oidcSettings(settings)));
  expect(await update({ ...byOld, isDevMode: true }, call)).toBe("ok");
  expect(await update({}, call)).toBe("PERMISSION_DENIED");
  expect(await update({}, byInstance())).toBe("ok");
  expect(await update(byOld, call)).toBe("PERMISSION_DENIED");
});

describe("api_access", () => {
  test("is set by nobody but who holds project.app.write for the whole instance", async () => {
    expect(await outcomeOf(createOidc({ apiAccess: true }))).toBe("PERMISSION_DENIED");
    const { asked } = await createOidc();
    const update = (apiAccess: boolean, by: Call, isDevMode = false) =>
      outcomeOf(commands.updateOidc(by, asked, oidcSettings({ apiAccess, isDevMode })));
    expect(await update(true, call)).toBe("PERMISSION_DENIED");
    expect(await update(true, byInstance())).toBe("ok");
    expect(await update(true, call)).toBe("ok"); // nothing changes
    // S4: its owner may take it away, and change nothing with it: each other setting decides who gets the tokens.
    expect(await update(true, call, true)).toBe("PERMISSION_DENIED");
    expect(await update(false, call, true)).toBe("PERMISSION_DENIED");
    expect(await update(true, byInstance(), true)).toBe("ok");
    expect(await update(false, call, true)).toBe("ok");
    expect(await update(false, call)).toBe("ok");
    expect((await createOidc({ apiAccess: true }, byInstance())).secret).toBeDefined();
  });

  const publicKey = new Uint8Array(Buffer.from(publicKeySample));
  const guarded: Readonly<Record<string, (by: Call, asked: ApplicationName) => Promise<unknown>>> = {
    "makes its secret": (by, asked) => commands.generateSecret(by, asked),
    "adds a key": (by, asked) => commands.addKey(by, asked, { expirationMs: undefined, publicKey }),
    "renames it": (by, asked) => commands.rename(by, asked, `renamed ${counter++}`),
    "reactivates it": async (by, asked) => {
      await commands.deactivate(call, asked);
      await commands.reactivate(by, asked);
    },
  };
  test.each(Object.keys(guarded))(
    "keeps those out whom only the project trusts: nobody else %s",
    async (what) => {
      const { asked, id } = await createOidc({ apiAccess: true }, byInstance());
      const plain = await createOidc();
      const act = async (by: Call, of = asked) => await outcomeOf(Promise.resolve(guarded[what]?.(by, of)));
      await commands.deactivate(call, asked); // what takes trust away is free
      await commands.reactivate(byInstance(), asked);
      const before = await typesOf(id);
      expect(await act(call)).toBe("PERMISSION_DENIED");
      expect((await typesOf(id)).filter((type) => !type.endsWith("deactivated"))).toEqual(
        before.filter((type) => !type.endsWith("deactivated")),
      );
      expect(await act(byInstance())).toBe("ok");
      expect(await act(call, plain.asked)).toBe("ok");
    },
  );

  test("does not keep anybody from removing a key or the application", async () => {
    const { asked, id } = await createOidc({ apiAccess: true }, byInstance());
    const key = await commands.addKey(byInstance(), asked, { expirationMs: undefined, publicKey });
    await commands.removeKey(call, asked, key.id);
    await commands.remove(call, asked);
    expect((await typesOf(id)).slice(-2)).toEqual(["application.key.removed", "application.removed"]);
  });

  test("guards the project, and the organization, that it is in", async () => {
    const projects = createProjectCommands(fixture.context);
    const organizations = createOrganizationCommands(fixture.context, toId("1"));
    const home = await fixture.addOrganization();
    projectId = await fixture.addProject(home);
    const owner = callAs(home);
    const instance = callAs(home, { held: [{ scope: { kind: "instance" }, roles: ["INSTANCE_OWNER"] }] });
    const update = (by: Call, name: string) =>
      outcomeOf(projects.update(by, projectId, projectSettings({ name, hasProjectCheck: true })));
    const reactivate = async (by: Call) => {
      await projects.deactivate(owner, projectId);
      const ofProject = await outcomeOf(projects.reactivate(by, projectId));
      await projects.reactivate(instance, projectId);
      const event = { aggregateId: home, resourceOwner: home, payload: {} };
      await fixture.record({ type: "organization.deactivated", ...event });
      const ofOrganization = await outcomeOf(organizations.reactivate(by));
      await organizations.reactivate(instance);
      return [ofProject, ofOrganization];
    };
    expect(await update(owner, "one")).toBe("ok");
    const { asked } = await createOidc({ apiAccess: true }, instance);
    await createOidc({ redirectUris: ['https://a.example/cb?"api_access":true'] }, owner);
    await commands.deactivate(owner, asked);
    expect(await update(owner, "one")).toBe("ok"); // nothing changes
    expect(await update(owner, "two")).toBe("PERMISSION_DENIED");
    expect(await update(instance, "two")).toBe("ok");
    expect(await reactivate(owner)).toEqual(["PERMISSION_DENIED", "PERMISSION_DENIED"]);
    expect(await reactivate(instance)).toEqual(["ok", "ok"]);
    await commands.remove(owner, asked);
    expect(await update(owner, "three")).toBe("ok");
    expect(await reactivate(owner)).toEqual(["ok", "ok"]);
  });
});

describe("an application of another kind", () => {
  test("is refused by the calls of each kind", async () => {
    const [oidc, api] = [await createOidc(), await createApi()];
    const source = { metadataXml: new Uint8Array(), metadataUrl: "https://sp.example/metadata" };
    expect(await outcomeOf(commands.updateApi(call, oidc.asked, apiSettings()))).toBe("WRONG_KIND");
    expect(await outcomeOf(commands.updateOidc(call, api.asked, oidcSettings()))).toBe("WRONG_KIND");
    expect(await outcomeOf(commands.updateSaml(call, api.asked, source))).toBe("WRONG_KIND");
  });

  test("shares names and states with the others", async () => {
    const { asked } = await createOidc();
    const { name } = await commands.get(call, asked);
    const taken = { projectId, name: name.toUpperCase(), settings: apiSettings() };
    expect(await outcomeOf(commands.createApi(call, taken))).toBe("ALREADY_EXISTS");
    await commands.rename(call, asked, "renamed");
    await commands.deactivate(call, asked);
    expect(await commands.get(call, asked)).toMatchObject({
      name: "renamed",
      state: "INACTIVE",
      kind: "oidc",
    });
    await createApi();
    const { items } = (await commands.list(call, { projectId, state: "ACTIVE" }, page)).page;
    expect(items).toMatchObject([{ kind: "api", api: { authMethodType: "BASIC" } }]);
  });
});

describe("a key of an application", () => {
  const add = (
    asked: { projectId: string; applicationId: string },
    fields: { readonly expirationMs?: number; readonly publicKey?: Uint8Array } = {},
  ) =>
    commands.addKey(call, asked, {
      expirationMs: fields.expirationMs,
      publicKey: fields.publicKey ?? publicKeySample,
    });

  test("that the service makes is handed over once, in the form of ZITADEL", async () => {
    const { asked, id } = await createApi("PRIVATE_KEY_JWT");
    const { id: keyId, file } = await add(asked, { publicKey: new Uint8Array() });
    const read = JSON.parse(file?.reveal() ?? "") as Record<string, string>;
    expect(read).toEqual({
      type: "application",
      keyId,
      key: expect.stringMatching(/^-----BEGIN RSA PRIVATE KEY-----/),
      clientId: id,
      appId: id,
    });
  });

  test("has details of its own, verifies until it expires, and is gone when it is removed", async () => {
    const { asked, id, details: before } = await createOidc();
    const nowMs = fixture.clock.nowMs();
    const { id: keyId, details } = await add(asked, { expirationMs: nowMs + 1000 });
    expect(await commands.getKey(call, asked, keyId)).toEqual({
      id: keyId,
      details,
      expirationMs: nowMs + 1000,
    });
    expect((await commands.listKeys(call, asked, page)).page).toMatchObject({
      items: [{ id: keyId }],
      totalResult: 1,
    });
    expect((await commands.get(call, asked)).details).toEqual(before);
    const verifying = (atMs: number) =>
      fixture.database.read((tx) => listApplicationVerificationKeys(tx, id, atMs));
    expect((await verifying(nowMs + 999)).map((key) => key.id)).toEqual([keyId]);
    expect(await verifying(nowMs + 1000)).toEqual([]);
    await commands.removeKey(call, asked, keyId);
    expect(await verifying(nowMs)).toEqual([]);
    expect(await outcomeOf(commands.getKey(call, asked, keyId))).toBe("NOT_FOUND");
  });

  test("is no key of another application", async () => {
    const [mine, theirs] = [await createOidc(), await createApi()];
    const { id } = await add(theirs.asked);
    expect(await outcomeOf(commands.getKey(call, mine.asked, id))).toBe("NOT_FOUND");
    expect(await outcomeOf(commands.removeKey(call, mine.asked, id))).toBe("NOT_FOUND");
    expect((await commands.listKeys(call, mine.asked, page)).page.items).toEqual([]);
  });

  test("is one of twenty at most, expired ones included, and must be one that can be used", async () => {
    const { asked } = await createOidc();
    expect(await outcomeOf(add(asked, { expirationMs: fixture.clock.nowMs() }))).toBe("FIELD_INVALID");
    expect(await outcomeOf(add(asked, { publicKey: new TextEncoder().encode("{}") }))).toBe("KEY_INVALID");
    for (let index = 0; index < maxKeys; index++) await add(asked);
    expect(await outcomeOf(add(asked))).toBe("LIMIT_REACHED");
  });
});
