import type { Guard } from "./guards.ts";

const saml = "src/identity/applications/saml";
const tests = "test/identity/applications/saml";
const provider = { file: `${saml}/service-provider.ts`, in: `${tests}/service-provider.test.ts` };
const keys = { file: `${saml}/key-descriptor.ts`, in: `${tests}/key-descriptor.test.ts` };
const known = {
  file: "src/sites/saml/parties/service-providers.ts",
  in: "test/sites/saml/parties/service-providers.test.ts",
};
const participations = {
  file: "src/identity/logins/saml-participations/repository.ts",
  in: "test/identity/logins/saml-participations/repository.test.ts",
};

/** What SAML applications say of themselves, what their owners decide, and in which sessions they took part. */
export const samlSettingsGuards: readonly Guard[] = [
  {
    name: "service provider: an exponent of 1 is no key",
    ...keys,
    change: ["exponent >= 3n", "exponent >= 1n"],
    test: "verifies, or not",
  },
  {
    name: "service provider: an even exponent is no key",
    ...keys,
    change: [" && exponent % 2n === 1n", ""],
    test: "verifies, or not",
  },
  {
    name: "service provider: an even modulus is no key",
    ...keys,
    change: [" && hasOddModulus(key);", " && hasOddModulus.length > 0;"],
    test: "verifies, or not",
  },
  {
    name: "service provider: logout only over https",
    ...provider,
    change: [
      "[service.location, service.responseLocation].every(",
      "[service.location, service.responseLocation].some(",
    ],
    test: "logout services",
  },
  {
    name: "service provider: no http without --dev",
    ...provider,
    change: [
      "(dev && url !== undefined && hasLoopbackHost(url))",
      "(url !== undefined && hasLoopbackHost(url))",
    ],
    test: "loopback",
  },
  {
    name: "service provider: http only on loopback",
    ...provider,
    change: ["(dev && url !== undefined && hasLoopbackHost(url))", "dev"],
    test: "loopback",
  },
  {
    name: "service provider: assertions only over https",
    ...provider,
    change: ["isUsable(each.location, options)", "each !== undefined"],
    test: "an assertion consumer service over http",
  },
  {
    name: "service provider: keys for encryption sign nothing",
    ...provider,
    in: keys.in,
    change: ['use !== "encryption" && isFor.verifying', "isFor.verifying"],
    test: "with use",
  },
  {
    name: "published keys: no encryption to short keys",
    ...keys,
    change: ["encrypting: isUsable && !isShort", "encrypting: isUsable"],
    test: "of another kind or size",
  },
  {
    name: "known service provider: states of all that it is in",
    ...known,
    change: ["[found.application, found.project, found.organization]", "[found.application]"],
    test: "is not active",
  },
  {
    name: "SAML settings: only in the organization of the caller",
    file: `${saml}/commands.ts`,
    changes: [
      [
        "load: ({ tx }) => getSamlApplication(tx, call.access, asked),",
        "load: async ({ tx }) => (await findSamlApplication(tx, asked.applicationId)) ?? getSamlApplication(tx, call.access, asked),",
      ],
      [
        "import { getSamlApplication, isEntityIdTaken }",
        "import { findSamlApplication, getSamlApplication, isEntityIdTaken }",
      ],
    ],
    in: "test/api/saml-settings.test.ts",
    test: "is for those who may write",
  },
  {
    name: "participations: a NameID of another application",
    ...participations,
    change: ["WHERE application_id = ? AND name_id_hash = ? AND", "WHERE ? <> '' AND name_id_hash = ? AND"],
    test: "are found by application",
  },
  {
    name: "participations: encrypted for one session, application and name",
    file: "src/identity/logins/saml-participations/saml-participation.ts",
    change: [
      "return `saml-participation:${sessionId}:${applicationId}:${nameIdHash}`;",
      'void sessionId; void applicationId; void nameIdHash; return "";',
    ],
    in: participations.in,
    test: "holds the NameID only",
  },
  {
    name: "participations: go with the organization of the user",
    ...participations,
    change: ['await removeWhere(tx, "user_organization_id = ?", aggregateId);', ""],
    test: "organization of the user",
  },
  {
    name: "participations: go with the organization of the application",
    ...participations,
    change: ['await removeWhere(tx, "application_organization_id = ?", aggregateId);', ""],
    test: "organization of the application",
  },
  {
    name: "saml: an application that is to get only what it asks for gets no more",
    file: "src/sites/saml/messages/choose-attributes.ts",
    change: ["  if (onlyRequestedAttributes) return [asked];\n", ""],
    in: "test/sites/saml/messages/choose-attributes.test.ts",
    test: "nothing is told when only that is wanted",
  },
];
