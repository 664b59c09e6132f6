import type { Guard } from "./guards.ts";

const pushed = "test/sites/oidc/pushed-authorization.test.ts";
const parameters = "test/sites/oidc/pushed/pushed-parameters.test.ts";
const formPost = "test/sites/oidc/form-post.test.ts";
const repository = "src/identity/protocol-state/pushed-requests/repository.ts";

/** What keeps pushed requests to the one use of their application, and answers by form_post to the application. */
export const pushedGuards: readonly Guard[] = [
  {
    name: "pushed: a reference is used once, however many bring it at once",
    file: repository,
    change: ["return used === 1;", "return used < 2;"],
    in: pushed,
    test: "found by several",
  },
  {
    name: "pushed: the login that begins uses the reference",
    file: "src/sites/login/flow/begin.ts",
    change: ["    await beginning.use?.(tx);\n", ""],
    in: pushed,
    test: "without a session leads to the pages",
  },
  {
    name: "pushed: a reference is of one application",
    file: repository,
    change: [
      "WHERE hash = ? AND application_id = ? AND expiration_ms > ?`",
      "WHERE hash = ? AND ? <> '' AND expiration_ms > ?`",
    ],
    in: pushed,
    test: "for one application alone",
  },
  {
    name: "pushed: a reference expires",
    file: repository,
    changes: [
      ["AND application_id = ? AND expiration_ms > ?`", "AND application_id = ? AND ? > 0`"],
      ["WHERE hash = ? AND expiration_ms > ?", "WHERE hash = ? AND ? > 0"],
    ],
    in: pushed,
    test: "lives for a minute",
  },
  {
    name: "pushed: a request goes with its application",
    file: repository,
    change: [
      '"application.removed": (tx, { aggregateId }) => removeWhere(tx, "application_id = ?", aggregateId),',
      '"application.removed": async () => undefined,',
    ],
    in: pushed,
    test: "or is gone",
  },
  {
    name: "pushed: what the browser brings besides does not count",
    file: "src/sites/oidc/pushed/find-asked.ts",
    change: [
      "return { client, parameters: pushed, use };",
      "return { client, parameters: { ...pushed, values: new Map([...pushed.values, ...brought.values]) }, use };",
    ],
    in: pushed,
    test: "counts as it was pushed",
  },
  {
    name: "pushed: the redirect URI is one of the application",
    file: "src/sites/oidc/pushed/pushed-parameters.ts",
    change: [
      'case "unregistered-redirect":\n      return wrong("redirect_uri is not registered for the application");',
      'case "unregistered-redirect":\n      return undefined;',
    ],
    in: parameters,
    test: "may not be pushed",
  },
  {
    name: "pushed: a request does not refer to another one",
    file: "src/sites/oidc/pushed/pushed-parameters.ts",
    change: ['if (parameters.values.has("request_uri"))', 'if (parameters.values.has("__proto__"))'],
    in: parameters,
    test: "may not be pushed",
  },
  {
    name: "pushed: nothing is kept but what is read, so no credentials",
    file: "src/sites/oidc/pushed/pushed-parameters.ts",
    change: [".filter(([name]) => isReadParameter(name))", ""],
    in: parameters,
    test: "has no credentials",
  },
  {
    name: "pushed: a request is encrypted",
    file: "src/sites/oidc/endpoints/pushed-authorization.ts",
    change: [
      "content: sealParameters(keyring, parameters, hash),",
      "content: { ...sealParameters(keyring, parameters, hash), value: Buffer.from(JSON.stringify([...parameters.values])) },",
    ],
    in: pushed,
    test: "can be read in the database",
  },
  {
    name: "pushed: only the hash of a reference is stored",
    file: "src/sites/oidc/pushed/request-uri.ts",
    change: [
      'return hash("sha256", requestUri, "base64url");',
      'return hash("sha256", requestUri, "base64url") && requestUri;',
    ],
    in: pushed,
    test: "can be read in the database",
  },
  {
    name: "pushed: an assertion is used even by a request that is refused",
    file: "src/sites/oidc/endpoints/pushed-authorization.ts",
    change: ["writeWithUse(database, { uses, request", "writeWithUse(database, { uses: [], request"],
    in: pushed,
    test: "with an assertion",
  },
  {
    name: "form_post: only the script of the page may run on it",
    file: "src/sites/login/layout.ts",
    change: ["\"'self'\" : toHashSource(script)", "\"'self'\" : \"'unsafe-inline'\""],
    in: formPost,
    test: "known by its hash",
  },
  {
    name: "form_post: a form goes to a page of the web",
    file: "src/sites/oidc/login/authorization-request.ts",
    change: ["return /^https?:/i.test(redirectUri);", "return redirectUri.length > 0;"],
    in: "test/sites/oidc/login/authorization-request.test.ts",
    test: "in a form if it asks for one",
  },
];
