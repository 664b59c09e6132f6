import type { JsonObject } from "@bufbuild/protobuf";

/** Another value of each setting of an OIDC application, by its field. */
export const changedSettings: Readonly<Record<string, JsonObject>> = {
  redirect_uris: { redirectUris: ["https://app.example.com/cb", "https://attacker.example.com/cb"] },
  post_logout_redirect_uris: { postLogoutRedirectUris: ["https://attacker.example.com/"] },
  dev_mode: { devMode: true },
  app_type: { appType: "OIDC_APP_TYPE_USER_AGENT", authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC" },
  additional_origins: { additionalOrigins: ["https://attacker.example.com"] },
  back_channel_logout_uri: { backChannelLogoutUri: "https://attacker.example.com/logout" },
  auth_method_type: { authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
  grant_types: { grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_DEVICE_CODE"] },
  require_pkce: { requirePkce: true },
  security_profile: {
    securityProfile: "OIDC_SECURITY_PROFILE_FAPI_2",
    authMethodType: "OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT",
    signingAlgorithm: "SIGNING_ALGORITHM_ES256",
  },
  require_par: { requirePar: true },
  require_dpop: { requireDpop: true },
  access_token_type: { accessTokenType: "OIDC_TOKEN_TYPE_JWT" },
  access_token_role_assertion: { accessTokenRoleAssertion: true },
  id_token_role_assertion: { idTokenRoleAssertion: true },
  id_token_userinfo_assertion: { idTokenUserinfoAssertion: true },
  signing_algorithm: { signingAlgorithm: "SIGNING_ALGORITHM_ES256" },
  groups_claim: { groupsClaim: "GROUPS_CLAIM_GROUP_NAMES" },
};
