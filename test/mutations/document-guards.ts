import type { Guard } from "./guards.ts";

/** SAML metadata, which strangers write. */
export const documentGuards: readonly Guard[] = [
  {
    name: "xml: DOCTYPE",
    file: "src/kernel/xml/scan.ts",
    change: ["if (isDeclaration(text, start))", "if (false)"],
    in: "test/identity/applications/saml/metadata.test.ts",
  },
  {
    name: "xml: reserved and undeclared prefixes",
    file: "src/kernel/xml/namespaces.ts",
    change: ["if (isWrong) throw", "if (false) throw"],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: attributes that are one by their expanded names",
    file: "src/kernel/xml/namespaces.ts",
    change: ["if (names.size < attributes.length) throw", "if (false) throw"],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "saml: location of the assertion consumer service",
    file: "src/identity/applications/saml/assertion-consumer-service.ts",
    change: ['if (url?.protocol === "https:" ||', 'if (location !== "" ||'],
    in: "test/identity/applications/saml/metadata.test.ts",
  },
];
