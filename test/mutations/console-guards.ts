import type { Guard } from "./guards.ts";

const client = "test/sites/oidc/console.test.ts";
const site = "test/sites/front/console-site.test.ts";
const signIn = "test/console/sign-in.test.ts";
const decisions = "src/console/session/sign-in.ts";

/** What keeps the console to its own address and its own tokens, and its site to its own files. */
export const consoleGuards: readonly Guard[] = [
  {
    name: "console: its redirect URI is compared with its port",
    file: "src/identity/applications/oidc/console.ts",
    change: ['appType: "USER_AGENT"', 'appType: "NATIVE"'],
    in: "test/sites/oidc/attacks.sized.test.ts",
    test: "of the console",
  },
  {
    name: "console: it has no other grant than that for a code",
    file: "src/identity/applications/oidc/console.ts",
    change: ['grantTypes: ["AUTHORIZATION_CODE"]', 'grantTypes: ["AUTHORIZATION_CODE", "DEVICE_CODE"]'],
    in: client,
    test: "uses another grant",
  },
  {
    name: "console: it gets no refresh tokens",
    file: "src/identity/applications/oidc/console.ts",
    change: ['grantTypes: ["AUTHORIZATION_CODE"]', 'grantTypes: ["AUTHORIZATION_CODE", "REFRESH_TOKEN"]'],
    in: client,
    test: "keeps a refresh token",
  },
  {
    name: "console: its tokens are for our API alone",
    file: "src/sites/oidc/tokens/issue-for-authorization.ts",
    change: [
      "if (client.place === undefined) return keepScopesFor(scopes.granted, [apiAudience]);",
      "if (client.place === undefined) return scopes;",
    ],
    in: client,
    test: "has tokens for itself",
  },
  {
    name: "console: nobody registers there",
    file: "src/sites/oidc/endpoints/authorize.ts",
    change: ["if (place === undefined) return false;", "if (place === undefined) return true;"],
    in: client,
    test: "lets nobody register",
  },
  {
    name: "console: after a logout the browser goes to its page and nowhere else",
    file: "src/identity/applications/oidc/console.ts",
    change: ["postLogoutRedirectUris: [home]", "postLogoutRedirectUris: [home, `${home}callback`]"],
    in: client,
    test: "ends the session",
  },
  {
    name: "console: its page lets no script run but its own",
    file: "src/sites/front/console-files.ts",
    change: [`"script-src 'self'",`, `"script-src 'self' 'unsafe-inline'",`],
    in: site,
    test: "with its page",
  },
  {
    name: "console: no page frames it",
    file: "src/sites/front/console-files.ts",
    change: [`    "frame-ancestors 'none'",\n`, ""],
    in: site,
    test: "with its page",
  },
  {
    name: "console page: an answer has the state of the attempt",
    file: decisions,
    change: ['answer.get("state") !== attempt.state ||', ""],
    in: signIn,
    test: "it has another state",
  },
  {
    name: "console page: an answer is from our issuer",
    file: decisions,
    change: [' || answer.get("iss") !== issuer', ""],
    in: signIn,
    test: "from another issuer",
  },
  {
    name: "console page: an ID token has the nonce of the attempt",
    file: decisions,
    change: ['claims["nonce"] === expected.nonce &&', ""],
    in: signIn,
    test: "another nonce",
  },
  {
    name: "console page: an ID token is for the console",
    file: decisions,
    change: ["audience.includes(expected.clientId)", "true"],
    in: signIn,
    test: "another audience",
  },
  {
    name: "console page: an attempt is good for one answer",
    file: "src/console/session/tab-store.ts",
    change: ["      storage.removeItem(attemptName);\n", ""],
    in: "test/console/tab-store.test.ts",
    test: "gives an attempt once",
  },
  {
    name: "console page: secrets are not kept in drafts",
    file: "src/console/ui/form/drafts.ts",
    change: ["!secrets.includes(name)", "name !== undefined"],
    in: "test/console/drafts.test.ts",
    test: "without the secrets",
  },
];
