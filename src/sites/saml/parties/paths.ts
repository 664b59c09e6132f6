/** Where each endpoint is, below the issuer. */
export const samlPaths = {
  metadata: "/saml/v2/metadata",
  certificate: "/saml/v2/certificate",
  singleSignOn: "/saml/v2/SSO",
  continue: "/saml/v2/continue",
  singleLogout: "/saml/v2/SLO",
  start: "/saml/v2/start",
} as const;

/** Returns our entity id: the URL of our metadata, as SAML Metadata §4.1.1 advises. */
export function entityIdOf(issuer: string): string {
  return `${issuer}${samlPaths.metadata}`;
}
