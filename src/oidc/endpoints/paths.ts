/** Where each endpoint is, below the issuer. */
export const endpointPaths = {
  keys: "/oauth/v2/keys",
  token: "/oauth/v2/token",
  revocation: "/oauth/v2/revoke",
} as const;
