import type {
  ApplicationService,
  CreateOidcApplicationRequest,
  UpdateOidcConfigRequest,
} from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { ExternalClientKind } from "../../../../gen/gatehouse/v1/application_pb.ts";
import {
  GroupsClaim,
  OidcSubject,
  OidcAppType,
  OidcAuthMethodType,
  OidcGrantType,
  OidcResponseType,
  OidcSecurityProfile,
  OidcTokenType,
} from "../../../../gen/gatehouse/v1/oidc_pb.ts";
import { SigningAlgorithm } from "../../../../gen/gatehouse/v1/signing_key_pb.ts";
import type { FieldViolation } from "../../../kernel/base/problem.ts";
import { toDetailsAnswer, valueName } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { toApplicationName } from "../application/rpc.ts";
import { toAddedClientAnswer } from "../oauth/rpc.ts";
import type { OidcApplicationCommands } from "./commands.ts";
import {
  defaultAlgorithmOf,
  defaultMethodOf,
  findComplianceProblems,
  type OidcApplication,
  type OidcSettings,
} from "./oidc-application.ts";
import { originViolation, redirectUriViolation, type UriRule } from "./redirect-uri.ts";
import { findProfileViolations } from "./security-profile.ts";

/** The guarded fetch as this feature needs it. */
export interface FetchRules {
  /** Says why the URL is forbidden as it is written, or returns undefined. Connects to nothing. */
  violationOf(url: string): string | undefined;
}

/** Maps the messages about OIDC applications to commands. */
export function createOidcApplicationRpcs(
  commands: OidcApplicationCommands,
  fetchRules: FetchRules,
): Pick<ServiceRpcs<typeof ApplicationService>, "createOidcApplication" | "updateOidcConfig"> {
  const check = (request: SettingsRequest) => checkSettings(request, fetchRules);
  return {
    createOidcApplication: {
      check,
      run: async (call, request) => {
        const { projectId, name } = request;
        const settings = toSettings(request);
        return toAddedClientAnswer(await commands.createOidc(call, { projectId, name, settings }));
      },
    },
    updateOidcConfig: {
      check,
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateOidc(call, toApplicationName(request), toSettings(request))),
    },
  };
}

type SettingsRequest = CreateOidcApplicationRequest | UpdateOidcConfigRequest;

const maxUris = 50;

/** Reports empty texts and long lists no second time: the rules of the proto do. */
function checkSettings(request: SettingsRequest, fetchRules: FetchRules): readonly FieldViolation[] {
  const settings = toSettings(request);
  const { appType, isDevMode, grantTypes } = settings;
  const rule = { appType, isDevMode };
  const each = (field: string, uris: readonly string[], violationOf: typeof redirectUriViolation) =>
    uris.slice(0, maxUris).flatMap((uri, at) => {
      const description = uri === "" ? undefined : violationOf(uri, rule);
      return description === undefined ? [] : [{ field: `${field}[${at}]`, description }];
    });
  const backChannel = backChannelViolation(request.backChannelLogoutUri, rule, fetchRules);
  const isMissing = request.redirectUris.length === 0 && grantTypes.includes("AUTHORIZATION_CODE");
  return [
    ...(isMissing ? [{ field: "redirect_uris", description: "must have at least one entry" }] : []),
    ...each("redirect_uris", request.redirectUris, redirectUriViolation),
    ...each("post_logout_redirect_uris", request.postLogoutRedirectUris, redirectUriViolation),
    ...each("additional_origins", request.additionalOrigins, originViolation),
    ...(backChannel === undefined ? [] : [{ field: "back_channel_logout_uri", description: backChannel }]),
    ...findProfileViolations(settings),
  ];
}

/** The service itself connects to it, so the guarded fetch must allow it too. */
function backChannelViolation(uri: string, rule: UriRule, fetchRules: FetchRules): string | undefined {
  return uri === "" ? undefined : (redirectUriViolation(uri, rule) ?? fetchRules.violationOf(uri));
}

function toSettings(request: SettingsRequest): OidcSettings {
  const appType = valueName(OidcAppType, request.appType) ?? "WEB";
  const grantTypes = unique(request.grantTypes).flatMap((type) => valueName(OidcGrantType, type) ?? []);
  const profile = valueName(OidcSecurityProfile, request.securityProfile) ?? "NONE";
  return {
    redirectUris: unique(request.redirectUris),
    responseTypes: ["CODE"],
    grantTypes: grantTypes.length === 0 ? ["AUTHORIZATION_CODE"] : grantTypes,
    appType,
    authMethodType:
      valueName(OidcAuthMethodType, request.authMethodType) ?? defaultMethodOf(appType, profile),
    postLogoutRedirectUris: unique(request.postLogoutRedirectUris),
    isDevMode: request.devMode,
    accessTokenType: valueName(OidcTokenType, request.accessTokenType) ?? "BEARER",
    accessTokenRoleAssertion: request.accessTokenRoleAssertion,
    idTokenRoleAssertion: request.idTokenRoleAssertion,
    idTokenUserinfoAssertion: request.idTokenUserinfoAssertion,
    additionalOrigins: unique(request.additionalOrigins),
    backChannelLogoutUri: request.backChannelLogoutUri,
    signingAlgorithm: valueName(SigningAlgorithm, request.signingAlgorithm) ?? defaultAlgorithmOf(profile),
    apiAccess: request.apiAccess,
    requirePkce: request.requirePkce,
    groupsClaim: valueName(GroupsClaim, request.groupsClaim) ?? "ROLE_KEYS",
    securityProfile: profile,
    requirePar: request.requirePar,
    requireDpop: request.requireDpop,
    subject: valueName(OidcSubject, request.subject) ?? "ID",
  };
}

/** Makes the message of the config. */
export function toOidcMessage({ id, oidc }: OidcApplication) {
  return {
    clientId: id,
    redirectUris: [...oidc.redirectUris],
    responseTypes: oidc.responseTypes.map((type) => OidcResponseType[type]),
    grantTypes: oidc.grantTypes.map((type) => OidcGrantType[type]),
    appType: OidcAppType[oidc.appType],
    authMethodType: OidcAuthMethodType[oidc.authMethodType],
    postLogoutRedirectUris: [...oidc.postLogoutRedirectUris],
    devMode: oidc.isDevMode,
    accessTokenType: OidcTokenType[oidc.accessTokenType],
    accessTokenRoleAssertion: oidc.accessTokenRoleAssertion,
    idTokenRoleAssertion: oidc.idTokenRoleAssertion,
    idTokenUserinfoAssertion: oidc.idTokenUserinfoAssertion,
    additionalOrigins: [...oidc.additionalOrigins],
    backChannelLogoutUri: oidc.backChannelLogoutUri,
    signingAlgorithm: SigningAlgorithm[oidc.signingAlgorithm],
    complianceProblems: [...findComplianceProblems(oidc)],
    apiAccess: oidc.apiAccess,
    requirePkce: oidc.requirePkce,
    groupsClaim: GroupsClaim[oidc.groupsClaim],
    securityProfile: OidcSecurityProfile[oidc.securityProfile],
    requirePar: oidc.requirePar,
    requireDpop: oidc.requireDpop,
    subject: OidcSubject[oidc.subject],
    externalClient: ExternalClientKind[oidc.external?.kind ?? "UNSPECIFIED"],
  };
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
