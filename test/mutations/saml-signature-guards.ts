import type { Guard } from "./guards.ts";

const text = "test/kernel/xml/text-document.test.ts";
const write = "test/kernel/xml/write.test.ts";
const forged = "test/sites/saml/signatures/forged-signatures.test.ts";
const query = "test/sites/saml/signatures/verify-query.test.ts";
const encrypted = "test/sites/saml/signatures/encrypt-assertion.test.ts";
const parameters = "test/sites/saml/bindings/parameters.test.ts";
const decoded = "test/sites/saml/bindings/decode-message.test.ts";
const shape = "src/sites/saml/signatures/signature-shape.ts";

/** What keeps a message of SAML from being taken for one that its sender has signed. */
export const samlSignatureGuards: readonly Guard[] = [
  {
    name: "xml: a text is one run",
    file: "src/kernel/xml/text-document.ts",
    change: ["if (!this.isPlain || this.content.length > 1)", "if (this.content.length > 9)"],
    in: text,
  },
  {
    name: "xml: a section in a text",
    file: "src/kernel/xml/text-document.ts",
    change: [
      "section: (section: string) => add(section, false)",
      "section: (section: string) => add(section, true)",
    ],
    in: text,
  },
  {
    name: "xml: IDs of messages are unique",
    file: "src/kernel/xml/text-document.ts",
    change: ["requireUniqueIds({ elements });", ""],
    in: text,
  },
  {
    name: "xml: IDs are unique under all names",
    file: "src/kernel/xml/document.ts",
    change: ['name !== "ID" && name !== "Id" && name !== "xml:id"', 'name !== "ID"'],
    in: text,
  },
  {
    name: "xml: written texts are escaped",
    file: "src/kernel/xml/write.ts",
    change: ["toCanonicalText(toCharacters(child))", "toCharacters(child)"],
    in: write,
  },
  {
    name: "xml: written values are escaped",
    file: "src/kernel/xml/write.ts",
    change: ["toCanonicalValue(toCharacters(value))", "toCharacters(value)"],
    in: write,
  },
  {
    name: "xml: base64 has one spelling",
    file: "src/kernel/xml/base64.ts",
    change: ['bytes.toString("base64") === compact ? bytes : undefined', "bytes"],
    in: "test/kernel/xml/base64.test.ts",
  },
  {
    name: "saml: a message has one signature",
    file: "src/sites/saml/signatures/verify-document.ts",
    change: ['if (others.length > 0) return badSignature("shape");', "void others;"],
    in: forged,
    test: "there is one of each",
  },
  {
    name: "saml: a signature is a child of the root",
    file: shape,
    change: ["if (!root.children.includes(signature))", "if (false)"],
    in: forged,
    test: "whole document",
  },
  {
    name: "saml: a signature has no more than its parts",
    file: shape,
    change: ['rest.length > 1 || (rest.length === 1 && !isOurs(rest[0], "KeyInfo"))', "false"],
    in: forged,
    test: "there is one of each",
  },
  {
    name: "saml: a signature has one reference",
    file: shape,
    change: ["if (!hasParts || others.length > 0 ||", "if (!hasParts ||"],
    in: forged,
    test: "there is one of each",
  },
  {
    name: "saml: the reference is to the root",
    file: shape,
    change: ['attributeOf(reference, "URI") !== `#${id}`', "false"],
    in: forged,
    test: "whole document",
  },
  {
    name: "saml: the root has an ID",
    file: shape,
    change: ['id === "" ||', ""],
    in: forged,
    test: "if the root has no ID",
  },
  {
    name: "saml: the first transform",
    file: shape,
    change: ['if (attributeOf(enveloped, "Algorithm") !== envelopedSignature) return undefined;', ""],
    in: forged,
    test: "transforms are",
  },
  {
    name: "saml: the canonicalization",
    file: shape,
    change: ["if (algorithm !== exclusiveCanonicalization) return undefined;", ""],
    in: forged,
    test: "transforms are",
  },
  {
    name: "saml: no third transform",
    file: shape,
    change: ["if (!hasShape || others.length > 0 || enveloped", "if (!hasShape || enveloped"],
    in: forged,
    test: "transforms are",
  },
  {
    name: "saml: the digest of a message",
    file: "src/sites/saml/signatures/verify-document.ts",
    change: ["isDigested(document, signature) ?", "isDigested.length > 0 ?"],
    in: forged,
    test: "whole document",
  },
  {
    name: "saml: the value of a signature",
    file: "src/sites/saml/signatures/verify-octets.ts",
    change: ["if (await verifyInPool(hash, Buffer.from(octets), how, signed.signature))", "void how;"],
    in: query,
  },
  {
    name: "saml: the type of a key",
    file: "src/sites/saml/signatures/verify-octets.ts",
    change: ["asymmetricKeyType === keyType", "asymmetricKeyType !== undefined"],
    in: forged,
    test: "algorithms",
  },
  {
    name: "saml: ECDSA is r and s",
    file: "src/sites/saml/signatures/verify-octets.ts",
    change: ['"ieee-p1363" as const', '"der" as const'],
    in: forged,
    test: "ECDSA is taken",
  },
  {
    name: "saml: signatures with SHA-1",
    file: "src/sites/saml/signatures/algorithms.ts",
    change: [
      "[rsaSha256, {",
      '[`${signatureNamespace}rsa-sha1`, { hash: "sha1", keyType: "rsa" }],\n  [rsaSha256, {',
    ],
    in: forged,
    test: "SHA-1: refused",
  },
  {
    name: "saml: digests with SHA-1",
    file: "src/sites/saml/signatures/algorithms.ts",
    change: ['[sha256, "sha256"],', '[sha256, "sha256"], [`${signatureNamespace}sha1`, "sha1"],'],
    in: forged,
    test: "SHA-1 as digest",
  },
  {
    name: "saml: only known algorithms are named",
    file: "src/sites/saml/signatures/algorithms.ts",
    change: ["refusedNames.has(name) ?", "refusedNames.size > 0 ?"],
    in: forged,
    test: "what nobody knows",
  },
  {
    name: "saml: the key of an assertion is encrypted by OAEP",
    file: "src/sites/saml/signatures/encrypt-assertion.ts",
    change: ["constants.RSA_PKCS1_OAEP_PADDING", "constants.RSA_PKCS1_PADDING"],
    in: encrypted,
  },
  {
    name: "saml: a parameter is sent once",
    file: "src/sites/saml/bindings/parameters.ts",
    change: ["if (parameters.has(name)) throw", "if (false) throw"],
    in: parameters,
  },
  {
    name: "saml: one message at a time",
    file: "src/sites/saml/bindings/parameters.ts",
    change: ["if (request !== undefined && response !== undefined) throw", "if (false) throw"],
    in: parameters,
  },
  {
    name: "saml: parameters are percent-encoded",
    file: "src/sites/saml/bindings/parameters.ts",
    change: ["if (/[^\\0-\\x7f]/.test(text)) return undefined;", ""],
    in: parameters,
  },
  {
    name: "saml: SigAlg comes with Signature",
    file: "src/sites/saml/bindings/redirect-query.ts",
    change: ["if ((algorithm === undefined) !== (signature === undefined))", "if (false)"],
    in: parameters,
  },
  {
    name: "saml: no signature beside a posted message",
    file: "src/sites/saml/bindings/post-body.ts",
    change: ['if (parameters.has("SigAlg") || parameters.has("Signature"))', "if (false)"],
    in: parameters,
  },
  {
    name: "saml: what is inflated is limited before",
    file: "src/sites/saml/bindings/decode-message.ts",
    change: ["maxOutputLength: maxMessageBytes,", ""],
    in: decoded,
    test: "not inflated",
  },
  {
    name: "saml: nothing follows what is deflated",
    file: "src/sites/saml/bindings/decode-message.ts",
    change: ["if (engine.bytesWritten === bytes.length) return", "if (engine.bytesWritten > 0) return"],
    in: decoded,
  },
  {
    name: "saml: no signature inside of a message by redirect",
    file: "src/sites/saml/bindings/decode-message.ts",
    change: ["signaturesIn(document).length > 0", "signaturesIn(document).length > 9"],
    in: decoded,
  },
  {
    name: "saml: nothing that SignedInfo would inherit stands around a signature by Canonical XML 1.1",
    file: "src/sites/saml/signatures/signature-shape.ts",
    change: [
      'signedInfoPrefixes === "all" && [root, signature].some(hasXmlAttribute)',
      "signedInfoPrefixes === undefined",
    ],
    in: "test/sites/saml/signatures/canonical-xml-11.test.ts",
    test: "something that",
  },
];
