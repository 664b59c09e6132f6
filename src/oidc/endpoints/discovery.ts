import { assertionAlgorithms } from "../clients/assertion.ts";
import { fixedScopes } from "../tokens/scopes.ts";
import { endpointPaths } from "./paths.ts";
import { grantTypes } from "./token.ts";

/** How clients may authenticate. */
const authenticationMethods: readonly string[] = [
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
];

/**
 * Makes the metadata of the provider (OpenID Connect Discovery 1.0 §3, RFC 8414 §2). It names only what there is, and every URL
 * begins with the issuer, whatever host the request names.
 */
export function toProviderMetadata(issuer: string): object {
  return {
    issuer,
    token_endpoint: `${issuer}${endpointPaths.token}`,
    revocation_endpoint: `${issuer}${endpointPaths.revocation}`,
    jwks_uri: `${issuer}${endpointPaths.keys}`,
    grant_types_supported: grantTypes,
    // RFC 8414 §2: the field is required; there is no authorization endpoint yet.
    response_types_supported: [],
    scopes_supported: fixedScopes,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"],
    token_endpoint_auth_methods_supported: authenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: authenticationMethods,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  };
}
