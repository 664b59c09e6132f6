import type { Guard } from "./guards.ts";

/** SAML metadata, which strangers write. */
export const documentGuards: readonly Guard[] = [
  {
    name: "xml: DOCTYPE",
    file: "src/kernel/xml/scan.ts",
    changes: [["if (isDeclaration(text, start))", "if (false)"]],
    in: "test/identity/applications/saml/metadata.test.ts",
  },
  {
    name: "xml: size of the document",
    file: "src/identity/applications/saml/metadata.ts",
    changes: [["if (bytes.length > maxBytes) {", "if (false) {"]],
    in: "test/identity/applications/saml/metadata.test.ts",
  },
  {
    name: "xml: numbers of elements, attributes, references, levels",
    file: "src/kernel/xml/scan.ts",
    changes: [["if (scan[what] > scan.limits[what])", "if (false)"]],
    in: "test/identity/applications/saml/metadata-hostile.test.ts",
    test: "is refused",
  },
  {
    name: "xml: length of attributes",
    file: "src/kernel/xml/scan.ts",
    changes: [["if (written.length * 3 > maxAttributeBytes &&", "if (false &&"]],
    in: "test/identity/applications/saml/metadata-hostile.test.ts",
    test: "is refused",
  },
  {
    name: "xml: number of assertion consumer services",
    file: "src/identity/applications/saml/assertion-consumer-service.ts",
    changes: [["if (elements.length > maxServices)", "if (false)"]],
    in: "test/identity/applications/saml/metadata-hostile.test.ts",
    test: "is refused",
  },
  {
    name: "xml: reserved and undeclared prefixes",
    file: "src/kernel/xml/namespaces.ts",
    changes: [["if (isWrong) throw", "if (false) throw"]],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: attributes that are one by their expanded names",
    file: "src/kernel/xml/namespaces.ts",
    changes: [["if (names.size < attributes.length) throw", "if (false) throw"]],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: declarations of a prefix end with their element",
    file: "src/kernel/xml/namespaces.ts",
    changes: [["bound.get(prefix)?.pop();", "void prefix;"]],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: end tags",
    file: "src/kernel/xml/scan.ts",
    changes: [["|| tagName !== scan.open.at(-1)", ""]],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: targets of instructions",
    file: "src/kernel/xml/scan.ts",
    changes: [["<\\\\?(${simpleName})(?=", "<\\\\?(${name})(?="]],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: where a comment ends",
    file: "src/kernel/xml/scan.ts",
    changes: [["scan.at = dashes;", "void dashes;"]],
    in: "test/kernel/xml/document.test.ts",
  },
  {
    name: "xml: encoding",
    file: "src/kernel/xml/encoding.ts",
    changes: [['if (text.slice(0, 4).includes("\\0")) throw fault();', ""]],
    in: "test/identity/applications/saml/metadata-encoding.test.ts",
  },
  {
    name: "saml: location of the assertion consumer service",
    file: "src/identity/applications/saml/assertion-consumer-service.ts",
    changes: [['if (url?.protocol === "https:" ||', 'if (location !== "" ||']],
    in: "test/identity/applications/saml/metadata.test.ts",
  },
  {
    name: "saml: metadata that has expired shows it",
    file: "src/identity/applications/saml/saml-config.ts",
    changes: [["metadata.validUntilMs <= nowMs", "metadata.validUntilMs < 0"]],
    in: "test/identity/applications/saml/metadata-validity.test.ts",
  },
  {
    name: "saml: the earlier validUntil counts",
    file: "src/identity/applications/saml/descriptor.ts",
    changes: [
      [
        "[readValidUntil(entity), readValidUntil(provider)]",
        "[readValidUntil(entity), readValidUntil(entity)]",
      ],
    ],
    in: "test/identity/applications/saml/metadata-validity.test.ts",
  },
  {
    name: "saml: validUntil of documents that came before it was kept",
    file: "src/identity/applications/saml/repository.ts",
    changes: [['return findValidUntil(row.undated_xml ?? row.metadata_xml ?? "");', "return undefined;"]],
    in: "test/identity/applications/saml/metadata-validity.test.ts",
  },
  {
    name: "saml: the same document with another SPSSODescriptor in force",
    file: "src/identity/applications/saml/saml-config.ts",
    changes: [["&& current.validUntilMs === metadata.validUntilMs", ""]],
    in: "test/identity/applications/saml/metadata-validity.test.ts",
  },
  {
    name: "saml: a refresh without change moves the date",
    file: "src/identity/applications/saml/metadata-refresh.ts",
    changes: [["fetchDate: isFound ? nowMs * 1000 : undefined", "fetchDate: undefined"]],
    in: "test/identity/applications/saml/metadata-refresh.test.ts",
  },
  {
    name: "saml: only what is in force moves the date",
    file: "src/identity/applications/saml/metadata-refresh.ts",
    changes: [
      [
        'fetched.kind === "document" && isInForce(application.saml, fetched.metadata)',
        'fetched.kind === "document"',
      ],
    ],
    in: "test/identity/applications/saml/metadata-refresh.test.ts",
  },
];
