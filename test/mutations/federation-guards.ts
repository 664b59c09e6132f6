import type { Guard } from "./guards.ts";

const attacks = "test/sites/federation/oidc-return.test.ts";
const hostile = "test/sites/federation/oidc-hostile.test.ts";
const login = "test/sites/federation/oidc-login.test.ts";
const ages = "test/sites/federation/login-age.test.ts";
const callback = "src/sites/federation/oidc/callback.ts";
const idToken = "src/sites/federation/oidc/id-token.ts";

/** What keeps an attacker from logging in as somebody whom an identity provider knows. */
export const federationGuards: readonly Guard[] = [
  {
    name: "federation: only the browser that was sent may come back",
    file: callback,
    change: ["if (isHeld) return visit;", "if (isHeld !== undefined) return visit;"],
    in: attacks,
    test: "lets nobody in, and ends the login",
  },
  {
    name: "federation: a login that another browser has an answer for is over",
    file: callback,
    change: ["(tx) => removeInteraction(tx, visit.interactionId)", "async () => undefined"],
    in: attacks,
    test: "lets nobody in, and ends the login",
  },
  {
    name: "federation: an answer is good once",
    file: callback,
    change: ["if (!(await endProviderVisit(tx, visit.hash)))", "if (visit.hash === undefined)"],
    in: attacks,
    test: "is good once",
  },
  {
    name: "federation: a code that another provider may have been sent is good nowhere",
    file: callback,
    change: ["if (!isNewCode) throw", "if (isNewCode === undefined) throw"],
    in: attacks,
    test: "that a malicious provider has let come to itself",
  },
  {
    name: "federation: an answer is of the provider as it was",
    file: callback,
    change: ["config.issuer !== secrets.issuer || ", ""],
    in: attacks,
    test: "has another issuer",
  },
  {
    name: "federation: the signature of an ID token counts",
    file: "src/sites/federation/provider/signed-token.ts",
    change: ["if (await isSignedBy(text, { algorithm, publicKey: toKey(jwk) }))", "if (toKey(jwk))"],
    in: hostile,
    test: "that was signed",
  },
  {
    name: "federation: an ID token is not made in the future",
    file: idToken,
    change: ["!isInstant(iat) || iat > now + skewSeconds", "!isInstant(iat)"],
    in: hostile,
    test: "made in an hour",
  },
  {
    name: "federation: a new login is none if the provider let the user in before",
    file: "src/sites/login/external/take-identity.ts",
    change: ["    requireFreshIdentity(state.interaction, identity);\n", ""],
    in: ages,
    test: "is not an older one",
  },
  {
    name: "federation: a new login is none if the provider does not say when it was",
    file: "src/sites/login/external/login-age.ts",
    change: ["authTimeMs === undefined || authTimeMs < earliestMs", "Number(authTimeMs) < earliestMs"],
    in: ages,
    test: "a new login is none at",
  },
  {
    name: "federation: a session is as old as the login at the provider",
    file: "src/identity/logins/sessions/repository.ts",
    change: ["payload.auth_date === undefined ? toMs(date)", "payload.auth_date !== null ? toMs(date)"],
    in: ages,
    test: "a login is as old as the provider says",
  },
  {
    name: "federation: a subject is one that can be stored as it is",
    file: "src/sites/federation/provider/subject.ts",
    change: ["!value.isWellFormed() || ", ""],
    in: hostile,
    test: "about a name that is no text",
  },
  {
    name: "federation: an answer to a login that goes no further is used up",
    file: callback,
    change: ["if (error instanceof PageRefusal) return error;", ""],
    in: attacks,
    test: "to an application that was switched off is used up",
  },
  {
    name: "federation: an ID token is for this client alone, or says so",
    file: idToken,
    change: ["(audiences.length > 1 || azp !== undefined) && azp !== clientId", "azp === null"],
    in: hostile,
    test: "with azp of another",
  },
  {
    name: "federation: userinfo is about the same subject",
    file: "src/sites/federation/oidc/userinfo.ts",
    change: ['if (found.claims["sub"] !== asked.subject)', "if (asked.subject === undefined)"],
    in: hostile,
    test: "whose userinfo is about somebody else",
  },
  {
    name: "federation: metadata is of the issuer that was asked for",
    file: "src/sites/federation/oidc/discovery.ts",
    change: ['if (document["issuer"] !== issuer)', "if (document === undefined)"],
    in: hostile,
    test: "gives another issuer",
  },
  {
    name: "federation: an ID token is signed by an algorithm of the metadata",
    file: "src/sites/federation/provider/signed-token.ts",
    change: ["  if (!algorithms.includes(algorithm)) return undefined;\n", ""],
    in: hostile,
    test: "by an algorithm that the metadata do not name",
  },
  {
    name: "federation: an ID token is of the issuer",
    file: idToken,
    change: ['if (iss !== issuer) return "iss";', ""],
    in: hostile,
    test: "of another issuer",
  },
  {
    name: "federation: an ID token is for this client",
    file: idToken,
    change: ['if (!audiences.includes(clientId)) return "aud";', ""],
    in: hostile,
    test: "for another client",
  },
  {
    name: "federation: an ID token is of this login",
    file: idToken,
    change: ['if (nonce !== expected.nonce) return "nonce";', ""],
    in: hostile,
    test: "with another nonce",
  },
  {
    name: "federation: an ID token is not expired",
    file: idToken,
    change: ["!isInstant(exp) || exp <= now - skewSeconds", "!isInstant(exp)"],
    in: hostile,
    test: "that has expired",
  },
  {
    name: "federation: nobody is sent to a provider that is not offered",
    file: "src/sites/login/pages/idp.ts",
    change: [
      'if (provider === undefined) throw new PageRefusal("provider-off");',
      "if (provider === undefined) return { kind: 'page', reply: { status: 200 } };",
    ],
    in: login,
    test: "nobody is sent there by a form",
  },
  {
    name: "federation: what waits for a browser goes in the write that removes the organization",
    file: "src/identity/protocol-state/provider-visits/repository.ts",
    change: ['removeWhere(tx, "organization_id", aggregateId)', 'removeWhere(tx, "organization_id", "0")'],
    in: attacks,
    test: "the organization of the provider",
  },
];
