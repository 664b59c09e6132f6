import type { Guard } from "./guards.ts";

const claims = "test/sites/oidc/claims-parameter.test.ts";

/** What keeps the parameter `claims` from telling more, or letting in others, than it may. */
export const claimsGuards: readonly Guard[] = [
  {
    name: "claims: a claim counts as its scope",
    file: "src/sites/oidc/login/login-protocol.ts",
    change: ["new Set([...scopes, ...request.scopes])", "new Set(scopes)"],
    in: claims,
    test: "a claim counts as its scope",
  },
  {
    name: "claims: a client that exchanged the token did not ask",
    file: "src/sites/oidc/endpoints/userinfo.ts",
    change: ["token.exchanges.length === 0 ? authorization?.claims : undefined", "authorization?.claims"],
    in: claims,
    test: "exchanged the token",
  },
  {
    name: "claims: one of several users may log in, and nobody else",
    file: "src/sites/oidc/login/login-protocol.ts",
    change: ["subjects === undefined || subjects.includes(userId)", "subjects !== null || userId !== null"],
    in: claims,
    test: "lets nobody else log in",
  },
];
