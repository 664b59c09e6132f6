import { toEnum } from "../../../api/enums.ts";
import type { OidcApplicationConfig } from "../../../../../gen/console/gatehouse/v1/application_pb.ts";
import {
  GroupsClaim,
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcResponseType,
  OidcSecurityProfile,
  OidcSubject,
  OidcTokenType,
} from "../../../../../gen/console/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../../gen/console/gatehouse/v1/signing_key_pb.ts";

/** The settings of an OIDC application as fields hold them: enums are the texts of their numbers. */
export type OidcValues = {
  readonly appType: string;
  readonly authMethodType: string;
  readonly grantTypes: readonly string[];
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly additionalOrigins: readonly string[];
  readonly devMode: boolean;
  readonly backChannelLogoutUri: string;
  readonly accessTokenType: string;
  readonly accessTokenRoleAssertion: boolean;
  readonly idTokenRoleAssertion: boolean;
  readonly idTokenUserinfoAssertion: boolean;
  readonly signingAlgorithm: string;
  readonly requirePkce: boolean;
  readonly groupsClaim: string;
  readonly securityProfile: string;
  readonly requirePar: boolean;
  readonly requireDpop: boolean;
  readonly subject: string;
  readonly apiAccess: boolean;
};

/** Returns the values of a new application, which fit where it runs. */
export function beginOidc(appType: OidcAppType): OidcValues {
  const isOnServer = appType === OidcAppType.WEB;
  const grants: readonly OidcGrantType[] =
    appType === OidcAppType.NATIVE
      ? [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN]
      : [OidcGrantType.AUTHORIZATION_CODE];
  return {
    appType: String(appType),
    authMethodType: String(isOnServer ? OidcAuthMethodType.BASIC : OidcAuthMethodType.NONE),
    grantTypes: grants.map(String),
    redirectUris: [],
    postLogoutRedirectUris: [],
    additionalOrigins: [],
    devMode: false,
    backChannelLogoutUri: "",
    accessTokenType: String(OidcTokenType.BEARER),
    accessTokenRoleAssertion: false,
    idTokenRoleAssertion: false,
    idTokenUserinfoAssertion: false,
    signingAlgorithm: String(SigningAlgorithm.RS256),
    requirePkce: false,
    groupsClaim: String(GroupsClaim.ROLE_KEYS),
    securityProfile: String(OidcSecurityProfile.NONE),
    requirePar: false,
    requireDpop: false,
    subject: String(OidcSubject.ID),
    apiAccess: false,
  };
}

/** Returns the values of an application. */
export function toOidcValues(config: OidcApplicationConfig): OidcValues {
  return {
    appType: String(config.appType),
    authMethodType: String(config.authMethodType),
    grantTypes: config.grantTypes.map(String),
    redirectUris: config.redirectUris,
    postLogoutRedirectUris: config.postLogoutRedirectUris,
    additionalOrigins: config.additionalOrigins,
    devMode: config.devMode,
    backChannelLogoutUri: config.backChannelLogoutUri,
    accessTokenType: String(config.accessTokenType),
    accessTokenRoleAssertion: config.accessTokenRoleAssertion,
    idTokenRoleAssertion: config.idTokenRoleAssertion,
    idTokenUserinfoAssertion: config.idTokenUserinfoAssertion,
    signingAlgorithm: String(config.signingAlgorithm),
    requirePkce: config.requirePkce,
    groupsClaim: String(config.groupsClaim),
    securityProfile: String(config.securityProfile),
    requirePar: config.requirePar,
    requireDpop: config.requireDpop,
    subject: String(config.subject),
    apiAccess: config.apiAccess,
  };
}

/** Returns the values as requests have them. There is a single response type, the code, so no field asks for it. */
export function toOidcRequest(values: OidcValues) {
  return {
    ...values,
    redirectUris: [...values.redirectUris],
    postLogoutRedirectUris: [...values.postLogoutRedirectUris],
    additionalOrigins: [...values.additionalOrigins],
    responseTypes: [OidcResponseType.CODE],
    appType: toEnum(OidcAppType, values.appType),
    authMethodType: toEnum(OidcAuthMethodType, values.authMethodType),
    grantTypes: values.grantTypes.map((grant) => toEnum(OidcGrantType, grant)).toSorted((a, b) => a - b),
    accessTokenType: toEnum(OidcTokenType, values.accessTokenType),
    groupsClaim: toEnum(GroupsClaim, values.groupsClaim),
    securityProfile: toEnum(OidcSecurityProfile, values.securityProfile),
    subject: toEnum(OidcSubject, values.subject),
    signingAlgorithm: toEnum(SigningAlgorithm, values.signingAlgorithm),
  };
}

/** What decides which values are offered. */
export type OidcChoice = Pick<OidcValues, "appType" | "authMethodType" | "grantTypes" | "securityProfile">;

/** Says whether the application follows the FAPI 2.0 Security Profile, which leaves less to choose from. */
export function isFapi({ securityProfile }: Pick<OidcValues, "securityProfile">): boolean {
  return securityProfile === String(OidcSecurityProfile.FAPI_2);
}

/** Returns the algorithms that tokens can be signed with, and the chosen one. */
export function offeredAlgorithms(
  values: Pick<OidcValues, "securityProfile" | "signingAlgorithm">,
): readonly string[] {
  const { RS256, ES256, EDDSA } = SigningAlgorithm;
  const fitting = isFapi(values) ? [ES256, EDDSA] : [RS256, ES256, EDDSA];
  return [...new Set([...fitting.map(String), values.signingAlgorithm])].toSorted();
}

/**
 * Returns the ways of authenticating that fit where the application runs, and the chosen one: outside of a server everybody can take
 * a secret out of it (RFC 8252 §8.5).
 */
export function offeredMethods(choice: OidcChoice): readonly string[] {
  const { BASIC, POST, NONE, PRIVATE_KEY_JWT } = OidcAuthMethodType;
  const others = choice.appType === String(OidcAppType.WEB) ? [BASIC, POST, PRIVATE_KEY_JWT, NONE] : [NONE];
  const fitting = isFapi(choice) ? [PRIVATE_KEY_JWT] : others;
  return [...new Set([...fitting.map(String), choice.authMethodType])];
}

/**
 * Returns the grants that applications of this kind can use, and the chosen ones. A page in a browser has no use for a login on
 * another device, and only an application that authenticates may exchange tokens.
 */
export function offeredGrants(choice: OidcChoice): readonly string[] {
  const { appType, authMethodType, grantTypes } = choice;
  const { AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_CODE, TOKEN_EXCHANGE } = OidcGrantType;
  const isInBrowser = appType === String(OidcAppType.USER_AGENT);
  const isPublic = authMethodType === String(OidcAuthMethodType.NONE);
  const fitting = [
    AUTHORIZATION_CODE,
    REFRESH_TOKEN,
    ...(isInBrowser || isFapi(choice) ? [] : [DEVICE_CODE]),
    ...(isPublic ? [] : [TOKEN_EXCHANGE]),
  ].map(String);
  return [...new Set([...fitting, ...grantTypes])].toSorted();
}

/** Lists the fields whose values contradict FAPI 2.0, if the application follows that. */
export function findFapiFaults(values: OidcValues): readonly (keyof OidcValues)[] {
  if (!isFapi(values)) return [];
  const faults: Readonly<Partial<Record<keyof OidcValues, boolean>>> = {
    appType: values.appType === String(OidcAppType.USER_AGENT),
    authMethodType: values.authMethodType !== String(OidcAuthMethodType.PRIVATE_KEY_JWT),
    grantTypes: values.grantTypes.includes(String(OidcGrantType.DEVICE_CODE)),
    signingAlgorithm: values.signingAlgorithm === String(SigningAlgorithm.RS256),
    devMode: values.devMode,
  };
  return (Object.keys(faults) as readonly (keyof OidcValues)[]).filter((name) => faults[name]); // it has no other keys
}

/** Says whether the application authenticates with a client secret. */
export function hasSecret(authMethodType: OidcAuthMethodType): boolean {
  return authMethodType === OidcAuthMethodType.BASIC || authMethodType === OidcAuthMethodType.POST;
}

/** Says whether the application asks for codes, which need a redirect URI. */
export function asksForCode({ grantTypes }: Pick<OidcValues, "grantTypes">): boolean {
  return grantTypes.includes(String(OidcGrantType.AUTHORIZATION_CODE));
}

/** Says whether a redirect URI is missing. */
export function lacksRedirectUri(values: Pick<OidcValues, "grantTypes" | "redirectUris">): boolean {
  return asksForCode(values) && values.redirectUris.length === 0;
}

/**
 * Says whether a redirect URI is on this computer without TLS, which web applications may only have in development mode. It is what most
 * people begin with.
 */
export function needsDevMode(values: Pick<OidcValues, "appType" | "devMode" | "redirectUris">): boolean {
  const isLocal = values.redirectUris.some((uri) =>
    /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(?=[:/?]|$)/i.test(uri),
  );
  return isLocal && !values.devMode && values.appType !== String(OidcAppType.NATIVE);
}
