import type { ApplicationId } from "../../../kernel/base/ids.ts";
import type { OidcApplicationPayload } from "../../../kernel/events/application-payloads.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { Project } from "../../projects/project.ts";
import type { SigningAlgorithm } from "../../signing-keys/signing-key.ts";
import type { AccessTokenType } from "../../people/user/user.ts";
import type { VerificationKey } from "../../client-keys/client-key.ts";
import {
  aggregateOf,
  type ApplicationOfKind,
  type ExternalClientKind,
  isNotApplicationOf,
  requireCreated,
} from "../application/application.ts";
import {
  removeUnusedSecret,
  type OAuthApplicationBase,
  type OAuthMethod,
} from "../oauth/oauth-application.ts";

/** The only response type: the code flow (OpenID Connect Core §3.1). */
export type OidcResponseType = "CODE";

/** What an application may ask the token endpoint for. */
export type OidcGrantType = "AUTHORIZATION_CODE" | "REFRESH_TOKEN" | "DEVICE_CODE" | "TOKEN_EXCHANGE";

/** Where an application runs: on a server, in a browser (a single-page application), or on a device of the user. */
export type OidcAppType = "WEB" | "USER_AGENT" | "NATIVE";

/** How an application uses OpenID Connect. A change replaces all of it. */
export interface OidcSettings {
  /** Where codes may be sent (`isRedirectUriRegistered`). */
  readonly redirectUris: readonly string[];
  readonly responseTypes: readonly OidcResponseType[];
  /** Never empty. */
  readonly grantTypes: readonly OidcGrantType[];
  readonly appType: OidcAppType;
  readonly authMethodType: OAuthMethod;
  /** Where browsers may be sent after a logout (`isPostLogoutRedirectUriRegistered`). */
  readonly postLogoutRedirectUris: readonly string[];
  /** Whether URIs may be registered that are for development only. */
  readonly isDevMode: boolean;
  readonly accessTokenType: AccessTokenType;
  /** Whether JWT access tokens tell the roles of the user. */
  readonly accessTokenRoleAssertion: boolean;
  /** Whether ID tokens tell the roles of the user. */
  readonly idTokenRoleAssertion: boolean;
  /** Whether ID tokens tell what the userinfo endpoint tells of the user. */
  readonly idTokenUserinfoAssertion: boolean;
  /** Origins of pages of the application, besides those of its redirect URIs. */
  readonly additionalOrigins: readonly string[];
  /** The URI that is notified of the end of sessions; empty: nowhere. */
  readonly backChannelLogoutUri: string;
  /** What ID, logout and JWT access tokens are signed with. */
  readonly signingAlgorithm: SigningAlgorithm;
  /** Whether access tokens may be for our own API. Only callers with project.app.write for the whole instance decide it. */
  readonly apiAccess: boolean;
  /** Whether PKCE is required although the application authenticates (RFC 7636); ask `mustUsePkce`. */
  readonly requirePkce: boolean;
  /** What the claim `groups` tells. */
  readonly groupsClaim: GroupsClaim;
  /** What it asks for is in `security-profile.ts`, which also knows what the two below do. */
  readonly securityProfile: SecurityProfile;
  /** Whether requests for a login are accepted only if they were pushed; ask `mustPush`. */
  readonly requirePar: boolean;
  /** Whether each access token is bound to a key; ask `mustProve`. */
  readonly requireDpop: boolean;
  readonly subject: SubjectKind;
  /** What is special about a client that nobody has created; undefined: somebody has. */
  readonly external?: ExternalClient | undefined;
}

/** What is special about a client that nobody has created. */
export interface ExternalClient {
  readonly kind: ExternalClientKind;
  /** What its assertions are verified with. */
  readonly keys: readonly VerificationKey[];
  /** Where the keys come from; undefined: it has sent them. */
  readonly jwksUri: string | undefined;
  /** What users have confirmed before does not hold for what it is now, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** Rules beyond those of OAuth 2.0 that an application follows. */
export type SecurityProfile = "NONE" | "FAPI_2";

/** What names users to an application: names of the values of the enum OidcSubject. */
export type SubjectKind = "ID" | "IMPORTED_ID";

/** Names of the values of the enum GroupsClaim. */
export type GroupsClaim = "ROLE_KEYS" | "GROUP_NAMES" | "GROUP_IDS";

/** An application that users log in to by OpenID Connect. */
export interface OidcApplication extends OAuthApplicationBase {
  readonly kind: "oidc";
  readonly oidc: OidcSettings;
}

/** Raises WRONG_KIND for an application of another kind. */
export function requireOidc(
  application: OidcApplication | ApplicationOfKind<"saml" | "api">,
): OidcApplication {
  if (application.kind !== "oidc") throw isNotApplicationOf("an OIDC application", application.id);
  return application;
}

/** Decides to add an OIDC application. */
export function addOidcApplication(input: {
  readonly id: ApplicationId;
  readonly project: Project;
  readonly name: string;
  readonly settings: OidcSettings;
}): NewEvent {
  const { id, project, name, settings } = input;
  return {
    type: "application.oidc.added",
    aggregateId: id,
    resourceOwner: project.details.resourceOwner,
    payload: { project_id: project.id, name, ...toOidcPayload(settings) },
  };
}

/**
 * Decides to replace all settings: events, or none when nothing changes. The client secret goes when the application authenticates
 * without one from now on. Raises WRONG_KIND for an external client.
 */
export function changeOidcSettings(
  application: OidcApplication,
  settings: OidcSettings,
): readonly NewEvent[] {
  requireCreated(application);
  const before = toOidcPayload(application.oidc);
  const payload = toOidcPayload(settings);
  if (JSON.stringify(before) === JSON.stringify(payload)) return [];
  return [
    { type: "application.oidc.changed", ...aggregateOf(application), payload },
    ...removeUnusedSecret(application, settings.authMethodType),
  ];
}

/**
 * Says whether the change is one of an application that may call our API, before or after it, so that its owner alone must not
 * decide it: each setting decides where its tokens go. To take api_access away, and nothing else, is free.
 */
export function concernsApiAccess(before: OidcSettings, after: OidcSettings): boolean {
  if (!before.apiAccess && !after.apiAccess) return false;
  const toText = (settings: OidcSettings) => JSON.stringify(toOidcPayload(settings));
  const isUntouched = toText({ ...before, apiAccess: after.apiAccess }) === toText(after);
  return !isUntouched || (after.apiAccess && !before.apiAccess);
}

/** How an application of that type authenticates when nothing else is said. */
export function defaultMethodOf(appType: OidcAppType, profile: SecurityProfile): OAuthMethod {
  if (profile === "FAPI_2") return "PRIVATE_KEY_JWT";
  return appType === "WEB" ? "BASIC" : "NONE";
}

/** How the tokens of an application are signed when nothing else is said. */
export function defaultAlgorithmOf(profile: SecurityProfile): SigningAlgorithm {
  return profile === "FAPI_2" ? "ES256" : "RS256";
}

/** Settings that are allowed but not recommended. The names are part of the contract. */
export type ComplianceProblem =
  | "DEV_MODE"
  | "SECRET_OF_PUBLIC_CLIENT"
  | "REDIRECT_URI_LOCALHOST"
  | "REFRESH_TOKEN_WITHOUT_AUTHORIZATION_CODE"
  | "TOKEN_EXCHANGE_OF_PUBLIC_CLIENT";

/** Finds what would be better otherwise, in a fixed order. */
export function findComplianceProblems(settings: OidcSettings): readonly ComplianceProblem[] {
  const { appType, authMethodType, grantTypes, redirectUris } = settings;
  const isPublic = appType !== "WEB";
  const isLoopbackName = (uri: string) => /^http:\/\/localhost(?=[:/?]|$)/.test(uri);
  const found: Readonly<Record<ComplianceProblem, boolean>> = {
    DEV_MODE: settings.isDevMode,
    // RFC 8252 §8.5 and RFC 6749 §2.1: a secret that anybody can extract from an application proves nothing.
    SECRET_OF_PUBLIC_CLIENT: isPublic && authMethodType !== "NONE",
    REDIRECT_URI_LOCALHOST: appType === "NATIVE" && redirectUris.some(isLoopbackName), // RFC 8252 §8.3
    REFRESH_TOKEN_WITHOUT_AUTHORIZATION_CODE:
      grantTypes.includes("REFRESH_TOKEN") &&
      !grantTypes.some((grant) => grant === "AUTHORIZATION_CODE" || grant === "DEVICE_CODE"),
    TOKEN_EXCHANGE_OF_PUBLIC_CLIENT: grantTypes.includes("TOKEN_EXCHANGE") && authMethodType === "NONE",
  };
  const problems = Object.keys(found) as readonly ComplianceProblem[]; // it has no other keys
  return problems.filter((problem) => found[problem]);
}

function toOidcPayload(settings: OidcSettings): OidcApplicationPayload {
  return {
    redirect_uris: settings.redirectUris,
    response_types: settings.responseTypes,
    grant_types: settings.grantTypes,
    app_type: settings.appType,
    auth_method_type: settings.authMethodType,
    post_logout_redirect_uris: settings.postLogoutRedirectUris,
    dev_mode: settings.isDevMode,
    access_token_type: settings.accessTokenType,
    access_token_role_assertion: settings.accessTokenRoleAssertion,
    id_token_role_assertion: settings.idTokenRoleAssertion,
    id_token_userinfo_assertion: settings.idTokenUserinfoAssertion,
    additional_origins: settings.additionalOrigins,
    signing_algorithm: settings.signingAlgorithm,
    api_access: settings.apiAccess,
    require_pkce: settings.requirePkce,
    ...(settings.backChannelLogoutUri === ""
      ? {}
      : { back_channel_logout_uri: settings.backChannelLogoutUri }),
    ...(settings.groupsClaim === "ROLE_KEYS" ? {} : { groups_claim: settings.groupsClaim }),
    ...(settings.securityProfile === "NONE" ? {} : { security_profile: settings.securityProfile }),
    ...(settings.requirePar ? { require_par: true } : {}),
    ...(settings.requireDpop ? { require_dpop: true } : {}),
    ...(settings.subject === "ID" ? {} : { subject: settings.subject }),
  };
}

/** Reads the settings as events hold them. */
export function toOidcSettings(payload: OidcApplicationPayload): OidcSettings {
  return {
    redirectUris: payload.redirect_uris,
    responseTypes: ["CODE"],
    grantTypes: payload.grant_types as readonly OidcGrantType[], // this and the others below: as the decision wrote it
    appType: payload.app_type as OidcAppType,
    authMethodType: payload.auth_method_type as OAuthMethod,
    postLogoutRedirectUris: payload.post_logout_redirect_uris,
    isDevMode: payload.dev_mode,
    accessTokenType: payload.access_token_type as AccessTokenType,
    accessTokenRoleAssertion: payload.access_token_role_assertion,
    idTokenRoleAssertion: payload.id_token_role_assertion,
    idTokenUserinfoAssertion: payload.id_token_userinfo_assertion,
    additionalOrigins: payload.additional_origins,
    backChannelLogoutUri: payload.back_channel_logout_uri ?? "",
    signingAlgorithm: payload.signing_algorithm as SigningAlgorithm,
    apiAccess: payload.api_access,
    requirePkce: payload.require_pkce,
    groupsClaim: (payload.groups_claim ?? "ROLE_KEYS") as GroupsClaim,
    securityProfile: (payload.security_profile ?? "NONE") as SecurityProfile,
    requirePar: payload.require_par ?? false,
    requireDpop: payload.require_dpop ?? false,
    subject: (payload.subject ?? "ID") as SubjectKind,
  };
}
