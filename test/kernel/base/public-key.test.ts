import { describe, expect, test } from "@jest/globals";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { parseClientKey } from "../../../src/kernel/base/public-key.ts";

const pairs = {
  "RSA 2048": generateKeyPairSync("rsa", { modulusLength: 2048 }),
  "RSA 1024": generateKeyPairSync("rsa", { modulusLength: 1024 }),
  "P-256": generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "P-384": generateKeyPairSync("ec", { namedCurve: "P-384" }),
  "P-521": generateKeyPairSync("ec", { namedCurve: "P-521" }),
  secp256k1: generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
  Ed25519: generateKeyPairSync("ed25519"),
  Ed448: generateKeyPairSync("ed448"),
  X25519: generateKeyPairSync("x25519"),
} as const;

const pem = (key: KeyObject) => Buffer.from(key.export({ format: "pem", type: "spki" }));
const jwk = (key: KeyObject, more: object = {}) =>
  Buffer.from(JSON.stringify({ ...key.export({ format: "jwk" }), ...more }));

describe("a public key", () => {
  test.each(["RSA 2048", "P-256", "P-384", "Ed25519"] as const)(
    "of %s is read from PEM and from a JWK",
    (name) => {
      const { publicKey } = pairs[name];
      expect(parseClientKey(pem(publicKey))).toEqual(publicKey.export({ format: "jwk" }));
      expect(parseClientKey(jwk(publicKey))).toEqual(publicKey.export({ format: "jwk" }));
    },
  );

  test("keeps none of the other members, such as an algorithm that says less than the key can do", () => {
    const { publicKey } = pairs.Ed25519;
    const given = jwk(publicKey, { alg: "EdDSA", kid: "theirs", use: "sig", key_ops: ["verify"] });
    expect(parseClientKey(given)).toEqual(publicKey.export({ format: "jwk" }));
  });

  test.each(["RSA 1024", "P-521", "secp256k1", "Ed448", "X25519"] as const)("of %s is refused", (name) => {
    expect(parseClientKey(pem(pairs[name].publicKey))).toBeUndefined();
    expect(parseClientKey(jwk(pairs[name].publicKey))).toBeUndefined();
  });

  test.each(["RSA 2048", "P-256", "Ed25519"] as const)("is not taken from a private key of %s", (name) => {
    const { privateKey } = pairs[name];
    expect(parseClientKey(jwk(privateKey))).toBeUndefined();
    const text = privateKey.export({ format: "pem", type: "pkcs8" });
    expect(parseClientKey(Buffer.from(text))).toBeUndefined();
  });

  test.each([
    "",
    "{}",
    "{",
    "null",
    '{"kty":"oct","k":"AAAA"}',
    '{"kty":"RSA","n":"AQ","e":"AQAB"}',
    '{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}',
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
  ])("is not %j", (text) => {
    expect(parseClientKey(Buffer.from(text))).toBeUndefined();
  });

  test("of a point that is not on its curve is refused", () => {
    const { y: _y, ...members } = pairs["P-256"].publicKey.export({ format: "jwk" });
    const wrong = Buffer.from(JSON.stringify({ ...members, y: Buffer.alloc(32, 1).toString("base64url") }));
    expect(parseClientKey(wrong)).toBeUndefined();
  });
});
