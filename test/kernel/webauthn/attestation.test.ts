import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { verifyCredential } from "../../../src/kernel/webauthn/registration-verification.ts";
import { aaguidExtension, authority, extension, noAuthority } from "../../support/attestation-certificate.ts";
import { type RegistrationChoices, registerInSoftware } from "../../support/software-authenticator.ts";
import { outcomeOf } from "../../support/problems.ts";

const challenge = Buffer.alloc(32, 5).toString("base64url");
const expected = {
  challenge,
  rpId: "example.com",
  isOriginAllowed: (origin: string) => origin === "https://example.com",
  nowMs: Date.UTC(2026, 0, 1),
};

const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const zeros = aaguidExtension(Buffer.alloc(16)); // as in the data of the software authenticator

const verify = async (choices: RegistrationChoices) =>
  verifyCredential(
    registerInSoftware(
      { publicKey: { rp: { id: "example.com" }, challenge } },
      { format: "packed-x5c", ...choices },
    ),
    expected,
  );

describe("WebAuthn §8.2: a certificate of packed is taken", () => {
  test.each<[string, RegistrationChoices]>([
    ["with a P-256 key and ES256", {}],
    ["with a P-384 key and ES384", { certificate: { keys: p384 }, algorithm: -35 }],
    ["with an RSA key and RS256", { certificate: { keys: rsa }, algorithm: -257 }],
    ["with the AAGUID of the authenticator", { certificate: { extensions: [noAuthority, zeros] } }],
  ])("%s", async (_name, choices) => {
    expect(await outcomeOf(verify(choices))).toBe("ok");
  });
});

describe("WebAuthn §8.2: a certificate of packed is refused", () => {
  test.each<[string, RegistrationChoices]>([
    // The library takes the key from the certificate and only the hash from `alg`: these signatures are good to it.
    ["with a P-256 key and RS256", { algorithm: -257 }],
    ["with a P-256 key and ES256K", { algorithm: -47 }],
    ["with an RSA key and ES256", { certificate: { keys: rsa } }],
    ["with a P-384 key and ES256", { certificate: { keys: p384 } }],
    ["with a P-256 key and the number of none", { algorithm: 0 }],
    ["of version 2", { certificate: { version: 1 } }],
    ["of a certificate authority", { certificate: { extensions: [authority] } }],
    ["without Basic Constraints", { certificate: { extensions: [zeros] } }],
    ["with Basic Constraints twice", { certificate: { extensions: [authority, noAuthority] } }],
    ["with the AAGUID of another model", withAaguids(aaguidExtension(Buffer.alloc(16, 1)))],
    ["with an AAGUID that is critical", withAaguids(aaguidExtension(Buffer.alloc(16), true))],
    ["with an AAGUID twice", withAaguids(zeros, aaguidExtension(Buffer.alloc(16, 1)))],
    [
      "with an AAGUID that is no octet string",
      withAaguids(extension("2b0601040182e51c010104", Buffer.of(5, 0), false)),
    ],
  ])("%s", async (_name, choices) => {
    expect(await outcomeOf(verify(choices))).toBe("U2F_ATTESTATION_INVALID");
  });

  test("whose signature is not DER, whatever the curve", async () => {
    const spoil = (statement: Map<string, unknown>) => {
      const signature = Buffer.from(statement.get("sig") as Uint8Array);
      signature[0] = 0x31; // a SET: the library takes it for a SEQUENCE
      return new Map(statement).set("sig", signature);
    };
    const choices = { certificate: { keys: p384 }, algorithm: -35, statement: spoil };
    expect(await outcomeOf(verify(choices))).toBe("U2F_SIGNATURE_INVALID");
  });
});

function withAaguids(...extensions: readonly Uint8Array[]): RegistrationChoices {
  return { certificate: { extensions: [noAuthority, ...extensions] } };
}
