import { X509Certificate } from "node:crypto";
import { fieldInvalid, type FieldViolation, type Problem } from "../../kernel/base/problem.ts";
import { parseDn } from "../../kernel/base/names/distinguished-name.ts";
import type { LdapConfigPayload } from "../../kernel/events/provider-payloads.ts";

/** The configuration of a directory, without the password of its service account. */
export interface LdapSettings {
  /** In the order in which they are asked. */
  readonly servers: readonly string[];
  readonly plainText: boolean;
  /** Of the service account; empty: anybody may look. */
  readonly bindDn: string;
  readonly baseDn: string;
  /** Empty: any entry. */
  readonly userFilter: string;
  readonly loginAttributes: readonly string[];
  /** Empty, as each of the following: the usual attribute. */
  readonly idAttribute: string;
  readonly usernameAttribute: string;
  readonly emailAttribute: string;
  readonly givenNameAttribute: string;
  readonly familyNameAttribute: string;
  readonly displayNameAttribute: string;
  readonly preferredLanguageAttribute: string;
  /** Whether its email addresses count as verified. */
  readonly trustMail: boolean;
  readonly memberOfAttribute: string;
  /** Empty: people name their groups. */
  readonly groupBaseDn: string;
  readonly groupMemberAttribute: string;
  /** In PEM; empty: those that the machine trusts. */
  readonly caCertificates: string;
}

/** The configuration of a directory, with the place of that password. */
export interface LdapConfig extends LdapSettings {
  /** Names what identities are told apart by: with another attribute, all of them are others. */
  readonly issuer: string;
  /** Id of the secret that holds the encrypted password; empty: there is no service account. */
  readonly bindSecretId: string;
}

/** Returns the text in the place of an issuer: identities are those of one attribute. */
export function issuerOfDirectory({ idAttribute }: Pick<LdapSettings, "idAttribute">): string {
  return idAttribute === "" ? "ldap" : `ldap:${idAttribute.toLowerCase()}`;
}

/** Returns the place that the password of the service account is sent to, to be compared with another one. */
export function placeOfDirectory({ servers, plainText, caCertificates }: LdapSettings): string {
  return JSON.stringify([servers, plainText, caCertificates]);
}

/** Returns a violation for each DN that is none, and for certificates that are none; the proto cannot say that. */
export function checkDirectory(path: string, settings: LdapSettings): readonly FieldViolation[] {
  const names = {
    bind_dn: settings.bindDn,
    base_dn: settings.baseDn,
    group_base_dn: settings.groupBaseDn,
  };
  const violations: FieldViolation[] = Object.entries(names).flatMap(([field, text]) =>
    text === "" || parseDn(text) !== undefined
      ? []
      : [{ field: path + field, description: "must be a DN such as ou=people,dc=example,dc=org" }],
  );
  if (!areCertificates(settings.caCertificates))
    violations.push({ field: `${path}ca_certificates`, description: "must be certificates in PEM" });
  return violations;
}

/** Returns the problem of an update that would send the stored password elsewhere, or of a service account without one. */
export function bindPasswordNeeded(): Problem {
  return fieldInvalid(
    "ldap.bind_password",
    "must be sent with a bind_dn at creation, and again when servers, plain_text or ca_certificates change: the stored password is sent to no other place than the one that it was stored for",
  );
}

/** Returns the problem of a password without a service account. */
export function bindDnNeeded(): Problem {
  return fieldInvalid("ldap.bind_password", "needs a bind_dn, whose password it is");
}

/** Returns the configuration as events hold it. */
export function toLdapPayload(config: LdapConfig): LdapConfigPayload {
  return {
    issuer: config.issuer,
    servers: config.servers,
    plain_text: config.plainText,
    bind_dn: config.bindDn,
    bind_secret_id: config.bindSecretId,
    base_dn: config.baseDn,
    user_filter: config.userFilter,
    login_attributes: config.loginAttributes,
    id_attribute: config.idAttribute,
    username_attribute: config.usernameAttribute,
    email_attribute: config.emailAttribute,
    given_name_attribute: config.givenNameAttribute,
    family_name_attribute: config.familyNameAttribute,
    display_name_attribute: config.displayNameAttribute,
    preferred_language_attribute: config.preferredLanguageAttribute,
    trust_mail: config.trustMail,
    member_of_attribute: config.memberOfAttribute,
    group_base_dn: config.groupBaseDn,
    group_member_attribute: config.groupMemberAttribute,
    ca_certificates: config.caCertificates,
  };
}

/** Returns the configuration that an event holds. */
export function toLdapConfig(payload: LdapConfigPayload): LdapConfig {
  return {
    issuer: payload.issuer,
    servers: payload.servers,
    plainText: payload.plain_text,
    bindDn: payload.bind_dn,
    bindSecretId: payload.bind_secret_id,
    baseDn: payload.base_dn,
    userFilter: payload.user_filter,
    loginAttributes: payload.login_attributes,
    idAttribute: payload.id_attribute,
    usernameAttribute: payload.username_attribute,
    emailAttribute: payload.email_attribute,
    givenNameAttribute: payload.given_name_attribute,
    familyNameAttribute: payload.family_name_attribute,
    displayNameAttribute: payload.display_name_attribute,
    preferredLanguageAttribute: payload.preferred_language_attribute,
    trustMail: payload.trust_mail,
    memberOfAttribute: payload.member_of_attribute,
    groupBaseDn: payload.group_base_dn,
    groupMemberAttribute: payload.group_member_attribute,
    caCertificates: payload.ca_certificates,
  };
}

const pem = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Says whether the text is nothing but certificates, or empty. */
function areCertificates(text: string): boolean {
  if (text.trim() === "") return true;
  const blocks = text.match(pem) ?? [];
  if (blocks.length === 0 || text.replace(pem, "").trim() !== "") return false;
  try {
    return blocks.every((block) => new X509Certificate(block).raw.length > 0);
  } catch {
    return false;
  }
}
