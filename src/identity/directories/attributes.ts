import type { DirectoryFilter } from "../../kernel/base/directory/filter.ts";
import type { LdapConfig } from "../providers/ldap.ts";

/** What is read of a person, by the names that the directory has for it. */
export interface PersonAttributes {
  /** Those that name an entry for ever; the first that it has does. */
  readonly ids: readonly string[];
  readonly username: string;
  readonly email: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly displayName: string;
  readonly preferredLanguage: string;
  readonly memberOf: string;
}

/** Says for how long an entry may log in: one for each product. */
export const stateAttributes = {
  /** Active Directory: flags. */
  userAccountControl: "userAccountControl",
  /** Active Directory: 100 ns since 1601. */
  accountExpires: "accountExpires",
  /** 389 Directory Server. */
  nsAccountLock: "nsAccountLock",
  /** eDirectory. */
  loginDisabled: "loginDisabled",
  /** OpenLDAP with its password policy. */
  pwdAccountLockedTime: "pwdAccountLockedTime",
} as const;

/** Returns the names of a configuration, or the usual ones. */
export function attributesOf(config: LdapConfig): PersonAttributes {
  const or = (named: string, usual: string) => (named === "" ? usual : named);
  return {
    ids: config.idAttribute === "" ? ["entryUUID", "objectGUID"] : [config.idAttribute],
    username: or(config.usernameAttribute, config.loginAttributes[0] ?? "uid"),
    email: or(config.emailAttribute, "mail"),
    givenName: or(config.givenNameAttribute, "givenName"),
    familyName: or(config.familyNameAttribute, "sn"),
    displayName: or(config.displayNameAttribute, "displayName"),
    preferredLanguage: or(config.preferredLanguageAttribute, "preferredLanguage"),
    memberOf: or(config.memberOfAttribute, "memberOf"),
  };
}

/** Lists what a search has to ask for: operational attributes come only by name. */
export function listAskedAttributes(config: LdapConfig): readonly string[] {
  const { ids, ...others } = attributesOf(config);
  const asked = [...ids, ...Object.values(others), ...Object.values(stateAttributes)] as readonly string[];
  return [...new Map(asked.map((name) => [name.toLowerCase(), name])).values()];
}

/** Makes the filter of all people. */
export function toPeopleFilter({ userFilter }: Pick<LdapConfig, "userFilter">): DirectoryFilter {
  return { kind: "written", text: userFilter === "" ? "(objectClass=*)" : userFilter };
}

/** Makes the filter of the people with that name. It is a value of its own: nothing in it is read as a filter. */
export function toNameFilter(
  config: Pick<LdapConfig, "userFilter" | "loginAttributes">,
  name: string,
): DirectoryFilter {
  const named = config.loginAttributes.map(
    (attribute) => ({ kind: "equals", attribute, value: name }) as const,
  );
  return { kind: "all", of: [toPeopleFilter(config), { kind: "any", of: named }] };
}

/** Makes the filter of the groups that an entry is in. */
export function toGroupsFilter(
  { groupMemberAttribute }: Pick<LdapConfig, "groupMemberAttribute">,
  dn: string,
): DirectoryFilter {
  const [attribute = "", rule] = (groupMemberAttribute === "" ? "member" : groupMemberAttribute).split(":");
  return rule === undefined
    ? { kind: "equals", attribute, value: dn }
    : { kind: "matches", attribute, rule, value: dn };
}
