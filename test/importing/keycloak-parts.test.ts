import { beforeAll, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../src/kernel/base/ids.ts";
import { openKeycloak } from "../../src/importing/keycloak/source.ts";
import { makePartyKeys } from "../sites/saml/node-saml/party-keys.ts";
import { openImportGround } from "./support/import-ground.ts";

const ground = await openImportGround();
const { apply, rows, write, fixture } = ground;
let organization: OrganizationId;
beforeAll(async () => {
  organization = await fixture.addOrganization();
});

async function bring(name: string, realm: object): Promise<readonly string[]> {
  const files = write({ [`${name}.json`]: JSON.stringify({ realm: name, id: name, ...realm }) });
  const { lines } = await apply(
    organization,
    await openKeycloak(files, { name: undefined, keepsSubjects: false }),
  );
  return lines.map((line) => line.replaceAll(/\b\d{15,}\b/g, "<id>"));
}

const mapper = (name: string, protocolMapper: string, config: object) => ({
  name,
  protocolMapper,
  config: { "id.token.claim": "true", "access.token.claim": "true", ...config },
});
const attribute = (name: string, config: object) => mapper(name, "oidc-usermodel-attribute-mapper", config);

test("mappers of clients and of their client scopes become claims that say the same", async () => {
  const clientScopes = [
    {
      name: "profile",
      protocolMappers: [
        attribute("nickname", { "user.attribute": "nickname", "claim.name": "nickname" }),
        attribute("badge", { "user.attribute": "badge", "claim.name": "badge" }),
      ],
    },
    {
      name: "orders",
      protocolMappers: [
        mapper("tenant", "oidc-hardcoded-claim-mapper", {
          "claim.name": "tenant",
          "claim.value": "7",
          "jsonType.label": "int",
          "access.token.claim": "false",
          "introspection.token.claim": "true",
        }),
        attribute("shoe again", { "user.attribute": "shoeSize", "claim.name": "SHOE" }),
      ],
    },
    { name: "bare" },
  ];
  const client = {
    id: "1",
    clientId: "mapped",
    secret: "k3YbQ9sT1vX7zA5cE8gI2mO4qS6uW0yB",
    redirectUris: ["https://a.example/cb"],
    protocolMappers: [
      attribute("shoe", { "user.attribute": "shoeSize", "claim.name": "shoe", multivalued: "true" }),
      attribute("phone", { "user.attribute": "phoneNumber", "claim.name": "mobile" }),
      attribute("nested", { "user.attribute": "street", "claim.name": "address.street" }),
      attribute("dotted", { "user.attribute": "street", "claim.name": String.raw`street\.name` }),
      attribute("roles", { "user.attribute": "x", "claim.name": "roles" }),
      attribute("mute", {
        "user.attribute": "x",
        "claim.name": "x",
        "id.token.claim": "false",
        "access.token.claim": "false",
      }),
      mapper("names", "oidc-full-name-mapper", {}),
    ],
    defaultClientScopes: ["profile", "roles"],
    optionalClientScopes: ["orders", "bare"],
  };
  const provider = {
    id: "2",
    clientId: "https://sp.example/mapped",
    protocol: "saml",
    attributes: { saml_assertion_consumer_url_post: "https://sp.example/acs" },
    protocolMappers: [
      mapper("size", "saml-user-attribute-mapper", {
        "user.attribute": "shoeSize",
        "attribute.name": "size",
      }),
      mapper("fixed", "saml-hardcode-attribute-mapper", {
        "attribute.name": "shop",
        "attribute.value": "one",
      }),
    ],
  };
  expect(await bring("mapped", { clientScopes, clients: [client, provider] })).toEqual([
    '+ realm "mapped": new project "mapped"',
    '~ client "mapped": client "mapped" comes without the client scope "bare", which tells nothing',
    '~ client "mapped": client "mapped" comes without its mapper "phone": "phoneNumber" is a field of the user here',
    '~ client "mapped": client "mapped" comes without its mapper "nested": its claim is in an object',
    '~ client "mapped": client "mapped" comes without its mapper "roles": name is reserved',
    '~ client "mapped": client "mapped" comes without its mapper "mute": it tells nothing',
    '~ client "mapped": client "mapped" comes without its mapper "names": nothing here is just like the kind "oidc-full-name-mapper"',
    '~ client "mapped": client "mapped" comes without the mapper "shoe again" of the client scope "orders": another mapper tells the same claim',
    '+ client "mapped": new application "mapped", whose client id is <id> now',
    '~ client "mapped": application "mapped" is told the claims "shoe", "street.name", "badge", "tenant", but those of metadata only once somebody who may read these sets them',
    '+ client "https://sp.example/mapped": new application "https://sp.example/mapped"',
    '~ client "https://sp.example/mapped": application "https://sp.example/mapped" is told the claims "size", "shop", but those of metadata only once somebody who may read these sets them',
    "import: 3 added, 0 there already, 9 notes, 0 problems",
  ]);
  const stored = await rows<{ claim_mappings: string }>(
    "SELECT claim_mappings FROM stored_applications WHERE name IN ('mapped', 'https://sp.example/mapped') ORDER BY kind",
  );
  const mappings = stored.map((row) => JSON.parse(row.claim_mappings) as readonly object[]);
  const common = { profile_field: "", constant: "", key: "", scope: "", author_id: "" };
  const both = ["ID_TOKEN", "ACCESS_TOKEN", "INTROSPECTION"];
  expect(mappings.flat()).toEqual(
    [
      { ...common, name: "shoe", source: "USER_METADATA", key: "shoeSize", type: "LIST", targets: both },
      {
        ...common,
        name: "street.name",
        source: "USER_METADATA",
        key: "street",
        type: "STRING",
        targets: both,
      },
      { ...common, name: "badge", source: "USER_METADATA", key: "badge", type: "STRING", targets: both },
      {
        ...common,
        name: "tenant",
        source: "CONSTANT",
        constant: "7",
        type: "NUMBER",
        targets: ["ID_TOKEN", "INTROSPECTION"],
        scope: "orders",
      },
      { ...common, name: "size", source: "USER_METADATA", key: "shoeSize", type: "LIST", targets: ["SAML"] },
      { ...common, name: "shop", source: "CONSTANT", constant: "one", type: "STRING", targets: ["SAML"] },
    ].map((mapping) => expect.objectContaining(mapping) as object),
  );
});

test("providers of SAML and directories come along with the identities of people", async () => {
  const { certificate } = makePartyKeys();
  const saml = (alias: string, config: object) => ({
    alias,
    providerId: "saml",
    trustEmail: true,
    config: {
      idpEntityId: `https://${alias}.example`,
      singleSignOnServiceUrl: `https://${alias}.example/sso?a=1&b=2`,
      signingCertificate: certificate,
      nameIDPolicyFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
      ...config,
    },
  });
  const ldap = (id: string, config: object, providerId = "ldap") => ({
    id,
    name: id,
    providerId,
    config: {
      connectionUrl: ["ldaps://directory.example.com/"],
      bindDn: ["cn=reader"],
      bindCredential: ["directory password"],
      usersDn: ["ou=people"],
      usernameLDAPAttribute: ["uid"],
      uuidLDAPAttribute: ["entryUUID"],
      userObjectClasses: ["inetOrgPerson, organizationalPerson"],
      customUserSearchFilter: ["(active=yes)"],
      ...config,
    },
    subComponents: {
      "org.keycloak.storage.ldap.mappers.LDAPStorageMapper": [
        { name: "first name", config: { "user.model.attribute": ["firstName"], "ldap.attribute": ["cn"] } },
        { name: "groups", config: {} },
      ],
    },
  });
  const names = { firstName: "Dora", lastName: "Dorn" };
  const users = [
    {
      id: "d1",
      ...names,
      username: "moving-dora",
      federationLink: "people",
      attributes: { LDAP_ID: ["A-B"] },
      federatedIdentities: [{ identityProvider: "corp", userId: "c1", userName: "dora" }],
    },
    { ...names, id: "d2", username: "moving-dan", federationLink: "kerberos" },
  ];
  const lines = await bring("provided", {
    identityProviders: [
      saml("corp", {}),
      saml("passing", { nameIDPolicyFormat: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient" }),
      saml("attribute", { principalType: "ATTRIBUTE", principalAttribute: "uid", nameIDPolicyFormat: "" }),
      saml("friendly", { principalType: "FRIENDLY_ATTRIBUTE" }),
      saml("posting", { postBindingAuthnRequest: "true" }),
      saml("nameless", { idpEntityId: "" }),
      saml("keyless", { signingCertificate: "" }),
    ],
    components: {
      "org.keycloak.storage.UserStorageProvider": [
        ldap("people", {}),
        ldap("plain", { connectionUrl: ["ldap://directory.example.com"] }),
        ldap("masked", { bindCredential: ["**********"] }),
        ldap("kerberos", {}, "kerberos"),
      ],
    },
    users,
  });
  const left = (what: string, why: string) =>
    `~ ${what}: is left out${what.startsWith("user") ? "" : " with its links"}: ${why}`;
  expect(lines).toEqual([
    '+ realm "provided": new project "provided"',
    '+ identity provider "corp": new identity provider "corp"',
    left(
      'identity provider "passing"',
      "it names people by a NameID that is not persistent; add it with an attribute that names them for ever",
    ),
    '+ identity provider "attribute": new identity provider "attribute"',
    left('identity provider "friendly"', 'it names people by "FRIENDLY_ATTRIBUTE"'),
    left(
      'identity provider "posting"',
      "requests go to it by POST, and here by a redirect; add it by its metadata",
    ),
    left('identity provider "nameless"', "it does not say the entity id of the provider"),
    left('identity provider "keyless"', "it has no URL to send people to, or no certificate of the provider"),
    '+ user federation "people": new identity provider "people"',
    '~ user federation "people": comes without the mappers "groups"',
    left('user federation "plain"', "it is spoken to without encryption; add it by hand"),
    left('user federation "masked"', "the export has no password of its service account; add it by hand"),
    left('user federation "kerberos"', 'it is "kerberos"'),
    '+ provided.json users[0]: new user "d1"',
    '+ provided.json users[1]: new user "d2"',
    '~ provided.json users[1]: user "d2" comes without the link to a user federation, which may have the password',
    "import: 6 added, 0 there already, 10 notes, 0 problems",
  ]);
  const configs = await rows<{ name: string; auto_register: number; config: string }>(
    "SELECT name, auto_register, config FROM identity_providers WHERE name IN ('corp', 'attribute', 'people') ORDER BY name",
  );
  expect(
    configs.map(({ name, auto_register: isAuto, config }) => [name, isAuto, JSON.parse(config) as object]),
  ).toEqual([
    ["attribute", 0, expect.objectContaining({ id_attribute: "uid", trust_mail: true })],
    ["corp", 0, expect.objectContaining({ entity_id: "https://corp.example", id_attribute: "" })],
    [
      "people",
      1,
      expect.objectContaining({
        servers: ["ldaps://directory.example.com"],
        user_filter: "(&(objectClass=inetOrgPerson)(objectClass=organizationalPerson)(active=yes))",
        given_name_attribute: "cn",
        id_attribute: "",
        trust_mail: false,
      }),
    ],
  ]);
  expect(
    await rows("SELECT external_user_id, external_username FROM idp_links ORDER BY external_user_id"),
  ).toEqual([
    { external_user_id: "a-b", external_username: "moving-dora" },
    { external_user_id: "c1", external_username: "dora" },
  ]);
});
