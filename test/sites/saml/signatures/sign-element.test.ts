import { describe, expect, test } from "@jest/globals";
import { type Signable, signElement } from "../../../../src/kernel/xml/signatures/sign-element.ts";
import { verifyDocument } from "../../../../src/kernel/xml/signatures/verify-document.ts";
import { canonicalize } from "../../../../src/kernel/xml/canonical.ts";
import { parseTextXml } from "../../../../src/kernel/xml/text-document.ts";
import { element, type XmlFragment } from "../../../../src/kernel/xml/write.ts";
import { canonicalizeByXmlCrypto } from "../../../kernel/xml/support/canonical-by-others.ts";
import { honestMessage, more, xenc } from "../support/forged-message.ts";
import { makeRsaKeys } from "../support/keys.ts";
import { signByXmlCrypto, verifyByXmlCrypto } from "../support/signed-by-others.ts";

const keys = makeRsaKeys();
const signer = { privateKey: keys.privateKey, certificate: Buffer.from("certificate") };

const assertionNamespace = "urn:oasis:names:tc:SAML:2.0:assertion";
const issuer = (declarations: Readonly<Record<string, string>>) =>
  element("saml:Issuer", declarations, ["https://idp.example"]);

const assertion: Signable = {
  id: "_a",
  render: (signature) =>
    element("saml:Assertion", { "xmlns:saml": assertionNamespace, ID: "_a", Version: "2.0" }, [
      issuer({}),
      signature,
      element("saml:Subject", {}, ["é<>&\"'\r\n\t😀"]),
    ]),
};
const response = (inner: XmlFragment): Signable => ({
  id: "_r",
  render: (signature) =>
    element(
      "samlp:Response",
      {
        "xmlns:samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
        ID: "_r",
        Destination: "https://sp.example/?a=1&b='\"<>",
      },
      [issuer({ "xmlns:saml": assertionNamespace }), signature, inner],
    ),
});

describe("what we sign", () => {
  test("is good to xml-crypto, within and without, and to us", async () => {
    const { xml } = await signElement(response(await signElement(assertion, signer)), signer);
    const [outer = "", inner = ""] = verifyByXmlCrypto(xml, keys.publicKey);
    expect(outer).toMatch(/^<samlp:Response .*<saml:Assertion .*<ds:Signature /s);
    expect(inner).toMatch(/^<saml:Assertion /);
    expect(verifyByXmlCrypto(xml, makeRsaKeys().publicKey)).toEqual([undefined, undefined]);
    const one = await signElement(response(assertion.render(undefined)), signer);
    expect(await verifyDocument(parseTextXml(one.xml), [keys.publicKey])).toEqual({ kind: "good" });
  });

  test("is its own canonical form", async () => {
    const { xml } = await signElement(response(await signElement(assertion, signer)), signer);
    expect(canonicalize(parseTextXml(xml).root)).toBe(xml);
    expect(canonicalizeByXmlCrypto(xml)).toBe(xml);
  });

  test("has the signature behind the Issuer, and the certificate in it", async () => {
    const { root } = parseTextXml((await signElement(assertion, signer)).xml);
    expect(root.children.map(({ name }) => name)).toEqual(["saml:Issuer", "ds:Signature", "saml:Subject"]);
    const certificate = root.children[1]?.children[2]?.children[0]?.children[0];
    expect(certificate?.text).toBe(Buffer.from("certificate").toString("base64"));
  });
});

describe("what xml-crypto signs is good to us", () => {
  const text = honestMessage.replace("{signature}", "<!-- a -->é\r\n&#13;<![CDATA[<]]>");
  const key = keys.privateKey;

  test.each([
    ["rsa-sha256", "sha256", {}],
    ["rsa-sha512", "sha512", { algorithm: `${more}rsa-sha512`, digestAlgorithm: `${xenc}sha512` }],
  ])("with %s and %s", async (_algorithm, _digest, how) => {
    const signed = signByXmlCrypto(text, { key, ...how });
    expect(await verifyDocument(parseTextXml(signed), [keys.publicKey])).toEqual({ kind: "good" });
    const changed = signed.replace("https://sp.example", "https://sp.examplf");
    expect(await verifyDocument(parseTextXml(changed), [keys.publicKey])).toEqual({
      kind: "bad",
      reason: "digest",
    });
  });

  test("but not with SHA-1", async () => {
    const signed = signByXmlCrypto(text, { key, algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1" });
    expect(await verifyDocument(parseTextXml(signed), [keys.publicKey])).toEqual({
      kind: "bad",
      reason: "algorithm",
      algorithm: "rsa-sha1",
    });
  });
});
