import { expect, test } from "@jest/globals";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { makeCertificate } from "../../../src/identity/signing-keys/certificate.ts";

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const content = {
  commonName: "gatehouse saml",
  serial: Uint8Array.from({ length: 16 }, (_, index) => index),
  notBeforeMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  notAfterMs: Date.UTC(2036, 0, 2, 3, 4, 5, 678),
  publicKey,
};
const make = async (changes: Partial<typeof content> = {}) =>
  new X509Certificate(await makeCertificate({ ...content, ...changes }, privateKey));

test("a certificate says whose key it is and for how long, and verifies with that key (RFC 5280 §4.1)", async () => {
  const certificate = await make();
  expect(certificate.subject).toBe("CN=gatehouse saml");
  expect(certificate.issuer).toBe(certificate.subject);
  expect(certificate.validFromDate).toEqual(new Date("2026-01-02T03:04:05Z"));
  expect(certificate.validToDate).toEqual(new Date("2036-01-02T03:04:05Z"));
  expect(certificate.publicKey.equals(publicKey)).toBe(true);
  expect(certificate.verify(publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  const { signatureAlgorithm } = certificate;
  expect(signatureAlgorithm).toBe("sha256WithRSAEncryption");
});

test("it may be used for digital signatures alone, and that is critical (RFC 5280 §4.2.1.3)", async () => {
  const { raw } = await make();
  expect(raw.toString("hex")).toContain("300e0603551d0f0101ff040403020780");
  expect(raw.toString("hex").match(/0603551d/g)).toHaveLength(1); // there is no other extension
});

test.each([
  ["zeros", 0x00, "40000000000000000000000000000000"],
  ["ones", 0xff, "7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"],
])(
  "its serial number is positive, and of 16 octets, also when the draw is %s (RFC 5280 §4.1.2.2)",
  async (_, byte, hex) => {
    const { serialNumber } = await make({ serial: new Uint8Array(16).fill(byte) });
    expect(serialNumber).toBe(hex);
  },
);

test.each([
  ["UTCTime until 2049", Date.UTC(2049, 11, 31, 23, 59, 59), "170d3439313233313233353935395a"],
  ["GeneralizedTime from 2050 on", Date.UTC(2050, 0, 1), "180f32303530303130313030303030305a"],
])("its dates are %s (RFC 5280 §4.1.2.5)", async (_, notAfterMs, hex) => {
  const certificate = await make({ notAfterMs });
  expect(certificate.raw.toString("hex")).toContain(hex);
  expect(certificate.validToDate).toEqual(new Date(notAfterMs));
});
