/** Where browsers come back to from identity providers. */
export const federationPaths = {
  callback: "/idps/callback",
  jwt: "/ui/login/login/jwt/authorize",
} as const;
