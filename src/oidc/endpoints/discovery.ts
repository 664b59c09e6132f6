/** Where each endpoint is, below the issuer. */
export const endpointPaths = {
  keys: "/oauth/v2/keys",
} as const;

/**
 * Makes the metadata of the provider (OpenID Connect Discovery 1.0 §3, RFC 8414 §2). It names only what there is, and every URL
 * begins with the issuer, whatever host the request names.
 */
export function toProviderMetadata(issuer: string): object {
  return {
    issuer,
    jwks_uri: `${issuer}${endpointPaths.keys}`,
    // RFC 8414 §2: the field is required; there is no authorization endpoint yet.
    response_types_supported: [],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "ES256", "EdDSA"],
  };
}
