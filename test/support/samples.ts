/**
 * Objects for tests that are about something else. What an object must have is said here alone, so that a new field is
 * written here and in the test that is about it. Each sample takes what the test wants otherwise.
 */
import { create, toJson } from "@bufbuild/protobuf";
import { AddProjectRequestSchema } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { type OrganizationId, type ProjectId, toId, type UserId } from "../../src/kernel/base/ids.ts";
import { Secret } from "../../src/kernel/base/secret.ts";
import type { EventPayloads, ProjectSettingsPayload } from "../../src/kernel/events/payloads.ts";
import type { NewEvent } from "../../src/kernel/events/event.ts";
import type { Application } from "../../src/identity/applications/application.ts";
import type { AskedApiSettings } from "../../src/identity/applications/api/commands.ts";
import type { OidcSettings } from "../../src/identity/applications/oidc/oidc-application.ts";
import type { SamlConfig } from "../../src/identity/applications/saml/saml-config.ts";
import type { NewConfig } from "../../src/identity/providers/commands.ts";
import type { IdentityProviderSettings } from "../../src/identity/providers/identity-provider.ts";
import type { LdapConfigPayload } from "../../src/kernel/events/provider-payloads.ts";
import type { JwtSource } from "../../src/identity/providers/jwt.ts";
import { addProject, type Project, type ProjectSettings } from "../../src/identity/projects/project.ts";
import type { RoleSettings } from "../../src/identity/projects/role.ts";
import type { NewUserGrant } from "../../src/identity/user-grants/commands.ts";
import {
  addHumanUser,
  type HumanProfile,
  type HumanUpdate,
  type ServiceProfile,
} from "../../src/identity/people/user/user.ts";

const anyOrganization = toId<OrganizationId>("1");

/** The settings of a project in which everything is off: those of a request that says nothing but the name. */
export function projectSettings(settings: Partial<ProjectSettings> = {}): ProjectSettings {
  const request = create(AddProjectRequestSchema, { name: "Portal" });
  const json = toJson(AddProjectRequestSchema, request, { alwaysEmitImplicit: true });
  return { ...(json as object as ProjectSettings), ...settings }; // JSON has all of them, and the names of enum values
}

/** An active project of the organization 1. */
export function project(fields: Partial<Project> = {}): Project {
  return {
    id: toId<ProjectId>("7"),
    details: { sequence: 5, creationDate: 4, resourceOwner: anyOrganization },
    state: "ACTIVE",
    ...projectSettings(),
    ...fields,
  };
}

/** The settings of a project as its events hold them. */
export function projectPayload(settings: Partial<ProjectSettings> = {}): ProjectSettingsPayload {
  return payloadOf("project.added", addProject(toId("7"), anyOrganization, projectSettings(settings)));
}

/** A role that shows nothing but its key. */
export function role(key: string, shown: Partial<Omit<RoleSettings, "key">> = {}): RoleSettings {
  return { key, displayName: "", group: "", ...shown };
}

/** The same role as its events hold it. */
export function rolePayload(key: string): EventPayloads["project.role.added"] {
  return { role_key: key, display_name: "", group: "" };
}

/** A human user without phone. */
export function humanProfile(profile: Partial<HumanProfile> = {}): HumanProfile {
  return { ...humanUpdate(), phone: "", ...profile };
}

/** What an update replaces of a human user. */
export function humanUpdate(update: Partial<HumanUpdate> = {}): HumanUpdate {
  return {
    username: "ada",
    givenName: "Ada",
    familyName: "Lovelace",
    displayName: "",
    preferredLanguage: "",
    email: "ada@example.com",
    ...update,
  };
}

/** A human user as the event that adds one holds it. */
export function humanPayload(profile: Partial<HumanProfile> = {}): EventPayloads["user.added"] {
  return payloadOf("user.added", addHumanUser(toId<UserId>("5"), anyOrganization, humanProfile(profile)));
}

/** A service user. */
export function serviceProfile(profile: Partial<ServiceProfile> = {}): ServiceProfile {
  return {
    username: "bot",
    name: "Bot",
    description: "",
    accessTokenType: "BEARER",
    signingAlgorithm: "RS256",
    trustMail: false,
    ...profile,
  };
}

/** A grant for a project that the organization owns. */
export function newUserGrant(
  grant: Pick<NewUserGrant, "userId" | "projectId"> & Partial<NewUserGrant>,
): NewUserGrant {
  return { projectGrantId: "", roleKeys: [], ...grant };
}

/** The settings of an identity provider, none of them the default. */
export function identityProviderSettings(
  settings: Partial<IdentityProviderSettings> = {},
): IdentityProviderSettings {
  return { name: "Provider", stylingType: "STYLING_TYPE_GOOGLE", autoRegister: true, ...settings };
}

/** Where a JWT provider takes the JWT from. */
export function jwtSource(source: Partial<JwtSource> = {}): JwtSource {
  return {
    jwtEndpoint: "https://idp.example.com/jwt",
    issuer: "any text",
    keysEndpoint: "https://idp.example.com/keys",
    headerName: "authorization",
    ...source,
  };
}

/** The configuration of a new JWT provider. */
export function jwtConfig(): NewConfig & { readonly kind: "jwt" } {
  return { kind: "jwt", ...jwtSource(), audiences: ["a", "b"] };
}

/** The configuration of a new OIDC provider. */
export function oidcConfig(
  clientSecret: string,
  scopes: readonly string[] = ["openid"],
): NewConfig & { readonly kind: "oidc" } {
  return {
    kind: "oidc",
    clientId: "client",
    clientSecret: new Secret(clientSecret),
    issuer: "https://idp.example.com",
    scopes,
    displayNameMapping: "OIDC_MAPPING_FIELD_EMAIL",
    usernameMapping: "OIDC_MAPPING_FIELD_PREFERRED_USERNAME",
  };
}

/** The configuration of a directory, as events hold it: everything is as by default. */
export const ldapPayload: LdapConfigPayload = {
  issuer: "ldap",
  servers: ["ldaps://dc1.example.com"],
  plain_text: false,
  bind_dn: "",
  bind_secret_id: "",
  base_dn: "dc=example,dc=org",
  user_filter: "",
  login_attributes: ["uid"],
  id_attribute: "",
  username_attribute: "",
  email_attribute: "",
  given_name_attribute: "",
  family_name_attribute: "",
  display_name_attribute: "",
  preferred_language_attribute: "",
  trust_mail: false,
  member_of_attribute: "",
  group_base_dn: "",
  group_member_attribute: "",
  ca_certificates: "",
};

/** The settings of an OIDC application on a server, in which everything is as by default. */
export function oidcSettings(settings: Partial<OidcSettings> = {}): OidcSettings {
  return {
    redirectUris: ["https://app.example/cb"],
    responseTypes: ["CODE"],
    grantTypes: ["AUTHORIZATION_CODE"],
    appType: "WEB",
    authMethodType: "BASIC",
    postLogoutRedirectUris: [],
    isDevMode: false,
    accessTokenType: "BEARER",
    accessTokenRoleAssertion: false,
    idTokenRoleAssertion: false,
    idTokenUserinfoAssertion: false,
    additionalOrigins: [],
    backChannelLogoutUri: "",
    signingAlgorithm: "RS256",
    apiAccess: false,
    requirePkce: false,
    groupsClaim: "ROLE_KEYS",
    securityProfile: "NONE",
    requirePar: false,
    requireDpop: false,
    subject: "ID",
    ...settings,
  };
}

/** The settings of an API application, in which everything is as by default. */
export function apiSettings(settings: Partial<AskedApiSettings> = {}): AskedApiSettings {
  return {
    authMethodType: "BASIC",
    resource: "",
    scopes: [],
    isDevMode: false,
    allowsExternalClients: false,
    isResourceVerified: false,
    ...settings,
  };
}

/** What a SAML application says of itself. Throws for an application of another kind. */
export function samlOf(application: Application): SamlConfig {
  if (application.kind !== "saml") throw new Error(`the application is of the kind ${application.kind}`);
  return application.saml;
}

function payloadOf<T extends keyof EventPayloads>(type: T, event: NewEvent): EventPayloads[T] {
  if (event.type !== type) throw new Error(`the decision made ${event.type}, not ${type}`);
  return event.payload as EventPayloads[T]; // it is of that type
}
