import type { Guard } from "./guards.ts";

const exchange = "test/sites/oidc/token-exchange.test.ts";
const tokens = "test/sites/oidc/exchanged-tokens.sized.test.ts";
const rules = "test/sites/oidc/grants/exchange-rules.test.ts";
const confirm = "test/identity/access/confirm.test.ts";

/** What keeps a token from becoming more than it is by an exchange. */
export const exchangeGuards: readonly Guard[] = [
  {
    name: "exchange: an application needs the grant",
    file: "src/sites/oidc/grants/token-exchange.ts",
    change: [
      'requireGrantType(by.client, "TOKEN_EXCHANGE")',
      'requireGrantType(by.client, "AUTHORIZATION_CODE")',
    ],
    in: exchange,
    test: "to clients that may not",
  },
  {
    name: "exchange: the client authenticates",
    file: "src/sites/oidc/grants/token-exchange.ts",
    change: ["if (by.credential === undefined)", "if (by === undefined)"],
    in: exchange,
    test: "to clients that may not",
  },
  {
    name: "exchange: a token is for the client or its project",
    file: "src/sites/oidc/grants/token-exchange.ts",
    change: [" || !how.isAccepted(token))", ")"],
    in: exchange,
    test: "for everything that is no access token",
  },
  {
    name: "exchange: the checks of the project are made",
    file: "src/sites/oidc/grants/token-exchange.ts",
    changes: [
      ["await requireAccess(tx, client, {", "void ({"],
      ["organizationId: live.user.organizationId });", "});"],
    ],
    in: exchange,
    test: "whom the project of the client does not let in",
  },
  {
    name: "exchange: a token that is bound needs a proof",
    file: "src/sites/oidc/grants/token-exchange.ts",
    change: ['requireProofFor(sent?.token.jkt, proof, "invalid_request");', "void sent;"],
    in: "test/sites/oidc/dpop.test.ts",
    test: "exchanged for whoever holds its key",
  },
  {
    name: "exchange: a token that is got with a proof is bound",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["jkt: from.jkt,", "jkt: undefined,"],
    in: "test/sites/oidc/dpop.test.ts",
    test: "exchanged for whoever holds its key",
  },
  {
    name: "exchange: no scope is added",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["if (!wanted.every((scope) => scopes.includes(scope)))", "if (wanted === undefined)"],
    in: rules,
    test: "the scopes that are asked for|nothing grows",
  },
  {
    name: "exchange: the limits of roles stay",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["keepRoleLimits(wanted, scopes).join", "keepRoleLimits(wanted, []).join"],
    in: rules,
    test: "has the limits of roles|nothing grows",
  },
  {
    name: "exchange: no audience is added",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["if (!asked.every((id) => within.includes(id)))", "if (asked === undefined)"],
    in: rules,
    test: "for those who are asked for",
  },
  {
    name: "exchange: our API only for clients that may call it",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["id !== apiAudience || scopes.audiences.includes(apiAudience)", "id !== undefined"],
    in: rules,
    test: "for those who are asked for|nothing grows",
  },
  {
    name: "exchange: a token outlives the former in no case",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["accessTokenSeconds * 1000, subject.expirationMs)", "accessTokenSeconds * 1000)"],
    in: rules,
    test: "stands for the same user|nothing grows",
  },
  {
    name: "exchange: an actor acts for nobody",
    file: "src/sites/oidc/grants/exchange-rules.ts",
    change: ["if (actor?.act !== undefined)", "if (actor === null)"],
    in: rules,
    test: "tells who acts",
  },
  {
    name: "exchange: every application on the way is active",
    file: "src/identity/tokens-in-force/repository.ts",
    change: ["return rows.length === ids.length ? rows : undefined;", "return rows;"],
    in: tokens,
    test: "rests while an application on its way",
  },
  {
    name: "exchange: a token ends with those that were exchanged for it",
    file: "src/identity/tokens-in-force/repository.ts",
    change: ["[token.hash, ...exchanges.map(({ subjectHash }) => subjectHash)]", "[token.hash]"],
    in: tokens,
    test: "ends when a token before it is revoked",
  },
  {
    name: "exchange: an exchanged token is no recent login",
    file: "src/identity/logins/recent-logins/recent-login.ts",
    change: ["(caller.accessToken?.exchanges.length ?? 0) > 0", "caller === undefined"],
    in: tokens,
    test: "is no recent login",
  },
  {
    name: "exchange: a write asks again whether the applications are active",
    file: "src/identity/access/access-token-credentials.ts",
    change: [" || found.token.exchanges.length > 0", ""],
    in: confirm,
    test: "has exchanged its token",
  },
  {
    name: "exchange: a batch asks again whether the applications are active",
    file: "src/identity/access/authorization.ts",
    change: [" || (caller.accessToken?.exchanges.length ?? 0) > 0", ""],
    in: confirm,
    test: "has exchanged its token",
  },
];
