import { beforeAll, describe, expect, test } from "@jest/globals";
import { generateKeyPairSync, hash, type KeyObject } from "node:crypto";
import { readServiceProvider } from "../../../../src/identity/applications/saml/service-provider.ts";
import { makeCertificate } from "../../../../src/identity/signing-keys/certificate.ts";
import { certificates, keyDescriptor, keyValue, rsaKeyOf } from "./key-elements.ts";
import { metadata, service } from "./metadata-document.ts";

const read = (...descriptors: readonly string[]) =>
  readServiceProvider(metadata({ services: `${descriptors.join("")}${service()}` }), {
    dev: false,
    nowMs: Date.UTC(2026, 5, 1),
  });
const curve = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve }).publicKey;
const isSame = (left: KeyObject | undefined, right: KeyObject) => left?.equals(right) === true;

const notAfterMs = Date.UTC(2001, 0, 1);
let rsa: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
let expired: Uint8Array;
beforeAll(async () => {
  rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const content = { commonName: "sp.test", serial: new Uint8Array(16), notBeforeMs: Date.UTC(2000, 0, 1) };
  expired = await makeCertificate({ ...content, notAfterMs, publicKey: rsa.publicKey }, rsa.privateKey);
});

describe("a key", () => {
  test("of a certificate counts, whatever its dates (Metadata Interoperability Profile §2.5)", () => {
    const seen = read(keyDescriptor(certificates(expired)));
    expect(isSame(seen.signingKeys[0], rsa.publicKey)).toBe(true);
    expect(isSame(seen.encryption?.publicKey, rsa.publicKey)).toBe(true);
    expect(seen.certificates).toEqual([
      { use: "", fingerprintSha256: hash("sha256", expired, "hex"), notAfterMs, keyType: "RSA 2048" },
    ]);
    expect(seen.problems).toEqual([]);
  });

  test.each([
    ["that there is not", "991399999999Z"],
    ["of other characters", "zzzzzzzzzzzzZ"],
    ["before 1970", "500101000000Z"],
  ])("of a certificate with a date %s counts, without the date", (_what, date) => {
    const der = Buffer.from(expired);
    const dates = der.indexOf(Buffer.from([0x17, 13]));
    const at = der.indexOf(Buffer.from([0x17, 13]), dates + 2);
    der.write(date, at + 2);
    const seen = read(keyDescriptor(certificates(der)));
    expect(seen.certificates).toMatchObject([{ notAfterMs: undefined, keyType: "RSA 2048" }]);
    expect(seen.signingKeys).toHaveLength(1);
  });

  test("may be bare (XML Signature §4.5.2)", () => {
    const keys = [rsa.publicKey, curve("P-256"), curve("P-384")];
    const seen = read(...keys.map((key) => keyDescriptor(keyValue(key), { use: "signing" })));
    expect(seen.signingKeys.map((key, at) => isSame(key, keys[at] ?? rsa.publicKey))).toEqual([
      true,
      true,
      true,
    ]);
    expect(seen.certificates.map(({ keyType, notAfterMs: date }) => [keyType, date])).toEqual([
      ["RSA 2048", undefined],
      ["EC P-256", undefined],
      ["EC P-384", undefined],
    ]);
  });

  test("is that of the first certificate: those behind it belong to whoever issued it", async () => {
    const issuer = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const content = { commonName: "ca.test", serial: new Uint8Array(16), notBeforeMs: 0, notAfterMs };
    const other = await makeCertificate({ ...content, publicKey: issuer.publicKey }, issuer.privateKey);
    const seen = read(keyDescriptor(certificates(expired, other), { use: "signing" }));
    expect(seen.signingKeys).toHaveLength(1);
    expect(isSame(seen.signingKeys[0], rsa.publicKey)).toBe(true);
  });

  test("may be written with white space and in PEM", () => {
    const lines = Buffer.from(expired)
      .toString("base64")
      .replaceAll(/(.{64})/g, "$1\r\n\t");
    const pem = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----`;
    const written = (text: string) =>
      keyDescriptor(`<ds:X509Data><ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data>`);
    expect(read(written(`\n ${lines} `), written(pem)).signingKeys).toHaveLength(2);
  });

  test.each([
    ["signing", 1, false],
    ["encryption", 0, true],
    ["both", 1, true],
    [undefined, 1, true],
    ["other", 0, false],
  ])("with use %j", (use, signing, isForEncryption) => {
    const seen = read(keyDescriptor(certificates(expired), use === undefined ? {} : { use }));
    expect([seen.signingKeys.length, seen.encryption !== undefined]).toEqual([signing, isForEncryption]);
  });
});

describe("a key of another kind or size", () => {
  const short = "RSA keys with less than 2048 bits are not safe: the metadata has 1";
  const useless = "the metadata has keys that cannot be used, by their kind or size: 1";

  test.each([
    ["RSA 1024", rsaKeyOf(1024), 1, [short]],
    ["RSA 2047", rsaKeyOf(2047), 1, [short]],
    ["RSA 1023", rsaKeyOf(1023), 0, [short]],
    ["RSA 8193", rsaKeyOf(8193), 0, [useless]],
    ["RSA 2048", rsaKeyOf(2048, "AQAAAAE"), 0, [useless]], // 2^32 + 1
    ["RSA 2048", rsaKeyOf(2048, "AQ"), 0, [useless]], // 1, with which everybody could sign
    ["RSA 2048", rsaKeyOf(2048, "Ag"), 0, [useless]], // 2
    ["RSA 2048", rsaKeyOf(2048, "_____g"), 0, [useless]], // 2^32 - 2
    ["RSA 2048", rsaKeyOf(2048, "AQAB", 0xfe), 0, [useless]], // an even modulus
  ])("%s (%#): verifies, or not, and never encrypts", (keyType, key, verifying, problems) => {
    const seen = read(keyDescriptor(keyValue(key)));
    expect(seen).toMatchObject({ encryption: undefined, problems, certificates: [{ keyType }] });
    expect(seen.signingKeys).toHaveLength(verifying);
  });

  test("RSA 2048 with 3 as exponent does both", () => {
    const seen = read(keyDescriptor(keyValue(rsaKeyOf(2048, "Aw"))));
    expect([seen.signingKeys.length, seen.encryption !== undefined, seen.problems]).toEqual([1, true, []]);
  });

  test("RSA 8192 does both", () => {
    const seen = read(keyDescriptor(keyValue(rsaKeyOf(8192))));
    expect([seen.signingKeys.length, seen.encryption !== undefined, seen.problems]).toEqual([1, true, []]);
  });

  test("P-256 verifies and does not encrypt", () => {
    const seen = read(keyDescriptor(keyValue(curve("P-256"))));
    expect([seen.signingKeys.length, seen.encryption]).toEqual([1, undefined]);
  });

  const data = (text: string) =>
    `<ds:X509Data><ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data>`;
  test.each([
    ["no KeyInfo", "<md:KeyDescriptor/>"],
    ["an empty KeyInfo", keyDescriptor("")],
    ["no base64", keyDescriptor(data("AAA-"))],
    ["no certificate", keyDescriptor(data("AAAA"))],
    ["an empty certificate", keyDescriptor(data(""))],
    ["a comment in the certificate", keyDescriptor(data("AA<!-- -->AA"))],
    ["a name of a key alone", keyDescriptor("<ds:KeyName>a</ds:KeyName>")],
    ["a curve that we do not have", keyDescriptor(keyValue(curve("P-521")))],
    [
      "a point that is not on the curve",
      keyDescriptor(keyValue(curve("P-256")).replace(/PublicKey>.{20}/, "PublicKey>BAAAAAAAAAAAAAAAAAAA")),
    ],
  ])("%s: is left out", (_what, descriptor) => {
    expect(read(descriptor)).toMatchObject({
      signingKeys: [],
      certificates: [],
      problems: ["the metadata has KeyDescriptors that cannot be read or are too many: 1"],
    });
  });
});

describe("many keys", () => {
  test("of those for signing, the first ten count", () => {
    const keys = Array.from({ length: 12 }, () => curve("P-256"));
    const seen = read(...keys.map((key) => keyDescriptor(keyValue(key), { use: "signing" })));
    expect(seen.signingKeys.map((key, at) => isSame(key, keys[at] ?? rsa.publicKey))).toEqual(
      Array.from({ length: 10 }, () => true),
    );
    expect(seen.problems).toEqual(["only 10 keys for signing are used: the metadata has 2 more"]);
  });

  test("no more than 20 KeyDescriptors are read", () => {
    const useless = Array.from({ length: 20 }, () => "<md:KeyDescriptor/>");
    expect(read(...useless, keyDescriptor(certificates(expired))).signingKeys).toEqual([]);
    expect(read(...useless.slice(1), keyDescriptor(certificates(expired))).signingKeys).toHaveLength(1);
  });
});

describe("ciphers (XML Encryption 1.1 §5.1)", () => {
  const gcm = "http://www.w3.org/2009/xmlenc11#aes128-gcm";
  const oaep = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p";
  const triple = "http://www.w3.org/2001/04/xmlenc#tripledes-cbc";
  const wrap = "http://www.w3.org/2001/04/xmlenc#kw-aes128";
  const encryptionOf = (...ciphers: readonly string[]) =>
    read(keyDescriptor(certificates(expired), { use: "encryption", ciphers }));

  test("how keys are encrypted is not how content is", () => {
    expect(encryptionOf(oaep, wrap).encryption?.ciphers).toEqual([]);
    expect(encryptionOf(triple, gcm, oaep).encryption?.ciphers).toEqual([triple, gcm]);
  });

  test("a key counts only if we have one of the ciphers that it names", () => {
    const seen = encryptionOf(triple, oaep);
    expect(seen.encryption).toBeUndefined();
    expect(seen.problems).toEqual([
      "the key for encryption in the metadata, or each cipher that it names, cannot be used",
    ]);
  });

  test("the first key that can be used counts", () => {
    const seen = read(
      keyDescriptor(keyValue(curve("P-256")), { use: "encryption" }),
      keyDescriptor(keyValue(rsaKeyOf(3072)), { use: "encryption", ciphers: [triple] }),
      keyDescriptor(certificates(expired), { use: "encryption", ciphers: [gcm] }),
      keyDescriptor(keyValue(rsaKeyOf(4096))),
    );
    expect(isSame(seen.encryption?.publicKey, rsa.publicKey)).toBe(true);
    expect(seen.problems).toEqual([]);
  });
});
