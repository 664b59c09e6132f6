import type { Guard } from "./guards.ts";

const keys = "test/identity/signing-keys/saml-keys.test.ts";
const metadata = "test/sites/saml/metadata.test.ts";
const names = "test/identity/logins/saml-participations/new-master-key.test.ts";

/**
 * What keeps the keys for SAML messages secret, apart from other keys, and known to service providers before they sign; and the names in
 * SAML sessions under the newest master key.
 */
export const samlKeyGuards: readonly Guard[] = [
  {
    name: "saml keys: the private key is encrypted",
    file: "src/identity/signing-keys/saml-keys.ts",
    changes: [['keyring.encrypt("saml-key", privateKey, id)', '{ keyId: "", value: privateKey }']],
    in: keys,
    test: "is encrypted under the master key",
  },
  {
    name: "saml keys: the private key goes with the master key",
    file: "src/identity/instance/sealed-secrets.ts",
    changes: [['case "saml-key":', 'case "no-saml-key":']],
    in: keys,
    test: "is encrypted anew",
  },
  {
    name: "saml keys: the pairwise secret goes with the master key",
    file: "src/identity/instance/sealed-secrets.ts",
    changes: [["case pairwiseSecretId:", 'case "no-pairwise-secret":']],
    in: keys,
    test: "is encrypted anew",
  },
  {
    name: "saml names: they go with the master key",
    file: "src/cli/keys.ts",
    changes: [["await inPortions(beforeAllNames, (tx, after) => resealSamlNames(tx, keyring, after))", "0"]],
    in: "test/cli/keys.test.ts",
  },
  {
    name: "saml names: behind a portion comes the next",
    file: "src/identity/logins/saml-participations/reseal-repository.ts",
    changes: [["const last = rows[portion - 1];", "const last = undefined;"]],
    in: names,
    test: "portion by portion",
  },
  {
    name: "saml names: one that nobody can open holds no other up",
    file: "src/identity/logins/saml-participations/saml-participation.ts",
    changes: [
      [
        "return undefined; // it expires with its session, and must",
        'throw new Error("damaged"); // it must',
      ],
    ],
    in: names,
    test: "nobody can open",
  },
  {
    name: "saml keys: many processes make one",
    file: "src/identity/signing-keys/saml-keys.ts",
    changes: [
      ["{ keys, steps: plan(keys), pair, instanceId }", "{ keys, steps: expected, pair, instanceId }"],
    ],
    in: keys,
    test: "is made when it is first asked for",
  },
  {
    name: "saml keys: a lost pairwise secret stays lost",
    file: "src/identity/signing-keys/saml-keys.ts",
    changes: [["if (plan.keys.length === 0) await make", "await make"]],
    in: keys,
    test: "a pairwise secret that is lost",
  },
  {
    name: "saml keys: the pairwise secret is made once",
    file: "src/identity/signing-keys/saml-keys.ts",
    changes: [["if ((await findSecret(tx, pairwiseSecretId)) !== undefined) return;", ""]],
    in: keys,
    test: "a pairwise secret that is there",
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
    changes: [["await database.refresh(); // another process may have rotated", ""]],
    in: "test/postgres/two-processes/saml-keys.test.ts",
  },
  {
    name: "saml keys: the next one is published for a day before it signs",
    file: "src/identity/signing-keys/saml-key.ts",
    changes: [["if (nowMs < readyMs) throw samlKeyNotReady(readyMs - nowMs);", ""]],
    in: keys,
    test: "takes two calls",
  },
  {
    name: "saml keys: a retired one is published for a day alone",
    file: "src/identity/signing-keys/saml-key.ts",
    changes: [
      [
        "const published = keys.filter(({ expirationMs }) => expirationMs === undefined || expirationMs > nowMs);",
        "const published = keys;",
      ],
    ],
    in: keys,
    test: "takes two calls",
  },
  {
    name: "saml keys: a revoked one is published no more",
    file: "src/identity/signing-keys/saml-key.ts",
    changes: [['kind === "retire" ? nowMs + samlPublishedAfterMs : nowMs', "nowMs + samlPublishedAfterMs"]],
    in: keys,
    test: "that revokes",
  },
  {
    name: "saml keys: a retired one is destroyed",
    file: "src/identity/signing-keys/saml-key-repository.ts",
    changes: [["await removeSecret(tx, samlKeySecretId(aggregateId)); // it signs nothing any more", ""]],
    in: keys,
    test: "takes two calls",
  },
  {
    name: "saml certificates: for signatures alone",
    file: "src/identity/signing-keys/certificate.ts",
    changes: [
      [
        "der(0x04, Uint8Array.of(0x03, 0x02, 0x07, 0x80))",
        "der(0x04, Uint8Array.of(0x03, 0x02, 0x02, 0x84))",
      ],
    ],
    in: "test/identity/signing-keys/certificate.test.ts",
    test: "for digital signatures alone",
  },
  {
    name: "saml metadata: nothing without an issuer",
    file: "src/sites/saml/sites.ts",
    changes: [["(options.issuer() === undefined ? unknown : site)", "site"]],
    in: metadata,
    test: "without an issuer",
  },
  {
    name: "saml metadata: the paths are those of the issuer",
    file: "src/sites/saml/endpoints/metadata.ts",
    changes: [["`${issuer}${samlPaths.singleSignOn}`", "samlPaths.singleSignOn"]],
    in: metadata,
    test: "says who we are",
  },
];
