import { clientAlgorithms } from "../../../kernel/base/jws.ts";
import type { ExternalClientKind } from "../../../identity/applications/application/application.ts";
import { languages } from "../../../identity/texts/languages.ts";
import { mfaReference, singleFactorReference } from "../requests/authentication-context.ts";
import { responseModes } from "../requests/response-mode.ts";
import { prompts } from "../login/authorization-request.ts";
import { apiScope, fixedScopes, isOfMembers } from "../tokens/scopes.ts";
import { endpointPaths } from "./paths.ts";
import { grantTypes } from "./token.ts";

/** How clients prove their identity, those that most have first: some libraries take the first one that they know. */
const authenticationMethods: readonly string[] = [
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
];

/** The claims that tokens and the userinfo endpoint may have, without claims that have an id in their names. */
const claims: readonly string[] = `iss sub aud exp iat auth_time nonce acr amr azp at_hash sid
  name given_name family_name preferred_username locale updated_at
  email email_verified phone_number phone_number_verified groups urn:zitadel:iam:org:project:roles
  urn:zitadel:iam:user:resourceowner:id urn:zitadel:iam:user:resourceowner:name`.split(/\s+/);

/**
 * What is left out, because an application is refused it, or loses it, without a setting that few have: clients send whatever is
 * listed. RFC 8414 §2 leaves open what is advertised. A refresh token is listed although it needs a setting: clients that find it
 * here ask for it, which harms no application, and those that do not find it never refresh.
 */
const ofFew: ReadonlySet<string> = new Set([
  "urn:ietf:params:oauth:grant-type:device_code", // devices look for device_authorization_endpoint (RFC 8628 §4)
  "urn:ietf:params:oauth:grant-type:token-exchange",
  apiScope,
  "create", // the login policy lets nobody register by default
]);

const ofMost = (name: string): boolean => !ofFew.has(name);

/** What the metadata follow from besides the issuer. */
interface MetadataAsked {
  /** How clients may introduce themselves. */
  readonly kinds: readonly ExternalClientKind[];
  /** Whether it is the document of RFC 8414, which such clients read: some ask for each scope that stands in it. */
  readonly isOfOAuth: boolean;
}

/**
 * Makes the metadata of the provider (OpenID Connect Discovery 1.0 §3, RFC 8414 §2). It names only what most applications can use
 * as they are, and every URL begins with the issuer, whatever host the request names.
 */
export function toProviderMetadata(issuer: string, { kinds, isOfOAuth }: MetadataAsked): object {
  const publicMethods = [...authenticationMethods, "none"];
  const isForStrangers = isOfOAuth && kinds.length > 0;
  return {
    issuer,
    authorization_endpoint: `${issuer}${endpointPaths.authorization}`,
    pushed_authorization_request_endpoint: `${issuer}${endpointPaths.pushedAuthorization}`,
    token_endpoint: `${issuer}${endpointPaths.token}`,
    device_authorization_endpoint: `${issuer}${endpointPaths.deviceAuthorization}`, // RFC 8628 §4
    ...(kinds.includes("REGISTRATION")
      ? { registration_endpoint: `${issuer}${endpointPaths.registration}` } // RFC 8414 §2
      : {}),
    ...(kinds.includes("METADATA_DOCUMENT") ? { client_id_metadata_document_supported: true } : {}),
    userinfo_endpoint: `${issuer}${endpointPaths.userinfo}`,
    introspection_endpoint: `${issuer}${endpointPaths.introspection}`,
    revocation_endpoint: `${issuer}${endpointPaths.revocation}`,
    end_session_endpoint: `${issuer}${endpointPaths.endSession}`,
    backchannel_logout_supported: true, // Back-Channel Logout 1.0 §2.1
    backchannel_logout_session_supported: true,
    jwks_uri: `${issuer}${endpointPaths.keys}`,
    grant_types_supported: grantTypes.filter(ofMost),
    response_types_supported: ["code"],
    response_modes_supported: responseModes,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true, // RFC 9207 §3
    prompt_values_supported: prompts.filter(ofMost),
    acr_values_supported: [singleFactorReference, mfaReference],
    ui_locales_supported: languages.map(({ tag }) => tag),
    protected_resources: [issuer], // RFC 9728 §4: our own API; others are not everybody's business
    scopes_supported: fixedScopes.filter(
      (scope) => ofMost(scope) && !(isForStrangers && isOfMembers(scope)), // they would be refused (RFC 8414 §2 leaves it open)
    ),
    claims_supported: claims,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    require_pushed_authorization_requests: false,
    request_uri_parameter_supported: false, // but for references to pushed requests (RFC 9126 §5); OpenID Connect Discovery 1.0 §3: absent would mean that it is
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"],
    token_endpoint_auth_methods_supported: publicMethods,
    token_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    introspection_endpoint_auth_methods_supported: authenticationMethods,
    introspection_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    revocation_endpoint_auth_methods_supported: publicMethods,
    revocation_endpoint_auth_signing_alg_values_supported: clientAlgorithms,
    dpop_signing_alg_values_supported: clientAlgorithms, // RFC 9449 §5.1
  };
}

/** Makes the metadata of our own API as a protected resource (RFC 9728 §2): the resource is the issuer. */
export function toResourceMetadata(issuer: string): object {
  return {
    resource: issuer,
    authorization_servers: [issuer],
    scopes_supported: [apiScope],
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: clientAlgorithms,
    resource_name: "Gatehouse API",
  };
}
