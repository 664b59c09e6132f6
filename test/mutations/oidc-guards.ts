import type { Guard } from "./guards.ts";

const hostile = "test/sites/oidc/hostile.test.ts";
const apiAccess = "test/sites/oidc/api-access.test.ts";

/** What keeps an attacker from getting tokens, and from using those of others. */
export const oidcGuards: readonly Guard[] = [
  {
    name: "oidc: an application that may not call the API any more takes its tokens along",
    file: "src/identity/access/authentication.ts",
    changes: [["if (!credentials.mayCallApi()) throw tokenInvalidFor(jkt);", ""]],
    in: apiAccess,
    test: "rests while the application may not",
  },
  {
    name: "exchange: a client that may not call the API any more takes its tokens along",
    file: "src/identity/tokens-in-force/repository.ts",
    changes: [["const clients = [user.client, ...exchanging];", "const clients = [user.client];"]],
    in: "test/sites/oidc/exchanged-tokens.sized.test.ts",
    test: "calls our API for its user",
  },
  {
    name: "oidc: whether an application may call the API is judged in the write, too",
    file: "src/identity/access/authentication.ts",
    changes: [["if (found === undefined || !found.mayCallApi())", "if (found === undefined)"]],
    in: apiAccess,
    test: "rests while the application may not",
  },
  {
    name: "oidc: a client secret is compared",
    file: "src/sites/oidc/clients/authentication.ts",
    changes: [
      [
        "isSecretOf(client, credentials.spellings) ? { credential: client.secret } : undefined",
        "{ credential: client.secret }",
      ],
    ],
    in: hostile,
    test: "a wrong secret",
  },
  {
    name: "oidc: an assertion is signed by a key of its subject",
    file: "src/sites/oidc/clients/assertion.ts",
    changes: [
      ["if (await isSignedBy(text, { algorithm, publicKey })) return key;", "if (publicKey) return key;"],
    ],
    in: hostile,
    test: "signed by nobody",
  },
  {
    name: "oidc: an assertion names our issuer",
    file: "src/sites/oidc/clients/assertion.ts",
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
    file: "src/sites/oidc/clients/assertion.ts",
    changes: [
      ["if (expirationSeconds + skewSeconds <= nowSeconds)", "if (expirationSeconds === nowSeconds)"],
    ],
    in: hostile,
    test: "that has expired",
  },
  {
    name: "oidc: an assertion lives for an hour at most",
    file: "src/sites/oidc/clients/assertion.ts",
    changes: [
      ["expirationSeconds - issuedSeconds > maxLifetimeSeconds", "expirationSeconds < issuedSeconds"],
    ],
    in: hostile,
    test: "more than an hour",
  },
  {
    name: "oidc: the issuer of an assertion is its subject",
    file: "src/sites/oidc/clients/assertion.ts",
    changes: [["if (iss !== sub) return", "if (iss === null) return"]],
    in: hostile,
    test: "of another issuer",
  },
  {
    name: "oidc: extensions that are not understood are refused",
    file: "src/kernel/base/jws.ts",
    changes: [["return crit === undefined ? ", "return crit !== null ? "]],
    in: hostile,
    test: "with an extension",
  },
  {
    name: "oidc: an assertion authenticates once",
    file: "src/sites/oidc/clients/assertion-use.ts",
    changes: [["if (!(await useAssertion(tx, assertion)))", "if (tx === null)"]],
    in: hostile,
    test: "sent again, one",
  },
  {
    name: "oidc: an assertion is used up by a request that is refused",
    file: "src/sites/oidc/clients/assertion-use.ts",
    changes: [["if (error instanceof OAuthError) return { refusal: error };", ""]],
    in: "test/sites/oidc/clients/answer-with-use.test.ts",
    test: "in one write",
  },
  {
    name: "oidc: an assertion is used up by a request that is refused before its write",
    file: "src/sites/oidc/clients/answer-with-use.ts",
    changes: [
      [
        "if (use !== undefined && error instanceof OAuthError)",
        "if (use !== undefined && error === undefined)",
      ],
    ],
    in: "test/sites/oidc/clients.test.ts",
    test: "used up by whatever",
  },
  {
    name: "oidc: parameters are not repeated",
    file: "src/sites/oidc/requests/form.ts",
    changes: [
      ["if (seen.has(name) && !repeatable.has(name)) repeated.add(name);", "if (false) repeated.add(name);"],
    ],
    in: hostile,
    test: "repeated parameter",
  },
  {
    name: "oidc: one way of authentication",
    file: "src/sites/oidc/clients/client-credentials.ts",
    changes: [["if (ways.filter((way) => way !== undefined).length > 1)", "if (false)"]],
    in: hostile,
    test: "in two ways",
  },
  {
    name: "oidc: wrong credentials are counted",
    file: "src/sites/oidc/clients/tries.ts",
    changes: [["if (before !== undefined && before.count >= maxTries)", "if (before === null)"]],
    in: hostile,
    test: "429 after 100",
  },
  {
    name: "oidc: a user who may not sign in gets no token",
    file: "src/sites/oidc/tokens/issue-for-credential.ts",
    changes: [['if (user.userState !== "ACTIVE" || user.organizationState !== "ACTIVE")', "if (false)"]],
    in: "test/sites/oidc/token.test.ts",
    test: "is refused after",
  },
  {
    name: "oidc: a user of an organization that is inactive gets no token",
    file: "src/sites/oidc/tokens/issue-for-credential.ts",
    changes: [[' || user.organizationState !== "ACTIVE"', ""]],
    in: "test/sites/oidc/token.test.ts",
    test: "while their organization is inactive",
  },
  {
    name: "oidc: a scope for another organization is refused",
    file: "src/sites/oidc/tokens/scopes.ts",
    changes: [["if (organizationId !== user.organizationId) throw scopeInvalid();", ""]],
    in: "test/sites/oidc/tokens/scopes.test.ts",
  },
  {
    name: "oidc: a client revokes its own tokens only",
    file: "src/sites/oidc/endpoints/revocation.ts",
    changes: [["if (ownerId !== clientId)", "if (false)"]],
    in: "test/sites/oidc/token.test.ts",
    test: "another client",
  },
  {
    name: "access token: it is for our API",
    file: "src/identity/access/authentication.ts",
    changes: [[" || !credentials.token.audiences.includes(apiAudience)", ""]],
    in: apiAccess,
    test: "only if its audience",
  },
  {
    name: "access token: it ends with its time",
    file: "src/identity/tokens-in-force/repository.ts",
    changes: [["if (token.expirationMs <= nowMs || (await", "if ((await"]],
    in: apiAccess,
    test: "ends after an hour",
  },
  {
    name: "access token: it ends for good when its user is locked",
    file: "src/identity/tokens-in-force/token-in-force.ts",
    changes: [["    token.lockCount === user.lockCount &&\n", ""]],
    in: apiAccess,
    test: "for good when",
  },
  {
    name: "access token: revoked",
    file: "src/identity/tokens-in-force/repository.ts",
    changes: [[" || (await isAnyRevoked(tx, hashes))", ""]],
    in: "test/sites/oidc/openid-client.test.ts",
  },
  {
    name: "access token: no other JWT of ours is one",
    file: "src/identity/signing-keys/jwt.ts",
    changes: [['if (key === undefined || header?.["typ"] !== typ)', "if (key === undefined)"]],
    in: "test/identity/signing-keys/jwt.test.ts",
    test: "what they are not",
  },
  {
    name: "access token: users make no lasting credential for themselves with it",
    file: "src/identity/programs/tokens/commands.ts",
    changes: [
      [
        "if (isSelf) await requireRecentLogin(",
        "if (isSelf && caller === undefined) await requireRecentLogin(",
      ],
    ],
    in: apiAccess,
    test: "no lasting credential",
  },
  {
    name: "access token: it goes with the credential that it was got with",
    file: "src/identity/programs/tokens/repository.ts",
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
    file: "src/kernel/base/public-key.ts",
    changes: [["if (privateMembers.some((member) => Object.hasOwn(jwk, member))) return undefined;", ""]],
    in: "test/kernel/base/public-key.test.ts",
    test: "not taken from a private key",
  },
  {
    name: "keys: a weak key is not taken",
    file: "src/kernel/base/public-key.ts",
    changes: [["bits >= minRsaBits && bits", "bits"]],
    in: "test/kernel/base/public-key.test.ts",
    test: "RSA 1024",
  },
  {
    name: "keys: one that has expired does not verify",
    file: "src/identity/programs/keys/repository.ts",
    changes: [["AND (expiration_ms IS NULL OR expiration_ms > ?)", "AND (expiration_ms IS NULL OR ? > 0)"]],
    in: "test/identity/programs/keys/commands.test.ts",
    test: "verifies until it expires",
  },
  {
    name: "keys: a secret that has expired does not let in",
    file: "src/identity/programs/secrets/repository.ts",
    changes: [
      ["AND (c.expiration_ms IS NULL OR c.expiration_ms > ?)", "AND (c.expiration_ms IS NULL OR ? > 0)"],
    ],
    in: apiAccess,
    test: "no longer than that",
  },
  {
    name: "applications: an unused secret is destroyed",
    file: "src/identity/applications/oauth/repository.ts",
    changes: [["await removeSecret(tx, applicationSecretHashId(event.payload.secret_id));", ""]],
    in: "test/identity/applications/oauth/commands.test.ts",
    test: "without one",
  },
  {
    name: "applications: a redirect URI is compared byte for byte",
    file: "src/identity/applications/oidc/redirect-uri.ts",
    changes: [["registered.includes(uri)", "registered.some((each) => uri.startsWith(each))"]],
    in: "test/identity/applications/oidc/redirect-uri.test.ts",
  },
  {
    name: "applications: only what runs on a device chooses its port",
    file: "src/identity/applications/oidc/redirect-uri.ts",
    changes: [['appType === "NATIVE" ? withoutPort(uri) : undefined', "withoutPort(uri)"]],
    in: "test/identity/applications/oidc/redirect-uri.test.ts",
  },
  {
    name: "applications: a scheme that is executed is never registered",
    file: "src/identity/applications/oidc/redirect-uri.ts",
    changes: [["if (forbiddenSchemes.has(scheme))", 'if (scheme === "")']],
    in: "test/identity/applications/oidc/redirect-uri.test.ts",
  },
  {
    name: "oidc: a nonce is read with its code alone",
    file: "src/sites/oidc/codes/code.ts",
    changes: [['hkdfSync("sha256", code,', 'hkdfSync("sha256", "",']],
    in: "test/sites/oidc/codes/code.test.ts",
    test: "with its code alone",
  },
  {
    name: "oidc keys: another process may have rotated them",
    file: "src/sites/oidc/endpoints/keys.ts",
    changes: [["await context.database.refresh(); // another process may have rotated", ""]],
    in: "test/postgres/two-processes/signing-keys.test.ts",
    test: "publishes the new ones",
  },
  {
    name: "userinfo: another process may have rotated the keys",
    file: "src/sites/oidc/endpoints/userinfo.ts",
    changes: [["await database.refresh(); // another process may have rotated its keys", ""]],
    in: "test/postgres/two-processes/signing-keys.test.ts",
    test: "tells nothing for a token",
  },
  {
    name: "logout: another process may have rotated the keys",
    file: "src/sites/oidc/endpoints/end-session.ts",
    changes: [
      [
        "if (token !== undefined) await context.database.refresh(); // another process may have rotated its keys",
        "",
      ],
    ],
    in: "test/postgres/two-processes/signing-keys.test.ts",
    test: "first ID token",
  },
];
