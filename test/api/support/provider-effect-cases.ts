import { generateKeyPairSync } from "node:crypto";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { createCertificate } from "../../kernel/outbound/certificate.ts";
import { createCaller, idOf, jwtConfig, uniqueName } from "../../support/world.ts";
import type { EffectCase, Ground, Read } from "./field-effect.ts";

const providers = IdentityProviderService.method;
const { cert: caCertificate } = createCertificate(["a.example.com"]);
const insideOf = ({ service, world }: Ground) => createCaller(service, world.organizationId);
const samlEntityId = "https://idp.example.com/entity";
const secretReason = "is never shown; test/identity/providers opens what is stored";

/** What other texts than these are not. */
const ofDirectory = {
  "ldap.servers": ["ldaps://a.example.com:6360"],
  "ldap.bind_dn": "cn=reader,dc=example",
  "ldap.base_dn": "ou=people,dc=example",
  "ldap.user_filter": "(objectClass=person)",
  "ldap.group_base_dn": "ou=groups,dc=example",
  "ldap.ca_certificates": caCertificate,
  ...Object.fromEntries(
    ["id", "username", "email", "given_name", "family_name", "display_name", "preferred_language"]
      .concat(["member_of", "group_member"])
      .map((name) => [`ldap.${name}_attribute`, `of-${name.replaceAll("_", "-")}`]),
  ),
  "ldap.login_attributes": ["uid"],
};

const ofProvider = (idpId: string): Read => [providers.getIdentityProvider, { idpId }];
/** Metadata have to be of the provider with the entity_id, so that both have one value. */
const ofSaml = {
  "saml.entity_id": samlEntityId,
  "saml.metadata_url": "https://idp.example.com/metadata",
  "saml.metadata_xml": "",
};
const ofTemplates = { clientId: "c", clientSecret: "s" };
const tenants = ["0d6e8b8a-0b4c-4d3e-9d0e-0d6e8b8a0b4c"];
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const apple = {
  clientId: "c",
  teamId: "AAAAAAAAAA",
  privateKeyId: "BBBBBBBBBB",
  privateKey: privateKey.export({ format: "pem", type: "pkcs8" }),
};
const providerKinds = [
  "jwt",
  "oidc",
  "saml",
  "ldap",
  "google",
  "entra",
  "github",
  "gitlab",
  "apple",
] as const;
const unseenSecrets = Object.fromEntries(
  ["oidc", "google", "entra", "github", "gitlab"]
    .map((kind) => `${kind}.client_secret`)
    .concat("ldap.bind_password", "apple.private_key")
    .map((field) => [field, secretReason]),
);

const newProvider = async (ground: Ground, config: (typeof providerKinds)[number]): Promise<string> => {
  const name = uniqueName("Provider");
  if (config === "google" || config === "github" || config === "gitlab") {
    const known = { name, config: { case: config, value: ofTemplates } } as const;
    return idOf(await insideOf(ground)(providers.createIdentityProvider, known), "idpId");
  }
  if (config === "entra") {
    const entra = { name, config: { case: config, value: { ...ofTemplates, tenants } } };
    return idOf(await insideOf(ground)(providers.createIdentityProvider, entra), "idpId");
  }
  if (config === "apple") {
    const known = { name, config: { case: config, value: apple } };
    return idOf(await insideOf(ground)(providers.createIdentityProvider, known), "idpId");
  }
  if (config === "saml") {
    const value = { entityId: "https://former.example", metadataUrl: "https://former.example/metadata" };
    const saml = { name, config: { case: config, value } };
    return idOf(await insideOf(ground)(providers.createIdentityProvider, saml), "idpId");
  }
  if (config === "ldap") {
    const value = { servers: ["ldaps://a.example.com"], baseDn: "dc=example", loginAttributes: ["uid"] };
    const ldap = { name, config: { case: config, value } };
    return idOf(await insideOf(ground)(providers.createIdentityProvider, ldap), "idpId");
  }
  const oidc = { name, clientId: "c", clientSecret: "s", issuer: "https://idp.example.com" };
  const added =
    config === "jwt"
      ? await insideOf(ground)(providers.createIdentityProvider, {
          name,
          config: { case: config, value: jwtConfig },
        })
      : await insideOf(ground)(providers.addOidcIdentityProvider, oidc);
  return idOf(added, "idpId");
};

/** The fields of the calls about identity providers. */
export const providerEffectCases: Readonly<Record<string, EffectCase>> = {
  AddJwtIdentityProvider: {
    prepare: async () => ({ read: (answer) => ofProvider(idOf(answer, "idpId")) }),
  },
  AddOidcIdentityProvider: {
    prepare: async () => ({ read: (answer) => ofProvider(idOf(answer, "idpId")) }),
    unseen: { client_secret: secretReason },
  },
  CreateIdentityProvider: {
    prepare: async () => ({
      given: { ...ofSaml, ...ofDirectory },
      read: (answer) => ofProvider(idOf(answer, "idpId")),
    }),
    unseen: unseenSecrets,
  },
  UpdateJwtIdentityProvider: {
    async prepare(ground) {
      const idpId = await newProvider(ground, "jwt");
      return { given: { idp_id: idpId }, read: () => ofProvider(idpId) };
    },
  },
  UpdateIdentityProvider: {
    async prepare(ground, without) {
      const kind = providerKinds.find((each) => !without.includes(each)) ?? "jwt";
      const idpId = await newProvider(ground, kind);
      return { given: { idp_id: idpId, ...ofSaml, ...ofDirectory }, read: () => ofProvider(idpId) };
    },
    unseen: unseenSecrets,
  },
};
