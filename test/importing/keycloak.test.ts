import { beforeAll, describe, expect, test } from "@jest/globals";
import { type OrganizationId, type SecondFactorId, toId, type UserId } from "../../src/kernel/base/ids.ts";
import { findSecretHashOfUser } from "../../src/identity/programs/secrets/repository.ts";
import { hashToken } from "../../src/identity/programs/tokens/token.ts";
import { findTotpSecret } from "../../src/identity/factors/totp/repository.ts";
import { isStretched, matchesStretched } from "../../src/identity/applications/oauth/stretched-secret.ts";
import { findUserIdByImportedId } from "../../src/identity/people/user/imported-id-repository.ts";
import { openKeycloak } from "../../src/importing/keycloak/source.ts";
import { openImportGround } from "./support/import-ground.ts";

const ground = await openImportGround();
const { fixture, run, apply, rows, write } = ground;
let organization: OrganizationId;
beforeAll(async () => {
  organization = await fixture.addOrganization();
});

const otp = (value: string, data: object = {}) => ({
  type: "otp",
  secretData: JSON.stringify({ value }),
  credentialData: JSON.stringify({
    subType: "totp",
    digits: 6,
    counter: 0,
    period: 30,
    algorithm: "HmacSHA1",
    ...data,
  }),
});
// In the form of Keycloak 26.5.6, of no password.
const password = {
  type: "password",
  secretData: JSON.stringify({
    value: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
    salt: "AAECAwQFBgcICQoLDA0ODw==",
  }),
  credentialData: JSON.stringify({
    hashIterations: 5,
    algorithm: "argon2",
    additionalParameters: {
      hashLength: ["32"],
      memory: ["7168"],
      type: ["id"],
      version: ["1.3"],
      parallelism: ["1"],
    },
  }),
};
const person = (id: string, more: object = {}) => ({
  id,
  username: `name-${id}`,
  firstName: "Ada",
  lastName: "Byron",
  enabled: true,
  ...more,
});
const realm = (name: string, more: object = {}) => ({
  id: name,
  realm: name,
  roles: {
    realm: [
      { name: "reader", description: "Reads" },
      { name: "chief", composites: { realm: ["reader", "offline_access"], client: { shop: ["buyer"] } } },
      { name: `default-roles-${name}` },
    ],
    client: { shop: [{ name: "buyer" }], "realm-management": [{ name: "realm-admin" }] },
  },
  groups: [
    {
      name: `${name}-a`,
      realmRoles: ["reader"],
      subGroups: [{ name: "b", subGroups: [{ name: "c", subGroups: [] }] }],
    },
  ],
  identityProviders: [
    {
      alias: `corp-${name}`,
      providerId: "oidc",
      config: { issuer: "https://corp.example", clientId: "x", clientSecret: "y" },
    },
    { alias: "old", providerId: "saml", config: {} },
  ],
  clients: [
    {
      id: "1",
      clientId: "shop",
      secret: "changeme",
      redirectUris: ["https://a.example/cb", "https://a.example/*"],
      webOrigins: ["+"],
      implicitFlowEnabled: true,
      protocolMappers: [{ name: "shoe size" }],
    },
    {
      id: "2",
      clientId: "strong",
      secret: "k3YbQ9sT1vX7zA5cE8gI2mO4qS6uW0yB",
      redirectUris: ["/cb"],
      rootUrl: "https://b.example",
    },
    { id: "3", clientId: "page", publicClient: true, redirectUris: ["https://c.example/cb"] },
    { id: "4", clientId: "wild", redirectUris: ["*"] },
    {
      id: "5",
      clientId: `https://sp.example/&${name}`,
      protocol: "saml",
      attributes: { saml_assertion_consumer_url_post: "https://sp.example/acs?a=1&b=2" },
    },
    {
      id: "6",
      clientId: `robot-${name}`,
      secret: "k3YbQ9sT1vX7zA5cE8gI2mO4qS6uW0yB",
      standardFlowEnabled: false,
      serviceAccountsEnabled: true,
    },
    { id: "8", clientId: "nobody", standardFlowEnabled: false },
    {
      id: "9",
      clientId: `signer-${name}`,
      clientAuthenticatorType: "client-jwt",
      standardFlowEnabled: false,
      serviceAccountsEnabled: true,
    },
    { id: "7", clientId: "account" },
  ],
  ...more,
});
const open = (files: Readonly<Record<string, object | string>>, keepsSubjects = false) =>
  openKeycloak(
    write(
      Object.fromEntries(
        Object.entries(files).map(([name, value]) => [
          name,
          typeof value === "string" ? value : JSON.stringify(value),
        ]),
      ),
    ),
    { name: undefined, keepsSubjects },
  );

test("a realm becomes a project with its roles and applications, groups, providers and people", async () => {
  const users = [
    person("u1", {
      email: "u1@example.com",
      emailVerified: true,
      attributes: { locale: ["de"], shoeSize: ["38"], phoneNumber: ["+41791234567"] },
      credentials: [password, otp("the key is this text"), { type: "webauthn" }],
      requiredActions: ["UPDATE_PASSWORD", "CONFIGURE_TOTP"],
      federatedIdentities: [{ identityProvider: "corp-whole", userId: "c1", userName: "c.one" }],
      groups: ["/whole-a/b/c"],
      realmRoles: ["chief", "default-roles-whole"],
      clientRoles: { "realm-management": ["realm-admin"] },
    }),
    person("u2", {
      enabled: false,
      credentials: [otp("short"), otp("long enough, but it has 8", { digits: 8 })],
    }),
    person("u3", {
      username: "service-account-robot-whole",
      serviceAccountClientId: "robot-whole",
      realmRoles: ["chief"],
      clientRoles: { "realm-management": ["realm-admin"] },
      groups: ["/whole-a"],
    }),
    person("u4", {
      federatedIdentities: [
        { identityProvider: "corp-whole", userId: "c1" },
        { identityProvider: "old", userId: "o" },
      ],
    }),
  ];
  const { lines } = await apply(
    organization,
    await open({ "whole-realm.json": realm("whole"), "whole-users-0.json": { realm: "whole", users } }),
  );
  expect(lines.map((line) => line.replaceAll(/\b\d{15,}\b/g, "<id>"))).toEqual([
    '+ realm "whole": new project "whole"',
    '~ realm "whole": the role "chief" is composite: its holders get the roles in it, too',
    '+ group "/whole-a": new group "whole-a"',
    '+ group "/whole-a/b": new group "whole-a/b"',
    '+ group "/whole-a/b/c": new group "whole-a/b/c"',
    '+ identity provider "corp-whole": new identity provider "corp-whole"',
    '~ identity provider "old": is left out with its links: it does not say the entity id of the provider',
    '~ client "shop": client "shop" comes without the redirect URI "https://a.example/*": it must not contain a wildcard',
    '~ client "shop": client "shop" comes without the implicit flow',
    '~ client "shop": client "shop" comes without its mapper "shoe size": its kind is not known',
    '+ client "shop": new application "shop", whose client id is <id> now',
    '+ client "strong": new application "strong", whose client id is <id> now',
    '+ client "page": new application "page", whose client id is <id> now',
    '~ client "wild": client "wild" comes without the redirect URI "*": it must be an absolute URI, in which other characters are percent-encoded (RFC 3986)',
    '~ client "wild": client "wild" is left out: none of its redirect URIs can come along',
    '+ client "https://sp.example/&whole": new application "https://sp.example/&whole"',
    '~ client "nobody": client "nobody" is left out: nobody logs in to it, and it has no service account',
    '+ service account of client "robot-whole": new service user "robot-whole", whose client id is <id> now',
    '~ service account of client "robot-whole": comes without the role "realm-management:realm-admin", which is one of Keycloak itself',
    '+ service account of client "signer-whole": new service user "signer-whole", whose client id is <id> now',
    '~ service account of client "signer-whole": service user "signer-whole" comes without a secret; generate one, or add its key',
    '+ whole-users-0.json users[0]: new user "u1" with a password and an authenticator app',
    '~ whole-users-0.json users[0]: user "u1" comes without a security key, which --rp-id brings; the required actions "CONFIGURE_TOTP"',
    '~ whole-users-0.json users[0]: user "u1" comes without the role "realm-management:realm-admin", which is one of Keycloak itself',
    '+ whole-users-0.json users[1]: new user "u2"',
    '! whole-users-0.json users[1]: user "u2" comes without an authenticator app, whose key is too short or too long',
    '~ whole-users-0.json users[1]: user "u2" comes without a one-time code app that is not TOTP with SHA-1, 6 digits and 30 s',
    '+ whole-users-0.json users[3]: new user "u4"',
    '! whole-users-0.json users[3]: user "u4" comes without a link, whose identity is that of another record, too',
    '! whole-users-0.json users[3]: user "u4" comes without a link to the identity provider "old", which is not there',
    "import: 14 added, 0 there already, 13 notes, 3 problems",
  ]);

  const { database, context } = fixture;
  const id = (await database.read((tx) => findUserIdByImportedId(tx, "u1"))) ?? "";
  const [user] = await rows(
    "SELECT preferred_language, phone, is_phone_verified, is_password_change_required FROM users WHERE id = ?",
    id,
  );
  expect(user).toEqual({
    preferred_language: "de",
    phone: "+41791234567",
    is_phone_verified: 0,
    is_password_change_required: 1,
  });
  const [totp] = await rows<{ id: SecondFactorId }>("SELECT id FROM second_factors WHERE user_id = ?", id);
  const secret = await database.read(async (tx) => {
    const userId = await findUserIdByImportedId(tx, "u1");
    return userId && totp && (await findTotpSecret(tx, context.personalData, { userId, id: totp.id }));
  });
  expect(Buffer.from(secret ?? []).toString()).toBe("the key is this text");
  expect(
    await rows("SELECT external_user_id, external_username FROM idp_links WHERE user_id = ?", id),
  ).toEqual([{ external_user_id: "c1", external_username: "c.one" }]);
  const [stored] = await rows<{ key: string }>("SELECT key FROM metadata WHERE object_id = ?", id);
  expect(stored).toEqual({ key: "shoeSize" });
  const keys = await rows<{ role_key: string }>(
    "SELECT r.role_key FROM user_grants g JOIN user_grant_roles r ON r.user_grant_id = g.id WHERE g.user_id = ? ORDER BY r.role_key",
    id,
  );
  expect(keys.map(({ role_key }) => role_key)).toEqual(["chief", "reader", "shop:buyer"]);
  expect(
    await rows(
      "SELECT g.name FROM group_members m JOIN groups g ON g.id = m.group_id WHERE m.user_id = ?",
      id,
    ),
  ).toEqual([{ name: "whole-a/b/c" }]);
  expect(
    await rows(
      "SELECT 1 FROM nested_groups n JOIN groups g ON g.id = n.inner_id WHERE g.name = 'whole-a/b/c'",
    ),
  ).toHaveLength(3);
});

test("the service account of a client becomes a service user with its secret, its groups and its roles, once", async () => {
  const users = [
    person("r1", {
      username: "service-account-robot-programs",
      serviceAccountClientId: "robot-programs",
      realmRoles: ["reader"],
      groups: ["/programs-a"],
    }),
  ];
  const source = await open({ "p.json": { ...realm("programs"), users } });
  await apply(organization, source);
  const [robot] = await rows<{ id: string; name: string; access_token_type: string }>(
    "SELECT id, name, access_token_type FROM users WHERE username = 'service-account-robot-programs'",
  );
  expect(robot).toMatchObject({ name: "robot-programs", access_token_type: "JWT" });
  const userId = toId<UserId>(robot?.id ?? "");
  const kept = await fixture.database.read((tx) => findSecretHashOfUser(tx, userId, 0));
  expect(kept).toMatchObject({
    hash: hashToken("k3YbQ9sT1vX7zA5cE8gI2mO4qS6uW0yB"),
    expirationMs: undefined,
  });
  expect(
    await rows(
      "SELECT r.role_key FROM user_grants g JOIN user_grant_roles r ON r.user_grant_id = g.id WHERE g.user_id = ?",
      userId,
    ),
  ).toEqual([{ role_key: "reader" }]);
  expect(await rows("SELECT 1 FROM group_members WHERE user_id = ?", userId)).toHaveLength(1);
  const { lines } = await apply(organization, source);
  expect(lines).toContain(
    '= service account of client "robot-programs": service user "robot-programs" is there from an earlier import',
  );
});

describe("the secret of a client", () => {
  test("stays; one that people have typed is stored as argon2id", async () => {
    await apply(organization, await open({ "r.json": realm("secrets") }, true));
    const stored = async (name: string) => {
      const [row] = await rows<{ value: Uint8Array; id: string }>(
        `SELECT s.value, a.id FROM applications a JOIN projects p ON p.id = a.project_id
         JOIN secrets s ON s.id = 'application-secret:' || a.secret_id WHERE a.name = ? AND p.name = 'secrets'`,
        name,
      );
      return row ?? { value: new Uint8Array(), id: "" };
    };
    const weak = await stored("shop");
    const [added] = await fixture.events(weak.id);
    expect(added?.payload).toMatchObject({ subject: "IMPORTED_ID" });
    expect(isStretched(weak.value)).toBe(true);
    expect(await matchesStretched(weak.value, "changeme")).toBe(true);
    expect(await matchesStretched(weak.value, "changed")).toBe(false);
    expect(isStretched((await stored("strong")).value)).toBe(false);
  });
});

describe("an export", () => {
  test("that is cut off says so, and brings what it has", async () => {
    const whole = JSON.stringify({ ...realm("cut"), users: [person("cut-1"), person("cut-2")] });
    const source = await open({ "cut.json": whole.slice(0, -40) });
    const { lines, error } = await run(organization, source, { isApplied: true });
    expect(lines).toEqual(["! cut.json: cannot be read to its end: it is cut off"]);
    expect(error).toMatch(/nothing was imported/);
    expect((await apply(organization, source)).lines).toContain('+ cut.json users[0]: new user "cut-1"');
  });

  test.each([
    [
      "of two realms",
      { "a.json": { realm: "a" }, "b.json": { realm: "b" } },
      /b\.json: the files are of several realms/,
    ],
    ["of no realm", { "a.json": { users: [] } }, /the member realm is missing/],
    ["that is a list", { "a.json": "[]" }, /the member realm is missing/],
  ])("%s is refused", async (_, files, message) => {
    await expect(open(files)).rejects.toThrow(message);
  });
});
