import { Secret } from "../../kernel/base/secret.ts";
import { flagIn, objectIn, objectsIn, textIn, textsIn } from "../json-fields.ts";
import type { JsonFields } from "../json-members.ts";
import { type ProviderRecord, type Remark, remark } from "../records.ts";
import { quote } from "../report.ts";
import { escapeXml } from "./service-provider.ts";

const issuers: Readonly<Record<string, string>> = { google: "https://accounts.google.com" };
const persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
const bindings = "urn:oasis:names:tc:SAML:2.0:bindings";

/** Makes the record of an identity provider of a realm (IdentityProviderRepresentation), or says why it does not come along. */
export function toProvider(provider: JsonFields): ProviderRecord | Remark {
  const alias = textIn(provider, "alias");
  const where = `identity provider ${quote(alias)}`;
  const kind = textIn(provider, "providerId");
  const made = kind === "saml" ? toSaml(provider) : toOidc(provider, kind);
  if (typeof made === "string") return remark(where, "note", `is left out with its links: ${made}`);
  const name = textIn(provider, "displayName") || alias;
  return { kind: "identity_provider", where, oldId: alias, name, isAutoRegistered: false, config: made };
}

function toOidc(provider: JsonFields, kind: string): ProviderRecord["config"] | string {
  const config = objectIn(provider, "config");
  const issuer = textIn(config, "issuer") || (issuers[kind] ?? "");
  const secret = textIn(config, "clientSecret");
  if (!["oidc", "keycloak-oidc", "google"].includes(kind) || issuer === "" || secret === "")
    return `only SAML, and OpenID Connect with issuer and client secret can come along, and it is ${quote(kind)}`;
  const scopes = textIn(config, "defaultScope")
    .split(" ")
    .filter((scope) => scope !== "");
  return {
    kind: "oidc",
    issuer,
    clientId: textIn(config, "clientId"),
    clientSecret: new Secret(secret),
    scopes: scopes.length === 0 ? ["openid", "profile", "email"] : [...new Set(["openid", ...scopes])],
  };
}

/** People go on by the name for ever that Keycloak has of them: a persistent NameID, or an attribute. */
function toSaml(provider: JsonFields): ProviderRecord["config"] | string {
  const config = objectIn(provider, "config");
  const setting = (name: string) => textIn(config, name);
  const entityId = setting("idpEntityId");
  const location = setting("singleSignOnServiceUrl");
  const certificates = setting("signingCertificate")
    .split(",")
    .map(toCertificate)
    .filter((each) => each !== "");
  const principal = setting("principalType") || "SUBJECT";
  const idAttribute = principal === "ATTRIBUTE" ? setting("principalAttribute") : "";
  if (entityId === "") return "it does not say the entity id of the provider";
  if (location === "" || certificates.length === 0)
    return "it has no URL to send people to, or no certificate of the provider";
  if (flagIn(config, "postBindingAuthnRequest"))
    return "requests go to it by POST, and here by a redirect; add it by its metadata";
  if (principal !== "SUBJECT" && idAttribute === "") return `it names people by ${quote(principal)}`;
  if (principal === "SUBJECT" && setting("nameIDPolicyFormat") !== persistent)
    return "it names people by a NameID that is not persistent; add it with an attribute that names them for ever";
  const keys = certificates.map(
    (certificate) =>
      `<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${escapeXml(certificate)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
  );
  const metadataXml = [
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}">`,
    `<IDPSSODescriptor WantAuthnRequestsSigned="${flagIn(config, "wantAuthnRequestsSigned")}" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">`,
    ...keys,
    `<SingleSignOnService Binding="${bindings}:HTTP-Redirect" Location="${escapeXml(location)}"/>`,
    "</IDPSSODescriptor></EntityDescriptor>",
  ].join("");
  return { kind: "saml", entityId, metadataXml, idAttribute, trustsMail: flagIn(provider, "trustEmail") };
}

function toCertificate(text: string): string {
  return text.replace(/-----[^-]+-----|\s/g, "");
}

/** The directories of a realm that can come along, and what is said of them. */
export interface RealmDirectories {
  readonly found: readonly (ProviderRecord | Remark)[];
  /** Returns the identity of a user of a directory that comes along; undefined: it does not, or it is no such user. */
  identityOf(user: JsonFields): { readonly provider: string; readonly subject: string } | undefined;
}

/** Reads the user federations of a realm (ComponentRepresentation). Those that do not come along are notes. */
export function readDirectories(realm: JsonFields): RealmDirectories {
  const federations = objectsIn(objectIn(realm, "components"), "org.keycloak.storage.UserStorageProvider");
  const found = federations.flatMap((federation) => toDirectory(federation));
  const directories = new Map(
    found.flatMap((each) =>
      each.kind === "identity_provider" && each.config.kind === "ldap" ? [[each.oldId, each.config]] : [],
    ),
  );
  return {
    found,
    identityOf(user) {
      const provider = textIn(user, "federationLink");
      const directory = directories.get(provider);
      const [id = ""] = textsIn(objectIn(user, "attributes"), "LDAP_ID");
      if (directory === undefined || id === "") return undefined;
      // With the usual attributes, ids are in small letters here.
      return { provider, subject: directory.idAttribute === "" ? id.toLowerCase() : id };
    },
  };
}

/** Names for ever that are known here by themselves. */
const usualIds: ReadonlySet<string> = new Set(["entryUUID", "objectGUID"]);
/** Mappers that Keycloak makes with each directory, and that have nothing to do here. */
const usualMappers: ReadonlySet<string> = new Set([
  "username",
  "email",
  "first name",
  "last name",
  "creation date",
  "modify date",
  "MSAD account controls",
]);

function toDirectory(federation: JsonFields): readonly (ProviderRecord | Remark)[] {
  const name = textIn(federation, "name");
  const where = `user federation ${quote(name)}`;
  const out = (why: string) => [remark(where, "note", `is left out: ${why}`)];
  const config = objectIn(federation, "config");
  const setting = (key: string) => textsIn(config, key)[0] ?? "";
  if (textIn(federation, "providerId") !== "ldap")
    return out(`it is ${quote(textIn(federation, "providerId"))}`);
  const servers = setting("connectionUrl")
    .split(/\s+/)
    .map((url) => url.replace(/\/+$/, ""))
    .filter((url) => url !== "");
  if (servers.some((url) => !url.startsWith("ldaps:")) && setting("startTls") !== "true")
    return out("it is spoken to without encryption; add it by hand");
  const bindDn = setting("bindDn");
  const password = setting("bindCredential");
  if (bindDn !== "" && /^\**$/.test(password))
    return out("the export has no password of its service account; add it by hand");
  const mappers = objectsIn(
    objectIn(federation, "subComponents"),
    "org.keycloak.storage.ldap.mappers.LDAPStorageMapper",
  );
  const attributeOf = (field: string) => {
    const own = mappers.map((mapper) => objectIn(mapper, "config"));
    const mapped = own.find((each) => textsIn(each, "user.model.attribute")[0] === field);
    return mapped === undefined ? "" : (textsIn(mapped, "ldap.attribute")[0] ?? "");
  };
  const idAttribute = setting("uuidLDAPAttribute");
  const others = mappers.map((mapper) => textIn(mapper, "name")).filter((each) => !usualMappers.has(each));
  const record: ProviderRecord = {
    kind: "identity_provider",
    where,
    oldId: textIn(federation, "id"),
    name,
    isAutoRegistered: setting("importEnabled") !== "false",
    config: {
      kind: "ldap",
      servers,
      bindDn,
      bindPassword: bindDn === "" ? undefined : new Secret(password),
      baseDn: setting("usersDn"),
      userFilter: toFilter(setting("userObjectClasses"), setting("customUserSearchFilter")),
      loginAttribute: setting("usernameLDAPAttribute"),
      idAttribute: usualIds.has(idAttribute) ? "" : idAttribute,
      emailAttribute: attributeOf("email"),
      givenNameAttribute: attributeOf("firstName"),
      familyNameAttribute: attributeOf("lastName"),
      trustsMail: setting("trustEmail") === "true",
    },
  };
  return [
    record,
    ...(others.length === 0
      ? []
      : [remark(where, "note", `comes without the mappers ${others.map(quote).join(", ")}`)]),
    ...(setting("searchScope") === "1"
      ? [remark(where, "note", "finds people at all levels below its DN here, not only at the first")]
      : []),
  ];
}

function toFilter(objectClasses: string, custom: string): string {
  const classes = objectClasses
    .split(",")
    .map((each) => each.trim())
    .filter((each) => /^[A-Za-z][A-Za-z0-9-]*$/.test(each))
    .map((each) => `(objectClass=${each})`);
  const parts = [...classes, ...(custom === "" ? [] : [custom.startsWith("(") ? custom : `(${custom})`])];
  return parts.length > 1 ? `(&${parts.join("")})` : (parts[0] ?? "");
}
