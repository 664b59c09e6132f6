import type { Message, MessageInitShape } from "@bufbuild/protobuf";
import type { CreateOidcApplicationRequestSchema } from "../../gen/gatehouse/v1/application_service_pb.ts";
import type { ClaimMapping } from "../identity/claim-mappings/claim-mapping.ts";
import type { ImportedSecurityKey } from "../identity/imports/imported-user.ts";
import type { Secret } from "../kernel/base/secret.ts";

/** What a source has read, in the order of its files. */
export type SourceRecord =
  | ProjectRecord
  | GroupRecord
  | ApplicationRecord
  | ProviderRecord
  | ServiceUserRecord
  | UserRecord
  | Remark;

/** Where a record stands, for people: `users.csv line 3`. */
interface Placed {
  readonly where: string;
}

/** Something that cannot come along: `note` is in the nature of things, `problem` is a fault that somebody can mend. */
export interface Remark extends Placed {
  readonly kind: "remark";
  readonly mark: "note" | "problem";
  readonly text: string;
}

/** Roles of a project, which is named by its old id, its id or its name. */
export interface RoleRef {
  readonly project: string;
  readonly roleKeys: readonly string[];
}

/** A project with its roles. */
export interface ProjectRecord extends Placed {
  readonly kind: "project";
  readonly oldId: string;
  readonly name: string;
  readonly roles: readonly { readonly key: string; readonly displayName: string; readonly group: string }[];
}

/** A group. It comes after the group that it is in. */
export interface GroupRecord extends Placed {
  readonly kind: "group";
  readonly oldId: string;
  readonly name: string;
  readonly description: string;
  /** The old id of the group that it is in; empty: it is in none. */
  readonly parentOldId: string;
  readonly roles: readonly RoleRef[];
}

/** An identity provider. */
export interface ProviderRecord extends Placed {
  readonly kind: "identity_provider";
  readonly oldId: string;
  readonly name: string;
  readonly isAutoRegistered: boolean;
  readonly config: OidcProviderRecord | SamlProviderRecord | DirectoryRecord;
}

/** A provider that speaks SAML. */
export interface SamlProviderRecord {
  readonly kind: "saml";
  readonly entityId: string;
  readonly metadataXml: string;
  /** Empty: people are named by a persistent NameID. */
  readonly idAttribute: string;
  readonly trustsMail: boolean;
}

/** A directory that speaks LDAP, always encrypted. Empty attributes are the usual ones. */
export interface DirectoryRecord {
  readonly kind: "ldap";
  readonly servers: readonly string[];
  readonly bindDn: string;
  readonly bindPassword: Secret | undefined;
  readonly baseDn: string;
  readonly userFilter: string;
  readonly loginAttribute: string;
  readonly idAttribute: string;
  readonly emailAttribute: string;
  readonly givenNameAttribute: string;
  readonly familyNameAttribute: string;
  readonly trustsMail: boolean;
}

/** A provider that speaks OpenID Connect. */
export interface OidcProviderRecord {
  readonly kind: "oidc";
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly scopes: readonly string[];
}

/** An application of a project. */
export interface ApplicationRecord extends Placed {
  readonly kind: "application";
  readonly oldId: string;
  readonly name: string;
  /** The old id of its project. */
  readonly project: string;
  readonly config: OidcRecord | SamlRecord;
  /** What it is told beside the standard claims. Absent: nothing. */
  readonly claims?: readonly ClaimMapping[];
}

/** A client of OpenID Connect. */
export interface OidcRecord {
  readonly kind: "oidc";
  readonly settings: Omit<
    Exclude<MessageInitShape<typeof CreateOidcApplicationRequestSchema>, Message>,
    "projectId" | "name" | "$typeName" | "$unknown"
  >;
  /** Undefined: it has none. */
  readonly secret: Secret | undefined;
}

/** A service provider of SAML. */
export interface SamlRecord {
  readonly kind: "saml";
  readonly metadataXml: string;
}

/** A program that gets tokens for itself. */
export interface ServiceUserRecord extends Placed {
  readonly kind: "service_user";
  readonly oldId: string;
  /** What the program is called. */
  readonly name: string;
  readonly username: string;
  readonly description: string;
  /** Undefined: it has none. */
  readonly secret: Secret | undefined;
  /** Old ids, ids or names. */
  readonly groups: readonly string[];
  readonly roles: readonly RoleRef[];
}

/** An identity of a person at an identity provider. */
export interface LinkRecord {
  /** The old id, id or name of the provider. */
  readonly provider: string;
  readonly externalUserId: string;
  readonly externalUsername: string;
}

/** A person. Texts are as they stand in the file; absent ones are empty. */
export interface UserRecord extends Placed {
  readonly kind: "user";
  readonly oldId: string;
  readonly username: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly displayName: string;
  readonly preferredLanguage: string;
  readonly email: string;
  readonly phone: string;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
  readonly state: "ACTIVE" | "INACTIVE" | "LOCKED";
  /** In any form that SetPasswordHash takes. */
  readonly passwordHash: Secret | undefined;
  readonly isPasswordChangeRequired: boolean;
  readonly totpSecret: Uint8Array | undefined;
  /** Absent: none. */
  readonly securityKeys?: readonly ImportedSecurityKey[];
  /** Old ids, ids or names. */
  readonly groups: readonly string[];
  readonly roles: readonly RoleRef[];
  readonly links: readonly LinkRecord[];
  readonly metadata: readonly { readonly key: string; readonly value: Uint8Array }[];
  /** What else stands in the record. */
  readonly remarks: readonly Pick<Remark, "mark" | "text">[];
}

/** Files of another system. Each function reads them from the beginning. */
export interface Source {
  /** Names the system, so that a later run finds again what this one has added: `keycloak:shop`. */
  readonly name: string;
  /** Everything but users. It is held in memory. */
  structure(): AsyncIterable<Exclude<SourceRecord, UserRecord>>;
  users(): AsyncIterable<UserRecord | Remark>;
}

/** Says that nothing was done, and why, to the person who runs the command. */
export class ImportError extends Error {}

/** Makes a remark. */
export function remark(where: string, mark: Remark["mark"], text: string): Remark {
  return { kind: "remark", where, mark, text };
}
