import type {
  IdentityProvider,
  LdapConfig,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import {
  type SharedRequest,
  type SharedValues,
  toSharedRequest,
  toSharedValues,
} from "../shared/provider.ts";

/** The names of attributes that the directory may have others for, in the order in which they are shown. */
export const attributeNames = [
  "idAttribute",
  "usernameAttribute",
  "emailAttribute",
  "givenNameAttribute",
  "familyNameAttribute",
  "displayNameAttribute",
  "preferredLanguageAttribute",
] as const;

type AttributeName = (typeof attributeNames)[number];

/** A directory as fields hold it, by the names in the requests. */
export type LdapProviderValues = SharedValues & {
  readonly [K in AttributeName as `ldap.${K}`]: string;
} & {
  readonly "ldap.servers": readonly string[];
  readonly "ldap.plainText": boolean;
  readonly "ldap.caCertificates": string;
  readonly "ldap.bindDn": string;
  /** Empty unless it is being set. */
  readonly "ldap.bindPassword": string;
  readonly "ldap.baseDn": string;
  readonly "ldap.userFilter": string;
  readonly "ldap.loginAttributes": readonly string[];
  readonly "ldap.trustMail": boolean;
  readonly "ldap.memberOfAttribute": string;
  readonly "ldap.groupBaseDn": string;
  readonly "ldap.groupMemberAttribute": string;
};

/** Returns the values of a directory; undefined: those of a new one. */
export function toLdapProviderValues(provider?: IdentityProvider): LdapProviderValues {
  const ldap = provider?.config.case === "ldap" ? provider.config.value : undefined;
  return {
    ...toSharedValues(provider),
    "ldap.servers": ldap?.servers ?? [],
    "ldap.plainText": ldap?.plainText ?? false,
    "ldap.caCertificates": ldap?.caCertificates ?? "",
    "ldap.bindDn": ldap?.bindDn ?? "",
    "ldap.bindPassword": "",
    "ldap.baseDn": ldap?.baseDn ?? "",
    "ldap.userFilter": ldap?.userFilter ?? "",
    "ldap.loginAttributes": ldap?.loginAttributes ?? ["uid"],
    "ldap.idAttribute": ldap?.idAttribute ?? "",
    "ldap.usernameAttribute": ldap?.usernameAttribute ?? "",
    "ldap.emailAttribute": ldap?.emailAttribute ?? "",
    "ldap.givenNameAttribute": ldap?.givenNameAttribute ?? "",
    "ldap.familyNameAttribute": ldap?.familyNameAttribute ?? "",
    "ldap.displayNameAttribute": ldap?.displayNameAttribute ?? "",
    "ldap.preferredLanguageAttribute": ldap?.preferredLanguageAttribute ?? "",
    "ldap.trustMail": ldap?.trustMail ?? false,
    "ldap.memberOfAttribute": ldap?.memberOfAttribute ?? "",
    "ldap.groupBaseDn": ldap?.groupBaseDn ?? "",
    "ldap.groupMemberAttribute": ldap?.groupMemberAttribute ?? "",
  };
}

/** A directory as requests have it. */
export interface LdapProviderRequest extends SharedRequest {
  readonly config: {
    readonly case: "ldap";
    readonly value: Omit<LdapConfig, "$typeName" | "$unknown" | "bindPassword"> & {
      readonly bindPassword?: string;
    };
  };
}

/** Returns the values as requests have them. An empty password is left out: the stored one stays. So is one of no account. */
export function toLdapProviderRequest(values: LdapProviderValues): LdapProviderRequest {
  const bindPassword = values["ldap.bindDn"] === "" ? "" : values["ldap.bindPassword"];
  return {
    ...toSharedRequest(values),
    config: {
      case: "ldap",
      value: {
        servers: [...values["ldap.servers"]],
        plainText: values["ldap.plainText"],
        caCertificates: values["ldap.caCertificates"],
        bindDn: values["ldap.bindDn"],
        ...(bindPassword === "" ? {} : { bindPassword }),
        baseDn: values["ldap.baseDn"],
        userFilter: values["ldap.userFilter"],
        loginAttributes: [...values["ldap.loginAttributes"]],
        idAttribute: values["ldap.idAttribute"],
        usernameAttribute: values["ldap.usernameAttribute"],
        emailAttribute: values["ldap.emailAttribute"],
        givenNameAttribute: values["ldap.givenNameAttribute"],
        familyNameAttribute: values["ldap.familyNameAttribute"],
        displayNameAttribute: values["ldap.displayNameAttribute"],
        preferredLanguageAttribute: values["ldap.preferredLanguageAttribute"],
        trustMail: values["ldap.trustMail"],
        memberOfAttribute: values["ldap.memberOfAttribute"],
        groupBaseDn: values["ldap.groupBaseDn"],
        groupMemberAttribute: values["ldap.groupMemberAttribute"],
      },
    },
  };
}

/**
 * Says whether the password of the service account has to be entered: none is stored, or it was stored for other servers, and is sent
 * to no others.
 */
export function needsBindPassword(values: LdapProviderValues, stored?: LdapConfig): boolean {
  if (values["ldap.bindDn"] === "") return false;
  if (stored === undefined || stored.bindDn === "") return true;
  const isSame =
    values["ldap.servers"].join("\n") === stored.servers.join("\n") &&
    values["ldap.plainText"] === stored.plainText &&
    values["ldap.caCertificates"] === stored.caCertificates;
  return !isSame;
}
