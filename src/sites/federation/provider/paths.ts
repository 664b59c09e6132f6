/** Where browsers come back to from identity providers. */
export const federationPaths = {
  callback: "/idps/callback",
  /** Where answers of SAML providers come to, and where browsers go on with them. */
  samlAcs: "/idps/saml/acs",
  /** What SAML providers know us by; it is our entity id as their client, too. */
  samlMetadata: "/idps/saml/metadata",
  jwt: "/ui/login/login/jwt/authorize",
} as const;
