import type { Guard } from "./guards.ts";

const rules = "test/sites/oidc/login/authorization-request.test.ts";
const code = "test/sites/oidc/codes/code.test.ts";
const grant = "test/sites/oidc/authorization-code.test.ts";
const browsers = "test/sites/oidc/authorize.test.ts";
const settings = "test/sites/oidc/settings-at-login.test.ts";
const logout = "test/sites/oidc/end-session.test.ts";

/** What keeps codes, refresh tokens and redirects from those whom they are not for. */
export const codeGuards: readonly Guard[] = [
  {
    name: "authorize: a browser is sent only to a redirect URI of the application",
    file: "src/sites/oidc/login/authorization-request.ts",
    change: ['return isRegistered(redirectUri) ? undefined : "unregistered-redirect";', "return undefined;"],
    in: rules,
    test: "another redirect_uri",
  },
  {
    name: "authorize: who cannot authenticate sends a challenge",
    file: "src/sites/oidc/login/authorization-request.ts",
    change: [' || application.authMethodType === "NONE"', ""],
    in: rules,
    test: "needs the grant",
  },
  {
    name: "authorize: a plain challenge proves nothing",
    file: "src/sites/oidc/login/authorization-request.ts",
    change: ['if (method !== "S256")', 'if (method !== "S256" && method !== "plain")'],
    in: rules,
    test: "plain PKCE",
  },
  {
    name: "authorize: an application that is switched off is not answered",
    file: "src/sites/oidc/endpoints/authorize.ts",
    change: ['if (client?.isActive === false) throw new PageRefusal("inactive-application");', ""],
    in: settings,
    test: "application: nothing is given",
  },
  {
    name: "authorize: a hint is for its client",
    file: "src/sites/oidc/endpoints/authorize.ts",
    change: ['return aud === clientId && typeof sub === "string"', 'return typeof sub === "string"'],
    in: browsers,
    test: "only the user whom it names",
  },
  {
    name: "code: the verifier fits to the challenge",
    file: "src/sites/oidc/codes/code.ts",
    change: [
      "return equalBytes(Buffer.from(made), Buffer.from(codeChallenge));",
      "return made !== codeChallenge || true;",
    ],
    in: code,
    test: "another verifier",
  },
  {
    name: "code: one with a challenge needs the verifier",
    file: "src/sites/oidc/codes/code.ts",
    change: [
      'if (sent.verifier === undefined) return "the parameter code_verifier is missing";',
      "if (sent.verifier === undefined) return undefined;",
    ],
    in: code,
    test: "no verifier",
  },
  {
    name: "code: redirect_uri is the one that it was asked for with",
    file: "src/sites/oidc/codes/code.ts",
    change: ["if (sent.redirectUri !== terms.redirectUri)", "if (false)"],
    in: code,
    test: "redirect URI",
  },
  {
    name: "code: it belongs to its client",
    file: "src/sites/oidc/grants/authorization-code.ts",
    change: ["|| authorization?.applicationId !== client.id) throw", "|| authorization === undefined) throw"],
    in: grant,
    test: "another verifier, redirect URI or client",
  },
  {
    name: "code: it expires",
    file: "src/sites/oidc/grants/authorization-code.ts",
    change: ["if (code.expirationMs <= nowMs || !(await", "if (!(await"],
    in: grant,
    test: "after a minute",
  },
  {
    name: "code: a second use ends what the first one gave",
    file: "src/sites/oidc/grants/authorization-code.ts",
    change: ["if (authorization.isEnded) throw", "if (!authorization.isEnded) throw"],
    in: grant,
    test: "used twice ends",
  },
  {
    name: "code: whoever could not have redeemed it ends nothing with it",
    file: "src/sites/oidc/grants/authorization-code.ts",
    change: [
      "  requireFit(code, request);\n",
      "  if (code.usedMs === undefined) requireFit(code, request);\n",
    ],
    in: grant,
    test: "ends nothing without the verifier",
  },
  {
    name: "code: it ends with its session",
    file: "src/sites/oidc/grants/authorization-code.ts",
    change: [" || !(await isSessionLive(tx, authorization, nowMs))) throw", ") throw"],
    in: logout,
    test: "nobody has redeemed",
  },
  {
    name: "code: it ends with a session that is over by its time",
    file: "src/sites/oidc/grants/authorization-code.ts",
    change: ["!(await isSessionLive(tx, authorization, nowMs))", "authorization.generation > 0"],
    in: grant,
    test: "over by its time",
  },
  {
    name: "refresh token: it belongs to its client",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: ["|| authorization?.applicationId !== client.id) throw", "|| authorization === undefined) throw"],
    in: grant,
    test: "for its client alone",
  },
  {
    name: "refresh token: a late repeat ends the family",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: ["if (usedMs === undefined || nowMs > usedMs + repeatWindowMs)", "if (usedMs === undefined)"],
    in: grant,
    test: "repeated later",
  },
  {
    name: "refresh token: a used one does not end for want of use",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: ["stored.usedMs === undefined ? stored.idleExpirationMs : Infinity", "stored.idleExpirationMs"],
    in: grant,
    test: "repeated after fourteen days",
  },
  {
    name: "refresh token: reuse is noticed before scopes are judged",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: [
      "if (stored.usedMs !== undefined && repeatable === undefined)\n",
      "const early = readNarrowedScopes(authorization, asked);\n  if (early && stored.usedMs !== undefined && repeatable === undefined)\n",
    ],
    in: grant,
    test: "with a scope that it never had",
  },
  {
    name: "refresh token: a repeat after the next one ends the family",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: [
      "if (successor === undefined || successor.usedMs !== undefined)",
      "if (successor === undefined)",
    ],
    in: grant,
    test: "although the next one",
  },
  {
    name: "refresh token: it gives no scope that was not granted",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: ["if (!wanted.every((scope) => authorization.scopes.includes(scope)))", "if (false)"],
    in: grant,
    test: "for its scopes",
  },
  {
    name: "refresh token: the limits of roles stay",
    file: "src/sites/oidc/grants/refresh-token.ts",
    change: ["keepRoleLimits(wanted, authorization.scopes).join", "keepRoleLimits(wanted, []).join"],
    in: settings,
    test: "limited to some roles",
  },
  {
    name: "tokens: the checks of the project are judged at each of them",
    file: "src/sites/oidc/tokens/issue-for-authorization.ts",
    change: ['if (access !== "ok")', 'if (access === "ok" && tx === null)'],
    in: settings,
    test: "project_role_check",
  },
  {
    name: "tokens: nobody who was locked gets one",
    file: "src/sites/oidc/tokens/issue-for-authorization.ts",
    change: [
      "authorization.isEnded || user === undefined || user.lockCount !== authorization.lockCount",
      "user === undefined",
    ],
    in: settings,
    test: "a locked user",
  },
  {
    name: "login: the checks of the project are judged before a code",
    file: "src/sites/oidc/login/login-protocol.ts",
    change: ['if (access !== "ok")', 'if (access === "ok" && tx === null)'],
    in: settings,
    test: "say which one refuses",
  },
  {
    name: "scopes: our own API is for applications that may call it",
    file: "src/sites/oidc/tokens/scopes.ts",
    change: ["if (scope === apiScope) return rights.apiAccess;", ""],
    in: rules,
    test: "read as it was sent",
  },
  {
    name: "introspection: only whom a token is for is told",
    file: "src/sites/oidc/endpoints/introspection.ts",
    change: ["if (!isForApplication(reach, client)) return inactive;", ""],
    in: "test/sites/oidc/introspection.test.ts",
    test: "tells others nothing",
  },
  {
    name: "introspection: the client proves who it is",
    file: "src/sites/oidc/endpoints/introspection.ts",
    change: ["if (credential === undefined)", "if (client === undefined)"],
    in: "test/sites/oidc/introspection.test.ts",
    test: "a client that authenticates",
  },
  {
    name: "logout: a page asks unless the hint is of this session",
    file: "src/sites/oidc/logout/logout-request.ts",
    change: [
      'return request.sessionId === session.id ? "end" : "ask";',
      'return request.sessionId === undefined ? "ask" : "end";',
    ],
    in: "test/sites/oidc/logout/logout-request.test.ts",
    test: "asks unless",
  },
  {
    name: "logout: a browser is sent only to a URI of the application",
    file: "src/sites/oidc/logout/location.ts",
    change: ["isPostLogoutRedirectUriRegistered(client.settings, uri) ?", "true ?"],
    in: logout,
    test: "to a page",
  },
  {
    name: "logout: the form is our own",
    file: "src/sites/oidc/endpoints/end-session.ts",
    change: ["requireOwnForm(visit.exchange, form, cookie);", ""],
    in: logout,
    test: "only from our form",
  },
];
