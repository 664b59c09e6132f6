import { constants, createDecipheriv, createSecretKey, privateDecrypt } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  encryptAssertion,
  hasUsableCipher,
} from "../../../../src/sites/saml/signatures/encrypt-assertion.ts";
import { canonicalize } from "../../../../src/kernel/xml/canonical.ts";
import { parseTextXml, type TextElement } from "../../../../src/kernel/xml/text-document.ts";
import { element } from "../../../../src/kernel/xml/write.ts";
import { xenc } from "../support/forged-message.ts";
import { makeRsaKeys } from "../support/keys.ts";

const { privateKey, publicKey } = makeRsaKeys();
const assertion = element("saml:Assertion", { "xmlns:saml": "urn:oasis:names:tc:SAML:2.0:assertion" }, [
  "é😀 1",
]);
const xenc11 = "http://www.w3.org/2009/xmlenc11#";
const encrypt = (ciphers: readonly string[] = [], inner = assertion) =>
  encryptAssertion(inner, { to: { publicKey, ciphers }, random: systemRandom }).xml;

/** Decrypts as XML Encryption §4.2 says, with what the document names. */
function decrypt(xml: string): { readonly cipher: string; readonly text: string } {
  const { elements } = parseTextXml(xml);
  const named = (name: string) => elements.filter(({ localName }) => localName === name);
  const [cipher = "", keyMethod] = named("EncryptionMethod").map(algorithmOf);
  expect(keyMethod).toBe(`${xenc}rsa-oaep-mgf1p`);
  const [wrapped = "", content = ""] = named("CipherValue").map(({ text }) => text);
  const padding = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" };
  const key = privateDecrypt(padding, Buffer.from(wrapped, "base64"));
  return { cipher, text: decryptContent(cipher, key, Buffer.from(content, "base64")) };
}

function algorithmOf({ attributes }: TextElement): string {
  return attributes.find(([name]) => name === "Algorithm")?.[1] ?? "";
}

function decryptContent(cipher: string, key: Buffer, bytes: Buffer): string {
  const bits = cipher.includes("256") ? "256" : "128";
  expect(key.length).toBe(Number(bits) / 8);
  if (cipher.endsWith("cbc")) {
    const decryption = createDecipheriv(`aes-${bits}-cbc`, createSecretKey(key), bytes.subarray(0, 16));
    return decryption.update(bytes.subarray(16), undefined, "utf8") + decryption.final("utf8");
  }
  const decryption = createDecipheriv(`aes-${bits}-gcm`, createSecretKey(key), bytes.subarray(0, 12));
  decryption.setAuthTag(bytes.subarray(-16));
  return decryption.update(bytes.subarray(12, -16), undefined, "utf8") + decryption.final("utf8");
}

describe("the content cipher is the best of those that are named", () => {
  const [gcm256, gcm128, cbc256, cbc128] = [
    `${xenc11}aes256-gcm`,
    `${xenc11}aes128-gcm`,
    `${xenc}aes256-cbc`,
    `${xenc}aes128-cbc`,
  ];
  test.each([
    ["none", [], gcm256],
    ["all", [cbc128, cbc256, gcm128, gcm256], gcm256],
    ["the small ones", [cbc128, gcm128], gcm128],
    ["CBC", [cbc128, cbc256, `${xenc}tripledes-cbc`], cbc256],
    ["the least", [`${xenc}tripledes-cbc`, cbc128], cbc128],
  ])("%s", (_name, ciphers, cipher) => {
    expect(decrypt(encrypt(ciphers))).toEqual({ cipher, text: assertion.xml });
    expect(hasUsableCipher(ciphers)).toBe(true);
  });

  test.each([[[`${xenc}tripledes-cbc`]], [["urn:x", `${xenc}aes192-cbc`]], [[""]]])(
    "%j has none that we use",
    (ciphers) => {
      expect(hasUsableCipher(ciphers)).toBe(false);
      expect(() => encrypt(ciphers)).toThrow("no usable cipher");
    },
  );
});

test("an encrypted assertion is its own canonical form, and says what it holds", () => {
  const xml = encrypt();
  expect(canonicalize(parseTextXml(xml).root)).toBe(xml);
  const [encrypted] = parseTextXml(xml).root.children;
  expect(Object.fromEntries(encrypted?.attributes ?? [])).toEqual({ Type: `${xenc}Element` });
});

test("keys and vectors are new each time, and lengths that fill a block are padded", () => {
  for (let length = 0; length <= 32; length++) {
    const inner = element("a", {}, ["x".repeat(length)]);
    const ciphers = [`${xenc}aes128-cbc`];
    expect(decrypt(encrypt(ciphers, inner)).text).toBe(inner.xml);
    expect(encrypt(ciphers, inner)).not.toBe(encrypt(ciphers, inner));
  }
});
