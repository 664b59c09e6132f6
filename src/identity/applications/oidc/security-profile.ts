import { type ClientAlgorithm, clientAlgorithms } from "../../../kernel/base/jws.ts";
import type { FieldViolation } from "../../../kernel/base/problem.ts";
import type { OidcSettings } from "./oidc-application.ts";

/** What profiles ask of an application, in the words of the FAPI 2.0 Security Profile, whose sections the functions name. */
type Secured = Pick<OidcSettings, "securityProfile">;

/** FAPI 2.0 §5.4.1. RFC 9864 gives EdDSA with Ed25519, the only curve that we know, a second name. */
const algorithmsOfFapi: readonly ClientAlgorithm[] = ["PS256", "ES256", "EdDSA", "Ed25519"];

/** Says whether the application must push its requests for a login (RFC 9126 §6, FAPI 2.0 §5.3.2.2). */
export function mustPush({
  securityProfile,
  requirePar,
}: Secured & Pick<OidcSettings, "requirePar">): boolean {
  return requirePar || isFapi({ securityProfile });
}

/** Says whether each access token of the application is bound to a key, by a proof (RFC 9449 §5, FAPI 2.0 §5.3.2.1). */
export function mustProve({
  securityProfile,
  requireDpop,
}: Secured & Pick<OidcSettings, "requireDpop">): boolean {
  return requireDpop || isFapi({ securityProfile });
}

/** Says whether requests for a login need PKCE: also those of applications that cannot authenticate (RFC 9700 §2.1.1, FAPI 2.0 §5.3.2.2). */
export function mustUsePkce({
  securityProfile,
  requirePkce,
  authMethodType,
}: Pick<OidcSettings, "securityProfile" | "requirePkce" | "authMethodType">): boolean {
  return requirePkce || authMethodType === "NONE" || isFapi({ securityProfile });
}

/** Says whether assertions of the application may be for the issuer only, which `aud` names as a text (FAPI 2.0 §5.3.2.1). */
export function mustNameIssuer(settings: Secured): boolean {
  return isFapi(settings);
}

/** Says whether a refresh token stays the same when it is used (FAPI 2.0 §5.3.2.1): what it gives is bound to keys of the application. */
export function keepsRefreshTokens(settings: Secured): boolean {
  return isFapi(settings);
}

/** Returns the algorithms with which the application may sign assertions and proofs. */
export function algorithmsOf(settings: Secured): readonly ClientAlgorithm[] {
  return isFapi(settings) ? algorithmsOfFapi : clientAlgorithms;
}

/** Says which settings contradict the profile. */
export function findProfileViolations(settings: OidcSettings): readonly FieldViolation[] {
  if (!isFapi(settings)) return [];
  const { authMethodType, signingAlgorithm, appType, grantTypes, isDevMode } = settings;
  const contradictions: readonly (readonly [field: string, isWrong: boolean, rule: string])[] = [
    [
      "auth_method_type",
      authMethodType !== "PRIVATE_KEY_JWT",
      "must be OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT",
    ],
    [
      "signing_algorithm",
      signingAlgorithm === "RS256",
      "must be SIGNING_ALGORITHM_ES256 or SIGNING_ALGORITHM_EDDSA",
    ],
    ["app_type", appType === "USER_AGENT", "must not be OIDC_APP_TYPE_USER_AGENT, which can keep no key"],
    ["grant_types", grantTypes.includes("DEVICE_CODE"), "must not hold OIDC_GRANT_TYPE_DEVICE_CODE"],
    ["dev_mode", isDevMode, "must be false"],
  ];
  return contradictions.flatMap(([field, isWrong, rule]) =>
    isWrong ? [{ field, description: `${rule} with OIDC_SECURITY_PROFILE_FAPI_2` }] : [],
  );
}

function isFapi({ securityProfile }: Secured): boolean {
  return securityProfile === "FAPI_2";
}
