import type { Guard } from "./guards.ts";

const hostile = "test/oidc/hostile.test.ts";
const apiAccess = "test/oidc/api-access.test.ts";

/** What keeps an attacker from getting tokens, and from using those of others. */
export const oidcGuards: readonly Guard[] = [
  {
    name: "oidc: a client secret is compared",
    file: "src/oidc/clients/authentication.ts",
    changes: [["|| !isSecretOf(client, credentials.secret)", ""]],
    in: hostile,
    test: "a wrong secret",
  },
  {
    name: "oidc: an assertion is signed by a key of its subject",
    file: "src/oidc/clients/assertion.ts",
    changes: [["() => false, // whatever", "() => true, // whatever"]],
    in: hostile,
    test: "signed by nobody",
  },
  {
    name: "oidc: an assertion names our issuer",
    file: "src/oidc/clients/assertion.ts",
    changes: [
      [
        "if (!audiences.some((audience) => expected.audiences.includes(audience)))",
        "if (audiences === undefined)",
      ],
    ],
    in: hostile,
    test: "the audience of another host",
  },
  {
    name: "oidc: an assertion expires",
    file: "src/oidc/clients/assertion.ts",
    changes: [
      ["if (expirationSeconds + skewSeconds <= nowSeconds)", "if (expirationSeconds === nowSeconds)"],
    ],
    in: hostile,
    test: "that has expired",
  },
  {
    name: "oidc: an assertion lives for an hour at most",
    file: "src/oidc/clients/assertion.ts",
    changes: [
      ["expirationSeconds - issuedSeconds > maxLifetimeSeconds", "expirationSeconds < issuedSeconds"],
    ],
    in: hostile,
    test: "more than an hour",
  },
  {
    name: "oidc: the issuer of an assertion is its subject",
    file: "src/oidc/clients/assertion.ts",
    changes: [['|| sub === "" || iss !== sub', '|| sub === ""']],
    in: hostile,
    test: "of another issuer",
  },
  {
    name: "oidc: extensions that are not understood are refused",
    file: "src/oidc/clients/assertion.ts",
    changes: [["if (crit !== undefined || ", "if ("]],
    in: hostile,
    test: "with an extension",
  },
  {
    name: "oidc: an assertion authenticates once",
    file: "src/oidc/tokens/issue.ts",
    changes: [["if (use !== undefined && !(await useAssertion(tx, use)))", "if (use === null)"]],
    in: hostile,
    test: "sent again",
  },
  {
    name: "oidc: parameters are not repeated",
    file: "src/oidc/requests/form.ts",
    changes: [["if (seen.has(name) && !repeatable.has(name))", "if (false)"]],
    in: hostile,
    test: "repeated parameter",
  },
  {
    name: "oidc: one way of authentication",
    file: "src/oidc/clients/client-credentials.ts",
    changes: [["if (ways.filter((way) => way !== undefined).length > 1)", "if (false)"]],
    in: hostile,
    test: "in two ways",
  },
  {
    name: "oidc: wrong credentials are counted",
    file: "src/oidc/clients/tries.ts",
    changes: [["if (before !== undefined && before.count >= maxTries)", "if (before === null)"]],
    in: hostile,
    test: "429 after 100",
  },
  {
    name: "oidc: a user who may not sign in gets no token",
    file: "src/oidc/tokens/issue.ts",
    changes: [['if (user.userState !== "ACTIVE" || user.organizationState !== "ACTIVE")', "if (false)"]],
    in: "test/oidc/token.test.ts",
    test: "is refused after",
  },
  {
    name: "oidc: a scope for another organization is refused",
    file: "src/oidc/tokens/scopes.ts",
    changes: [["if (organizationId !== user.organizationId ||", "if ("]],
    in: "test/oidc/tokens/scopes.test.ts",
  },
  {
    name: "oidc: a client revokes its own tokens only",
    file: "src/oidc/endpoints/revocation.ts",
    changes: [["if (token.clientId !== client.id)", "if (false)"]],
    in: "test/oidc/token.test.ts",
    test: "another client",
  },
  {
    name: "access token: it is for our API",
    file: "src/access/authentication.ts",
    changes: [["if (!isForUs || ", "if ("]],
    in: apiAccess,
    test: "only if its audience",
  },
  {
    name: "access token: it ends with its time",
    file: "src/features/access-tokens/access-token.ts",
    changes: [["return token.expirationMs > nowMs && ", "return "]],
    in: apiAccess,
    test: "ends after an hour",
  },
  {
    name: "access token: it ends for good when its user is locked",
    file: "src/features/access-tokens/access-token.ts",
    changes: [[" && token.lockCount === user.lockCount;", ";"]],
    in: apiAccess,
    test: "for good when",
  },
  {
    name: "access token: revoked",
    file: "src/access/access-token-credentials.ts",
    changes: [
      ["accessToken === undefined || (await isRevoked(tx, accessToken.hash))", "accessToken === undefined"],
    ],
    in: "test/oidc/openid-client.test.ts",
  },
  {
    name: "access token: no other JWT of ours is one",
    file: "src/features/signing-keys/jwt.ts",
    changes: [['if (key === undefined || header?.["typ"] !== typ)', "if (key === undefined)"]],
    in: "test/features/signing-keys/jwt.test.ts",
    test: "what they are not",
  },
  {
    name: "access token: users make no lasting credential for themselves with it",
    file: "src/features/users/tokens/commands.ts",
    changes: [["if (call.caller.accessToken !== undefined && call.caller", "if (false && call.caller"]],
    in: apiAccess,
    test: "no lasting credential",
  },
  {
    name: "access token: it goes with the credential that it was got with",
    file: "src/features/users/tokens/repository.ts",
    changes: [
      [
        "await tx.run(`DELETE FROM credentials WHERE id IN (${family.sql})`",
        "await tx.run(`DELETE FROM credentials WHERE id = '' AND id IN (${family.sql})`",
      ],
    ],
    in: apiAccess,
    test: "ends with the key",
  },
  {
    name: "keys: a private key is not taken",
    file: "src/base/public-key.ts",
    changes: [["if (privateMembers.some((member) => Object.hasOwn(jwk, member))) return undefined;", ""]],
    in: "test/base/public-key.test.ts",
    test: "not taken from a private key",
  },
  {
    name: "keys: a weak key is not taken",
    file: "src/base/public-key.ts",
    changes: [["bits >= minRsaBits && bits", "bits"]],
    in: "test/base/public-key.test.ts",
    test: "RSA 1024",
  },
  {
    name: "keys: one that has expired does not verify",
    file: "src/features/users/keys/repository.ts",
    changes: [["AND (expiration_ms IS NULL OR expiration_ms > ?)", "AND (expiration_ms IS NULL OR ? > 0)"]],
    in: "test/features/users/keys/commands.test.ts",
    test: "verifies until it expires",
  },
];
