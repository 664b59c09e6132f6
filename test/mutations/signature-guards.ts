import type { Guard } from "./guards.ts";

const signatures = "test/kernel/base/signature.test.ts";

/** What keeps a text from counting as signed that is not, or not in this spelling. */
export const signatureGuards: readonly Guard[] = [
  {
    name: "signatures: one spelling",
    file: "src/kernel/base/signature.ts",
    change: ['if (signature.toString("base64url") !== sent) return false;', ""],
    in: signatures,
    test: "one spelling",
  },
  {
    name: "signatures: PSS is not PKCS #1",
    file: "src/kernel/base/signature.ts",
    change: ["...(isPss ? pss : {})", "...(isPss === undefined ? {} : { saltLength: pss.saltLength })"],
    in: signatures,
    test: "another key, hash or padding",
  },
  {
    name: "signatures: keys are those of the algorithm",
    file: "src/kernel/base/jws.ts",
    change: ["return keysOfAlgorithms[algorithm] === ", "return algorithm !== "],
    in: signatures,
    test: "the keys of",
  },
  {
    name: "signatures: our own tokens are verified",
    file: "src/identity/signing-keys/jwt.ts",
    change: [
      "if (!(await isSignedBy(token, { algorithm, publicKey: toPublicKey(key) }))) return undefined;",
      "",
    ],
    in: "test/identity/signing-keys/jwt.test.ts",
    test: "what others make",
  },
  {
    name: "signatures: the key decides over the algorithm",
    file: "src/identity/signing-keys/jwt.ts",
    change: ['if (header["alg"] !== algorithm) return undefined;', ""],
    in: "test/identity/signing-keys/jwt.test.ts",
    test: "another algorithm than that of its key",
  },
  {
    name: "signatures: another one does not make another assertion",
    file: "src/sites/oidc/clients/assertion.ts",
    change: ["jwtId === undefined ? signedPartOf(text)", "jwtId === undefined ? text"],
    in: "test/sites/oidc/clients.test.ts",
    test: "however its signature",
  },
];
