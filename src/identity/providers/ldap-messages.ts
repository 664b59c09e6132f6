import { fieldInvalid, urlForbidden } from "../../kernel/base/problem.ts";
import type { LdapConfig, LdapSettings } from "./ldap.ts";

/** The servers of directories that the service connects to, and the filters that it can send. */
export interface ServerRules {
  /** Says why a server as it is written is forbidden, in words that follow `the server`; undefined: it is not. Connects to nothing. */
  violationOf(server: { readonly url: string; readonly isPlainText: boolean }): string | undefined;
  /** Says whether the text is a filter (RFC 4515). */
  isFilter(text: string): Promise<boolean>;
}

/** Refuses servers that the service never connects to, and what is no filter. Raises URL_FORBIDDEN, FIELD_INVALID. */
export async function requireDirectory(
  rules: ServerRules,
  { servers, plainText, userFilter }: Pick<LdapSettings, "servers" | "plainText" | "userFilter">,
): Promise<void> {
  for (const [index, url] of servers.entries()) {
    const violation = rules.violationOf({ url, isPlainText: plainText });
    if (violation !== undefined) throw urlForbidden(`ldap.servers[${index}]`, violation);
  }
  if (userFilter !== "" && !(await rules.isFilter(userFilter)))
    throw fieldInvalid("ldap.user_filter", "must be a filter such as (objectClass=person)");
}

/** Returns the settings of a message, which has more. */
export function toDirectory(message: LdapSettings): LdapSettings {
  return {
    servers: [...message.servers],
    plainText: message.plainText,
    bindDn: message.bindDn,
    baseDn: message.baseDn,
    userFilter: message.userFilter,
    loginAttributes: [...message.loginAttributes],
    idAttribute: message.idAttribute,
    usernameAttribute: message.usernameAttribute,
    emailAttribute: message.emailAttribute,
    givenNameAttribute: message.givenNameAttribute,
    familyNameAttribute: message.familyNameAttribute,
    displayNameAttribute: message.displayNameAttribute,
    preferredLanguageAttribute: message.preferredLanguageAttribute,
    trustMail: message.trustMail,
    memberOfAttribute: message.memberOfAttribute,
    groupBaseDn: message.groupBaseDn,
    groupMemberAttribute: message.groupMemberAttribute,
    caCertificates: message.caCertificates,
  };
}

/** Returns the configuration as messages have it, without the password. */
export function toDirectoryMessage({ issuer: _issuer, bindSecretId: _secret, ...settings }: LdapConfig) {
  return {
    ...settings,
    servers: [...settings.servers],
    loginAttributes: [...settings.loginAttributes],
  };
}
