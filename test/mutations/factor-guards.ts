import type { Guard } from "./guards.ts";

/** Phone codes and second factors. */
export const factorGuards: readonly Guard[] = [
  {
    name: "nobody vouches for their own phone",
    file: "src/identity/people/phones/commands.ts",
    change: ['if (input.verification !== "send-code" && input.userId', "if (false && input.userId"],
    in: "test/identity/people/phones/commands.test.ts",
  },
  {
    name: "a code is void after five wrong tries",
    file: "src/identity/people/codes/code.ts",
    change: ["if (pending.tries >= maxTriesPerCode) throw", "if (false) throw"],
    in: "test/identity/people/codes/code.test.ts",
  },
  {
    name: "a wrong try is counted even though the call fails",
    file: "src/identity/people/phones/commands.ts",
    change: ["if (taken instanceof Problem) return taken;", "if (taken instanceof Problem) throw taken;"],
    in: "test/identity/people/phones/commands.test.ts",
  },
  {
    name: "wrong tries are limited in a day",
    file: "src/identity/people/codes/code.ts",
    change: [
      'if (free > nowMs) throw rateLimited("too many wrong codes',
      'if (false) throw rateLimited("too many wrong codes',
    ],
    in: "test/identity/people/codes/code.test.ts",
  },
  {
    name: "a code expires",
    file: "src/identity/people/codes/code.ts",
    change: ["if (pending.expirationMs <= nowMs) throw codeExpired();", ""],
    in: "test/identity/people/codes/code.test.ts",
  },
  {
    name: "a code is for one use",
    file: "src/identity/people/codes/repository.ts",
    change: ["  await removeCode(tx, kind, userId);\n  return pending;", "  return pending;"],
    in: "test/identity/people/phones/commands.test.ts",
  },
  {
    name: "a code is for one number",
    file: "src/identity/people/codes/code.ts",
    change: ["return `${userId}.${address}.${code}`;", "return `${userId}.${code}`;"],
    in: "test/identity/people/codes/code.test.ts",
  },
  {
    name: "messages are limited",
    file: "src/identity/people/messages/message.ts",
    change: [
      'if (free > nowMs) throw rateLimited("too many messages',
      'if (false) throw rateLimited("too many messages',
    ],
    in: "test/identity/people/messages/message.test.ts",
  },
  {
    name: "what a provider echoes is not logged",
    file: "src/identity/people/messages/commands.ts",
    change: ["said.replaceAll(secret, `[${name}]`)", "said"],
    in: "test/identity/people/phones/commands.test.ts",
  },
  {
    name: "u2f: challenge",
    file: "src/kernel/webauthn/ceremony.ts",
    change: ["if (clientData.challenge !== expected.challenge) throw", "if (false) throw"],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: origin",
    file: "src/kernel/webauthn/client-data.ts",
    change: ["[origin, topOrigin].every(", "[topOrigin].filter((each) => each !== origin).every("],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: a page inside of another page",
    file: "src/kernel/webauthn/client-data.ts",
    change: ["isCrossOrigin ||", ""],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: relying party id",
    file: "src/kernel/webauthn/ceremony.ts",
    change: ['throw credentialRefused("U2F_RP_ID_INVALID");', ";"],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: user presence",
    file: "src/kernel/webauthn/ceremony.ts",
    change: ["if (!authenticatorData.isUserPresent) throw", "if (false) throw"],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: signature",
    file: "src/kernel/webauthn/attestation.ts",
    change: ["if (!isSigned(key, data, signature)) throw", "if (false) throw"],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: formats of platforms",
    file: "src/kernel/webauthn/attestation.ts",
    change: [
      'requireAttested(false, "the attestation format',
      'requireAttested(true, "the attestation format',
    ],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: sub-domains on label boundaries",
    file: "src/identity/factors/authenticators/relying-party.ts",
    change: ["url.hostname.endsWith(`.${party.id}`)", "url.hostname.endsWith(party.id)"],
    in: "test/identity/factors/authenticators/relying-party.test.ts",
  },
  {
    name: "u2f: a challenge expires",
    file: "src/identity/factors/authenticators/authenticator.ts",
    change: ["challenge.expirationMs <= nowMs", "false"],
    in: "test/identity/factors/second-factors/commands.test.ts",
  },
  {
    name: "u2f: a registration is completed once",
    file: "src/identity/factors/authenticators/authenticator.ts",
    change: ['if (state === "READY") throw', "if (false) throw"],
    in: "test/identity/factors/second-factors/commands.test.ts",
  },
  {
    name: "u2f: a credential id is for one user",
    file: "src/identity/factors/authenticators/commands.ts",
    change: ["if (await isCredentialTaken(tx, credentialId))", "if (false)"],
    in: "test/identity/factors/second-factors/commands.test.ts",
  },
  {
    name: "u2f: a registration is for one user",
    file: "src/identity/factors/authenticators/repository.ts",
    change: ["WHERE id = ? AND user_id = ?", "WHERE id = ? AND ? <> ''"],
    in: "test/identity/factors/second-factors/commands.test.ts",
  },
  {
    name: "u2f: a key has no optional parameters",
    file: "src/kernel/webauthn/public-key.ts",
    change: ["/${key.size}`", "/${algorithm === -257 || algorithm === -8 ? 4 : 5}`"],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: the site around the page",
    file: "src/kernel/webauthn/client-data.ts",
    change: ["[origin, topOrigin].every(", "[origin].every("],
    in: "test/kernel/webauthn/registration-verification.test.ts",
  },
  {
    name: "u2f: an RSA key is not weak",
    file: "src/kernel/webauthn/public-key.ts",
    change: ["|| !isRsaKey(toNumber(n), toNumber(e))", ""],
    in: "test/kernel/webauthn/public-key.test.ts",
  },
  {
    name: "u2f: an RSA key has no small factors",
    file: "src/kernel/webauthn/public-key.ts",
    change: ["if (n % factor === 0n) return false", "if (false) return false"],
    in: "test/kernel/webauthn/public-key.test.ts",
  },
  {
    name: "u2f: an Ed25519 key of low order",
    file: "src/kernel/webauthn/ed25519-point.ts",
    change: ["|| lowOrder.has(y)", ""],
    in: "test/kernel/webauthn/public-key.test.ts",
  },
  {
    name: "u2f: a point of P-256 on the curve",
    file: "src/kernel/webauthn/public-key.ts",
    change: [
      'decode(() => createPublicKey({ key: jwk, format: "jwk" }), what);',
      'decode(() => { try { return createPublicKey({ key: jwk, format: "jwk" }); } catch { return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }, format: "jwk" }); } }, what);',
    ],
    in: "test/kernel/webauthn/public-key.test.ts",
  },
  {
    name: "u2f: the algorithm of packed is that of the certificate",
    file: "src/kernel/webauthn/attestation-certificate.ts",
    change: ["!== known?.kind) return undefined;", "=== undefined) return undefined;"],
    in: "test/kernel/webauthn/attestation.test.ts",
  },
];
