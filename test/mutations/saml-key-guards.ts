import type { Guard } from "./guards.ts";

const keys = "test/identity/signing-keys/saml-keys.test.ts";

/**
 * What keeps the keys for SAML messages secret, apart from other keys, and known to service providers before they sign; and the names in
 * SAML sessions under the newest master key.
 */
export const samlKeyGuards: readonly Guard[] = [
  {
    name: "saml keys: the private key is encrypted",
    file: "src/identity/signing-keys/saml-keys.ts",
    change: ['keyring.encrypt("saml-key", privateKey, id)', '{ keyId: "", value: privateKey }'],
    in: keys,
    test: "is encrypted under the master key",
  },
  {
    name: "saml keys: the private key goes with the master key",
    file: "src/identity/instance/sealed-secrets.ts",
    change: ['case "saml-key":', 'case "no-saml-key":'],
    in: keys,
    test: "is encrypted anew",
  },
  {
    name: "saml keys: the pairwise secret goes with the master key",
    file: "src/identity/instance/sealed-secrets.ts",
    change: ["case pairwiseSecretId:", 'case "no-pairwise-secret":'],
    in: keys,
    test: "is encrypted anew",
  },
  {
    name: "saml names: they go with the master key",
    file: "src/cli/keys.ts",
    change: ["await inPortions(beforeAllNames, (tx, after) => resealSamlNames(tx, keyring, after))", "0"],
    in: "test/cli/keys.test.ts",
  },
  {
    name: "saml keys: many processes make one",
    file: "src/identity/signing-keys/saml-keys.ts",
    change: ["{ keys, steps: plan(keys), pair, instanceId }", "{ keys, steps: expected, pair, instanceId }"],
    in: keys,
    test: "is made when it is first asked for",
  },
  {
    name: "saml keys: none of them signs tokens",
    file: "src/identity/signing-keys/repository.ts",
    changes: [
      ["const { use, algorithm", "const { algorithm"],
      ['if (use !== "oidc") return;', ""],
    ],
    in: keys,
    test: "do not know each other",
  },
  {
    name: "saml keys: another process may have rotated",
    file: "src/identity/signing-keys/saml-keys.ts",
    change: ["await database.refresh(); // another process may have rotated", ""],
    in: "test/postgres/two-processes/saml-keys.test.ts",
  },
  {
    name: "saml keys: a revoked one is published no more",
    file: "src/identity/signing-keys/saml-key.ts",
    change: ['kind === "retire" ? nowMs + samlPublishedAfterMs : nowMs', "nowMs + samlPublishedAfterMs"],
    in: keys,
    test: "that revokes",
  },
  {
    name: "saml keys: a retired one is destroyed",
    file: "src/identity/signing-keys/saml-key-repository.ts",
    change: ["await removeSecret(tx, samlKeySecretId(aggregateId)); // it signs nothing any more", ""],
    in: keys,
    test: "takes two calls",
  },
];
