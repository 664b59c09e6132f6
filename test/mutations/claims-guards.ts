import type { Guard } from "./guards.ts";

const claims = "test/sites/oidc/claims-parameter.test.ts";
const parameter = "test/sites/oidc/login/claims-parameter.test.ts";

/** What keeps the parameter `claims` from telling more, or letting in others, than it may. */
export const claimsGuards: readonly Guard[] = [
  {
    name: "claims: only claims that we know are kept",
    file: "src/sites/oidc/login/claims-parameter.ts",
    changes: [["(claim) => findScopeOfClaim(claim) !== undefined", "() => true"]],
    in: parameter,
    test: "and for no others",
  },
  {
    name: "claims: a claim counts as its scope",
    file: "src/sites/oidc/login/login-protocol.ts",
    changes: [["new Set([...scopes, ...request.scopes])", "new Set(scopes)"]],
    in: claims,
    test: "a claim counts as its scope",
  },
  {
    name: "claims: a claim grants no scope",
    file: "src/sites/oidc/login/login-protocol.ts",
    changes: [
      ["reachable.scopes.granted.filter((scope) => scopes.includes(scope))", "reachable.scopes.granted"],
    ],
    in: claims,
    test: "are told where they are asked for",
  },
  {
    name: "claims: a client that exchanged the token did not ask",
    file: "src/sites/oidc/endpoints/userinfo.ts",
    changes: [["token.exchanges.length === 0 ? authorization?.claims : undefined", "authorization?.claims"]],
    in: claims,
    test: "exchanged the token",
  },
  {
    name: "claims: sub of both members holds",
    file: "src/sites/oidc/login/claims-parameter.ts",
    changes: [["others.every((list) => list.includes(id))", "others.length < 9"]],
    in: parameter,
    test: "two that differ",
  },
  {
    name: "claims: one of several users may log in, and nobody else",
    file: "src/sites/oidc/login/login-protocol.ts",
    changes: [
      ["subjects === undefined || subjects.includes(userId)", "subjects !== null || userId !== null"],
    ],
    in: claims,
    test: "lets nobody else log in",
  },
  {
    name: "claims: sub and id_token_hint hold together",
    file: "src/sites/oidc/endpoints/authorize.ts",
    changes: [["subjects === undefined || subjects.includes(hinted) ? [hinted] : []", "[hinted]"]],
    in: claims,
    test: "goes together with id_token_hint",
  },
  {
    name: "claims: an acr that nobody has ends the login",
    file: "src/sites/oidc/login/claims-parameter.ts",
    changes: [["if (isEssential && !takesMfa && !takesOne)", "if (values === undefined)"]],
    in: claims,
    test: "that is essential and nobody has here",
  },
];
