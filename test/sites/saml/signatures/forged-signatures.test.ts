import { createHmac, createPublicKey, sign } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { verifyDocument } from "../../../../src/kernel/xml/signatures/verify-document.ts";
import { XmlError } from "../../../../src/kernel/xml/scan.ts";
import { parseTextXml } from "../../../../src/kernel/xml/text-document.ts";
import {
  canonical,
  ds,
  enveloped,
  exclusive,
  forge,
  type Forgery,
  honestMessage,
  method,
  more,
  writeMessage,
  writeReference,
  xenc,
} from "../support/forged-message.ts";
import { makeEcKeys, makeRsaKeys } from "../support/keys.ts";

const sender = makeRsaKeys();
const attacker = makeRsaKeys();
const curve = makeEcKeys();

/** Verifies with the keys of the sender. */
const verify = (text: string, keys = [sender.publicKey]) => verifyDocument(parseTextXml(text), keys);
const signed = (changes: Partial<Forgery> = {}) => forge({ key: sender.privateKey, ...changes });
const listOf = (prefixes: string) =>
  `<ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="${prefixes}"/>`;
const bad = (reason: string, algorithm?: string) => ({
  kind: "bad",
  reason,
  ...(algorithm === undefined ? {} : { algorithm }),
});

describe("controls: a signature is good", () => {
  test.each([
    ["as it should be", {}],
    [
      "with KeyInfo, which counts for nothing",
      { behind: "<ds:KeyInfo><ds:KeyName>x</ds:KeyName></ds:KeyInfo>" },
    ],
    ["with white space between its elements", { before: "\n  ", behind: "\n" }],
    [
      "with white space in its values",
      { signatureValue: (value: string) => `\n${value.replace(/.{64}/g, "$&\n")}` },
    ],
    [
      "with a list of prefixes",
      {
        transforms: enveloped + method("Transform", exclusive, listOf("saml unknown")),
        prefixes: ["saml"],
      },
    ],
    [
      "with a list of prefixes for SignedInfo",
      {
        canonicalization: method("CanonicalizationMethod", exclusive, listOf("\n saml  xs ")),
        infoPrefixes: ["saml"],
      },
    ],
    ["with sha512 as digest", { digestHash: "sha512", digestMethod: `${xenc}sha512` }],
    ["with sha384 as digest", { digestHash: "sha384", digestMethod: `${more}sha384` }],
  ] satisfies [string, Partial<Forgery>][])("%s", async (_name, changes) => {
    expect(await verify(signed(changes))).toEqual({ kind: "good" });
  });

  test("by any key of the sender", async () => {
    expect(await verify(signed(), [curve.publicKey, attacker.publicKey, sender.publicKey])).toEqual({
      kind: "good",
    });
  });
});

describe("what is signed is the whole document", () => {
  const evil = (inner: string, id = "_evil") =>
    writeMessage({ id, issuer: "https://evil.example", inner }).replace("{signature}", "");
  const original = honestMessage.replace("{signature}", "");
  const signatureOf = (text: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(text)?.[0] ?? "";
  const extensions = (inner: string) => `<samlp:Extensions>${inner}</samlp:Extensions>`;
  const inObject = (text: string, before: string) =>
    text.replace("</ds:Signature>", `${before}<ds:Object>${original}</ds:Object></ds:Signature>`);

  test.each([
    ["the original in Extensions", evil(extensions(signed())), "shape"],
    ["the original beside its signature", evil(extensions(original) + signatureOf(signed())), "reference"],
    ["the original in Object", evil(inObject(signatureOf(signed()), "")), "shape"],
    [
      "the original in Object behind KeyInfo",
      evil(inObject(signatureOf(signed()), "<ds:KeyInfo/>")),
      "shape",
    ],
    [
      "the original with another attribute as ID",
      evil(original.replace("ID=", "id=") + signatureOf(signed())),
      "reference",
    ],
    [
      "an original that has lost its ID to the root",
      evil(original.replace("ID=", "id=") + signatureOf(signed()), "_q"),
      "digest",
    ],
    ["the signature of another message", evil(signatureOf(signed()), "_q"), "digest"],
    [
      "a signature deeper than a child",
      honestMessage.replace("{signature}", extensions(signatureOf(signed()))),
      "shape",
    ],
    ["a changed value", signed().replace("https://sp.example", "https://sp.exampl"), "digest"],
    ["an added attribute", signed().replace('Version="2.0"', 'Version="2.0" ForceAuthn="true"'), "digest"],
    ["an added element", signed().replace("<samlp:NameIDPolicy/>", "<samlp:NameIDPolicy/><a/>"), "digest"],
    [
      "an added instruction",
      signed().replace("<samlp:NameIDPolicy/>", "<?a?><samlp:NameIDPolicy/>"),
      "digest",
    ],
    ["another namespace", signed().replace("SAML:2.0:assertion", "SAML:2.0:assertions"), "digest"],
  ])("%s is refused", async (_name, text, reason) => {
    expect(await verify(text)).toEqual(bad(reason));
  });

  test.each(["ID", "Id", "xml:id"])("the same ID twice, the second as %s, is refused", (name) => {
    const twice = extensions(original.replace("ID=", `${name}=`));
    expect(() => parseTextXml(evil(twice + signatureOf(signed()), "_q"))).toThrow(XmlError);
  });

  test.each([
    ["absent", ' URI="#_q"', ""],
    ["empty", "#_q", ""],
    ["of nothing", "#_q", "#"],
    ["without number sign", "#_q", "_q"],
    ["of another ID", "#_q", "#_Q"],
    ["of http", "#_q", "http://sp.example/_q"],
    ["of a file", "#_q", "file:///etc/passwd#_q"],
    ["of xpointer", "#_q", "#xpointer(id('_q'))"],
    ["of the root by xpointer", "#_q", "#xpointer(/)"],
    ["encoded", "#_q", "#%5fq"],
  ])("a reference that is %s is refused", async (_name, from, to) => {
    const text = signed().replace(from, to);
    expect(text).not.toBe(signed());
    expect(await verify(text)).toEqual(bad("reference"));
  });

  test("a reference to nothing is refused if the root has no ID", async () => {
    for (const uri of ["", "#", "#undefined"]) {
      const message = honestMessage.replace(' ID="_q"', "");
      expect(await verify(signed({ message, uri }))).toEqual(bad("reference"));
      expect(await verify(signed({ message: honestMessage.replace('"_q"', '""'), uri }))).toEqual(
        bad("reference"),
      );
    }
  });
});

describe("there is one of each", () => {
  const signature = (text: string) => /<ds:Signature .*<\/ds:Signature>/s.exec(text)?.[0] ?? "";
  const info = (text: string) => /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(text)?.[0] ?? "";
  const foreign = forge({ key: attacker.privateKey });
  const own = honestMessage.replace("{signature}", "");

  test.each([
    ["two signatures", signed().replace("<ds:Signature ", () => `${signature(foreign)}<ds:Signature `)],
    [
      "two signatures, the second foreign",
      signed().replace("</ds:Signature>", () => `</ds:Signature>${signature(foreign)}`),
    ],
    ["a signature in KeyInfo", signed({ behind: `<ds:KeyInfo>${signature(foreign)}</ds:KeyInfo>` })],
    [
      "two signatures, the second in what the first covers",
      signed({ message: writeMessage({ inner: `<a>${signature(foreign)}</a>` }) }),
    ],
    ["no Reference", signed().replace(/<ds:Reference .*<\/ds:Reference>/, "")],
    ["two SignedInfo", signed({ before: info(foreign) })],
    ["two SignedInfo, the second behind", signed({ behind: info(foreign) })],
    ["two Reference", signed({ moreInfo: writeReference({ key: sender.privateKey }) })],
    ["two SignatureValue", signed({ behind: "<ds:SignatureValue>AAAA</ds:SignatureValue>" })],
    ["two KeyInfo", signed({ behind: "<ds:KeyInfo/><ds:KeyInfo/>" })],
    ["an Object", signed({ behind: `<ds:Object>${own.replace("_q", "_o")}</ds:Object>` })],
    ["no SignedInfo", signed().replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/, "")],
    ["no SignatureValue", signed().replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, "")],
    ["an empty Signature", signed().replace(/(<ds:Signature [^>]*>).*(<\/ds:Signature>)/, "$1$2")],
    ["an empty SignedInfo", signed().replace(/(<ds:SignedInfo>).*(<\/ds:SignedInfo>)/, "$1$2")],
    ["an empty SignatureValue", signed({ signatureValue: () => "" })],
    [
      "SignedInfo of another namespace",
      signed({ rewrite: (text) => text.replaceAll("ds:SignedInfo", "saml:SignedInfo") }),
    ],
    [
      "two DigestValue",
      signed().replace("</ds:DigestValue>", "</ds:DigestValue><ds:DigestValue>AAAA</ds:DigestValue>"),
    ],
    [
      "something in SignatureMethod",
      signed({
        signatureMethod: method(
          "SignatureMethod",
          `${more}rsa-sha256`,
          "<ds:HMACOutputLength>8</ds:HMACOutputLength>",
        ),
      }),
    ],
  ])("%s: refused", async (_name, text) => {
    expect(await verify(text)).toEqual(bad("shape"));
  });
});

describe("values are one run of text (CVE-2025-29775)", () => {
  const forms: readonly [string, (value: string) => string][] = [
    ["a comment before", (value) => `<!-- ${value} -->${value}`],
    ["a comment within", (value) => `${value.slice(0, 8)}<!-- -->${value.slice(8)}`],
    ["CDATA", (value) => `<![CDATA[${value}]]>`],
    ["an element", (value) => `<a/>${value}`],
    ["an instruction", (value) => `${value}<?x y?>`],
    ["no padding", (value) => value.replaceAll("=", "")],
    ["another alphabet", (value) => `${value.slice(0, -4)}-_-_`],
  ];
  test.each(forms)("DigestValue with %s is refused", async (_name, digestValue) => {
    expect(await verify(signed({ digestValue }))).toEqual(bad("shape"));
  });

  test.each(forms)("SignatureValue with %s is refused", async (_name, signatureValue) => {
    expect(await verify(signed({ signatureValue }))).toEqual(bad("shape"));
  });

  test("a comment or CDATA in Issuer leaves the signature good, but the Issuer without text", async () => {
    for (const issuer of ["https://sp.example<!-- -->", "https://<![CDATA[sp.example]]>"]) {
      const text = signed().replace("https://sp.example", issuer);
      expect(await verify(text)).toEqual({ kind: "good" });
      expect(parseTextXml(text).root.children[0]?.text).toBeUndefined();
    }
  });
});

describe("transforms are those two", () => {
  const inclusive = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315";
  const list = (inner: string) => method("Transform", exclusive, inner);
  const prefixes = listOf("x");
  test.each([
    ["none", ""],
    ["only the first", enveloped],
    ["only the second", canonical],
    ["the other way round", canonical + enveloped],
    ["a third", enveloped + canonical + canonical],
    ["inclusive canonicalization", enveloped + method("Transform", inclusive)],
    ["comments", enveloped + method("Transform", `${exclusive}WithComments`)],
    ["XSLT", enveloped + method("Transform", "http://www.w3.org/TR/1999/REC-xslt-19991116")],
    [
      "XPath",
      enveloped +
        method("Transform", "http://www.w3.org/TR/1999/REC-xpath-19991116", "<ds:XPath>self::a</ds:XPath>"),
    ],
    ["XPath before", method("Transform", "http://www.w3.org/TR/1999/REC-xpath-19991116") + canonical],
    ["base64", enveloped + method("Transform", `${ds}base64`)],
    ["no algorithm", `${enveloped}<ds:Transform/>`],
    [
      "something in the first",
      method("Transform", `${ds}enveloped-signature`, "<ds:XPath>a</ds:XPath>") + canonical,
    ],
    ["something in the second", enveloped + list("<ds:XPath>a</ds:XPath>")],
    ["two lists of prefixes", enveloped + list(prefixes + prefixes)],
    ["something in the list", enveloped + list(prefixes.replace("/>", "><a/></ec:InclusiveNamespaces>"))],
  ])("%s: refused", async (_name, transforms) => {
    expect(await verify(signed({ transforms }))).toEqual(bad("reference"));
  });

  test.each([inclusive, `${exclusive}WithComments`, ""])(
    "SignedInfo by %j is refused",
    async (canonicalization) => {
      expect(
        await verify(signed({ canonicalization: method("CanonicalizationMethod", canonicalization) })),
      ).toEqual(bad("shape"));
    },
  );
});

describe("what is canonicalized is bounded", () => {
  const inner = (count: number) => `<a xmlns:b="${"u".repeat(1000)}">${"<b:c/>".repeat(count)}</a>`;
  const withInner = (count: number) => signed({ message: writeMessage({ inner: inner(count) }) });

  test("a form of more than 256 KiB is refused, though the signature is good", async () => {
    expect(await verify(withInner(200))).toEqual({ kind: "good" });
    expect(await verify(withInner(400))).toEqual(bad("shape"));
  });

  test("the document is not digested for a sender without a key, or whose keys have not signed its digest", async () => {
    expect(await verify(withInner(400), [])).toEqual(bad("key"));
    expect(await verify(withInner(400), [curve.publicKey])).toEqual(bad("key"));
    expect(await verify(withInner(400), [attacker.publicKey])).toEqual(bad("value"));
  });

  test("SignedInfo too", async () => {
    const many = `<ds:SignatureMethod ${Array.from({ length: 300 }, (_, at) => `xmlns:c${at}="${"u".repeat(1000)}" c${at}:x${at}=""`).join(" ")} `;
    expect(await verify(signed().replace("<ds:SignatureMethod ", many))).toEqual(bad("shape"));
  });
});

describe("algorithms", () => {
  const named = (name: string, namespace = more) => ({
    signatureMethod: method("SignatureMethod", namespace + name),
  });
  const pem = sender.publicKey.export({ type: "spki", format: "pem" });
  const hmac = (octets: Buffer) => createHmac("sha256", pem).update(octets).digest();
  test.each([
    [
      "SHA-1",
      { ...named("rsa-sha1", ds), sign: (octets: Buffer) => sign("sha1", octets, sender.privateKey) },
      "rsa-sha1",
    ],
    ["HMAC with the public key", { ...named("hmac-sha256"), sign: hmac }, "hmac-sha256"],
    ["HMAC with SHA-1", { ...named("hmac-sha1", ds), sign: hmac }, "hmac-sha1"],
    ["DSA", named("dsa-sha1", ds), "dsa-sha1"],
    ["MD5", named("rsa-md5"), "rsa-md5"],
    ["SHA-1 as digest", { digestMethod: `${ds}sha1`, digestHash: "sha1" }, "sha1"],
    ["MD5 as digest", { digestMethod: `${more}md5`, digestHash: "md5" }, "md5"],
    ["what nobody knows", named("rsa-sha257"), undefined],
    ["what nobody knows as digest", { digestMethod: "urn:x" }, undefined],
    ["none", { signatureMethod: "<ds:SignatureMethod/>" }, undefined],
    [
      "the name of an object's member",
      { signatureMethod: method("SignatureMethod", "constructor") },
      undefined,
    ],
  ] satisfies [string, Partial<Forgery>, string | undefined][])(
    "%s: refused by its name",
    async (_name, changes, algorithm) => {
      expect(await verify(signed(changes))).toEqual(bad("algorithm", algorithm));
    },
  );

  test("must be those of the key", async () => {
    const asEc = signed(named("ecdsa-sha256"));
    expect(await verify(asEc)).toEqual(bad("key"));
    const asRsa = forge({ key: curve.privateKey });
    expect(await verify(asRsa, [curve.publicKey])).toEqual(bad("key"));
    expect(await verify(signed(), [])).toEqual(bad("key"));
  });

  test.each([
    ["r and s one after the other", "ieee-p1363", { kind: "good" }],
    ["DER", "der", { kind: "bad", reason: "value" }],
  ] as const)("ECDSA is taken as %s: %j", async (_name, dsaEncoding, finding) => {
    const text = forge({
      key: curve.privateKey,
      ...named("ecdsa-sha256"),
      sign: (octets) => sign("sha256", octets, { key: curve.privateKey, dsaEncoding }),
    });
    expect(await verify(text, [sender.publicKey, curve.publicKey])).toEqual(finding);
  });

  test.each([0, 1, 63, 65, 64, 128, 256, 1000])(
    "an ECDSA signature of %d zero bytes is refused",
    async (length) => {
      const text = forge({
        key: curve.privateKey,
        ...named("ecdsa-sha256"),
        sign: () => Buffer.alloc(length),
      });
      expect(await verify(text, [curve.publicKey])).toEqual(bad(length === 0 ? "shape" : "value"));
    },
  );
});

describe("keys", () => {
  const certificate = (text: string) =>
    `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;

  test("that come with the message count for nothing", async () => {
    const der = createPublicKey(attacker.privateKey)
      .export({ type: "spki", format: "der" })
      .toString("base64");
    const text = forge({ key: attacker.privateKey, behind: certificate(der) });
    expect(await verify(text)).toEqual(bad("value"));
    expect(await verify(text, [attacker.publicKey])).toEqual({ kind: "good" });
  });

  test("that are missing are not asked for where nothing is signed", async () => {
    expect(await verify(honestMessage.replace("{signature}", ""), [])).toEqual({ kind: "absent" });
  });
});
