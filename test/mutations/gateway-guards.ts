import type { Guard } from "./guards.ts";

const tokens = "test/sites/federation/jwt/token.test.ts";
const headers = "test/sites/federation/jwt/token-header.test.ts";
const answers = "test/sites/federation/jwt/gateway-answer.test.ts";
const logins = "test/sites/federation/jwt/login.test.ts";
const attacks = "test/sites/federation/jwt/attacks.test.ts";

/** What keeps somebody from logging in as another one through the gateway of a JWT provider. */
export const gatewayGuards: readonly Guard[] = [
  {
    name: "gateway: an identity that waits goes with its user",
    file: "src/identity/protocol-state/jwt-logins/repository.ts",
    change: ['removeWhere(tx, "user_id", aggregateId)', 'removeWhere(tx, "user_id", "0")'],
    in: "test/sites/federation/jwt/erasure.test.ts",
    test: "removing the user",
  },
  {
    name: "gateway: a handle is for the browser of the login, and ends the login in any other",
    file: "src/sites/login/flow/brought-identity.ts",
    change: ["if (await removeJwtLoginOfHandle(tx, asked)) await", "if (Date.now() < 0) await"],
    in: attacks,
    test: "ends the login with the handle",
  },
  {
    name: "gateway: whose handle is wrong ends no login",
    file: "src/sites/login/flow/brought-identity.ts",
    change: [
      "if (await removeJwtLoginOfHandle(tx, asked)) await",
      "await removeJwtLoginOfHandle(tx, asked); await",
    ],
    in: attacks,
    test: "ends nothing with a wrong handle",
  },
  {
    name: "gateway: a handle is good for a minute",
    file: "src/identity/protocol-state/jwt-logins/jwt-login.ts",
    change: ["handleMs = 60_000", "handleMs = 600_000"],
    in: logins,
    test: "is good for a minute",
  },
  {
    name: "gateway: a login takes one identity of many that come at once",
    file: "src/identity/protocol-state/jwt-logins/repository.ts",
    change: [
      "handle_hash IS NULL AND expiration_ms > ?`,\n    [\n      handleHash,",
      "expiration_ms > ?`,\n    [\n      handleHash,",
    ],
    in: answers,
    test: "of many at the same time",
  },
  {
    name: "gateway: only who was sent there comes back",
    file: "src/identity/protocol-state/jwt-logins/repository.ts",
    changes: [
      [
        "user_agent_hash = ? AND handle_hash IS NULL AND expiration_ms > ?`,\n    [interactionId",
        "user_agent_hash <> ? || '-' AND handle_hash IS NULL AND expiration_ms > ?`,\n    [interactionId",
      ],
      [
        "user_agent_hash = ? AND handle_hash IS NULL AND expiration_ms > ?`,\n    [\n      handleHash",
        "user_agent_hash <> ? || '-' AND handle_hash IS NULL AND expiration_ms > ?`,\n    [\n      handleHash",
      ],
    ],
    in: attacks,
    test: "its userAgentID",
  },
  {
    name: "gateway: a JWT is taken once in a login",
    file: "src/sites/federation/jwt/gateway-answer.ts",
    change: ["(await useAssertion(tx, use)) && ", ""],
    in: answers,
    test: "a second time in the same login",
  },
  {
    name: "gateway: a JWT is signed by a key of the provider",
    file: "src/sites/federation/jwt/gateway-answer.ts",
    change: ["if (!isSigned)", 'if (!isSigned && text === "")'],
    in: answers,
    test: "foreign key",
  },
  {
    name: "gateway: the provider is switched on",
    file: "src/sites/federation/jwt/gateway-answer.ts",
    change: ['provider?.state !== "ACTIVE"', "provider === undefined"],
    in: answers,
    test: "switched off",
  },
  {
    name: "gateway: the issuer is the configured one",
    file: "src/sites/federation/jwt/token.ts",
    change: ["iss !== issuer", "typeof iss !== typeof issuer"],
    in: tokens,
    test: "byte for byte",
  },
  {
    name: "gateway: a JWT has an end",
    file: "src/sites/federation/jwt/token.ts",
    change: ["!isNumber(exp) || !isNumber(iat)", "!isNumber(iat)"],
    in: tokens,
    test: "when it ends",
  },
  {
    name: "gateway: a repeated header is refused",
    file: "src/sites/federation/jwt/token-header.ts",
    change: ["values.length !== 1 || ", ""],
    in: headers,
    test: "repeated header",
  },
  {
    name: "gateway: a handle is used up, whatever becomes of the identity",
    file: "src/sites/login/flow/brought-identity.ts",
    changes: [
      [
        "const sealed = await writeFor(request, (tx) => take",
        "return await changeInteraction(request, idpPage, async (tx, state) => {\n  const sealed = await (take",
      ],
      [
        "return await changeInteraction(request, idpPage, takeIdentity(ports.context, identity));",
        "return await takeIdentity(ports.context, identity)(tx, state);\n  });",
      ],
    ],
    in: logins,
    test: "switched off",
  },
];
