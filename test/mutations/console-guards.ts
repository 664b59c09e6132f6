import type { Guard } from "./guards.ts";

const client = "test/oidc/console.test.ts";
const site = "test/front/console-site.test.ts";
const start = "test/front/start-page.test.ts";

/** What keeps the console to its own address and its own tokens, and its site to its own files. */
export const consoleGuards: readonly Guard[] = [
  {
    name: "console: its redirect URI is compared with its port",
    file: "src/features/applications/oidc/console.ts",
    changes: [['appType: "USER_AGENT"', 'appType: "NATIVE"']],
    in: "test/oidc/attacks.sized.test.ts",
    test: "of the console",
  },
  {
    name: "console: it has no other grant than that for a code",
    file: "src/features/applications/oidc/console.ts",
    changes: [['grantTypes: ["AUTHORIZATION_CODE"]', 'grantTypes: ["AUTHORIZATION_CODE", "DEVICE_CODE"]']],
    in: client,
    test: "uses another grant",
  },
  {
    name: "console: it gets no refresh tokens",
    file: "src/features/applications/oidc/console.ts",
    changes: [['grantTypes: ["AUTHORIZATION_CODE"]', 'grantTypes: ["AUTHORIZATION_CODE", "REFRESH_TOKEN"]']],
    in: client,
    test: "keeps a refresh token",
  },
  {
    name: "console: its tokens are for our API alone",
    file: "src/oidc/tokens/issue-for-authorization.ts",
    changes: [
      [
        "if (client.place === undefined) return keepScopesFor(scopes.granted, [apiAudience]);",
        "if (client.place === undefined) return scopes;",
      ],
    ],
    in: client,
    test: "has tokens for itself",
  },
  {
    name: "console: nobody registers there",
    file: "src/oidc/endpoints/authorize.ts",
    changes: [["if (place === undefined) return false;", "if (place === undefined) return true;"]],
    in: client,
    test: "lets nobody register",
  },
  {
    name: "console: after a logout the browser goes to its page and nowhere else",
    file: "src/features/applications/oidc/console.ts",
    changes: [["postLogoutRedirectUris: [home]", "postLogoutRedirectUris: [home, `${home}callback`]"]],
    in: client,
    test: "ends the session",
  },
  {
    name: "console: its page lets no script run but its own",
    file: "src/front/console-files.ts",
    changes: [[`"script-src 'self'",`, `"script-src 'self' 'unsafe-inline'",`]],
    in: site,
    test: "with its page",
  },
  {
    name: "console: no page frames it",
    file: "src/front/console-files.ts",
    changes: [[`    "frame-ancestors 'none'",\n`, ""]],
    in: site,
    test: "with its page",
  },
  {
    name: "console: a browser asks for its page anew",
    file: "src/front/console-files.ts",
    changes: [["isImmutable: path.startsWith(hashedFolder)", "isImmutable: true"]],
    in: site,
    test: "with its page",
  },
  {
    name: "console: a script that is not there is no page",
    file: "src/front/console-site.ts",
    changes: [["if (path.startsWith(hashedFolder)) throw pathUnknown();", ""]],
    in: site,
    test: "no path leads out",
  },
  {
    name: "console: what no browser reads is not served",
    file: "src/front/console-files.ts",
    changes: [["const type = types[extname(path)];", 'const type = types[extname(path)] ?? "text/plain";']],
    in: site,
    test: "no path leads out",
  },
  {
    name: "console: its files are read, not written",
    file: "src/front/console-site.ts",
    changes: [["if (!verbs.includes(exchange.verb)) throw methodNotAllowed(verbs);", ""]],
    in: site,
    test: "refuses",
  },
  {
    name: "console: the tag of a form is not that of another one",
    file: "src/front/console-site.ts",
    changes: [['${coding === undefined ? "" : `-${coding}`}', ""]],
    in: site,
    test: "has it already",
  },
  {
    name: "start page: only in local mode it names a file",
    file: "src/front/sites.ts",
    changes: [["isLocal ? folder.adminLink : undefined", "folder.adminLink"]],
    in: start,
    test: "outside of local mode",
  },
  {
    name: "start page: a program gets what it got before",
    file: "src/front/negotiation.ts",
    changes: [["return page > 0 && page >= json;", "return page >= 0;"]],
    in: start,
    test: "the problem of an unknown path",
  },
  {
    name: "refusals: what calls gets no page",
    file: "src/front/browser-refusals.ts",
    changes: [["!isOfCalls(exchange.path) &&", "(isOfCalls(exchange.path) || true) &&"]],
    in: "test/front/browser-refusals.test.ts",
    test: "is told in JSON to REST",
  },
];
