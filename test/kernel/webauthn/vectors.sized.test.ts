import { describe, expect, test } from "@jest/globals";
import { verifyRegistrationResponse } from "@simplewebauthn/server";
import { verifyCredential } from "../../../src/kernel/webauthn/registration-verification.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import { outcomeOf } from "../../support/problems.ts";
import { sized } from "../../support/size.ts";
import { type RegistrationVector, registrationVectors } from "./vectors.ts";

interface Registration {
  readonly challenge: Buffer;
  readonly credentialId: Buffer;
  readonly aaguid: Buffer;
  readonly clientData: Buffer;
  readonly attestation: Buffer;
}

/** Every so many bytes the verdict about a change is compared with that of the library. */
const judgedStep = sized({ small: 41, full: 3 });

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

function registrationOf(vector: RegistrationVector): Registration {
  return {
    challenge: Buffer.from(vector.challenge, "hex"),
    credentialId: Buffer.from(vector.credentialId, "hex"),
    aaguid: Buffer.from(vector.aaguid, "hex"),
    clientData: Buffer.from(vector.clientDataJson, "hex"),
    attestation: Buffer.from(vector.attestationObject, "hex"),
  };
}

function vectorOf(name: string): Registration {
  const found = registrationVectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`there is no vector ${name}`);
  return registrationOf(found);
}

function toCredential(registration: Registration) {
  const id = text(registration.credentialId);
  const response = {
    clientDataJSON: text(registration.clientData),
    attestationObject: text(registration.attestation),
  };
  return { id, rawId: id, type: "public-key", response } as const;
}

async function verify(registration: Registration) {
  return verifyCredential(toCredential(registration), {
    challenge: text(registration.challenge),
    rpId: "example.org",
    isOriginAllowed: (origin) => origin === "https://example.org",
    nowMs: Date.UTC(2026, 0, 1),
  });
}

/**
 * Returns the vector of fido-u2f with the AAGUID that CTAP §7.1 has such keys send, 16 zero bytes. The signature of that
 * format does not cover it, so the published one stays good.
 */
function withoutAaguid(registration: Registration): Registration {
  const attestation = Buffer.from(registration.attestation);
  const at = attestation.indexOf(registration.aaguid);
  return { ...registration, attestation: attestation.fill(0, at, at + 16), aaguid: Buffer.alloc(16) };
}

const accepted: readonly (readonly [string, Registration])[] = [
  ["none.ES256", vectorOf("none.ES256")],
  ["none.ES256.long-credential-id", vectorOf("none.ES256.long-credential-id")],
  ["packed-self.ES256", vectorOf("packed-self.ES256")],
  ["packed.ES256", vectorOf("packed.ES256")],
  ["packed.RS256", vectorOf("packed.RS256")],
  ["packed.EdDSA", vectorOf("packed.EdDSA")],
  ["fido-u2f.ES256 without AAGUID", withoutAaguid(vectorOf("fido-u2f.ES256"))],
];

const refused: readonly (readonly [string, string])[] = [
  ["none.ES256.crossOrigin", "U2F_ORIGIN_INVALID"], // made in a frame
  ["none.ES256.topOrigin", "U2F_ORIGIN_INVALID"],
  ["packed.ES384", "U2F_CREDENTIAL_MALFORMED"], // not among the algorithms that are offered
  ["packed.ES512", "U2F_CREDENTIAL_MALFORMED"],
  ["packed.Ed448", "U2F_CREDENTIAL_MALFORMED"],
  ["tpm.ES256", "U2F_ATTESTATION_INVALID"], // not among the formats that are taken
  ["android-key.ES256", "U2F_ATTESTATION_INVALID"],
  ["apple.ES256", "U2F_ATTESTATION_INVALID"],
  // FIDO's server tests (Server-ServerAuthenticatorAttestationResponse-Resp-8, F-1) demand an AAGUID of zeros here.
  ["fido-u2f.ES256", "U2F_ATTESTATION_INVALID"],
];

describe("WebAuthn Level 3 §16", () => {
  test.each(accepted)("%s is taken", async (name, registration) => {
    const verified = await verify(registration);
    const hex = registration.aaguid.toString("hex");
    expect(verified.credentialId).toBe(text(registration.credentialId));
    expect(verified.aaguid.replaceAll("-", "")).toBe(hex);
    expect(verified.attestationFormat).toBe(/^none|^packed|^fido-u2f/.exec(name)?.[0]);
    expect(verified.counter).toBe(0);
    expect(registration.attestation.includes(Buffer.from(verified.publicKey, "base64url"))).toBe(true);
  });

  test.each(refused)("%s is refused with %s", async (name, reason) => {
    expect(await outcomeOf(verify(vectorOf(name)))).toBe(reason);
  });

  test("every vector is either taken or refused here", () => {
    const judged = new Set([...accepted, ...refused].map(([name]) => name.split(" ")[0]));
    expect(registrationVectors.filter(({ name }) => !judged.has(name))).toEqual([]);
  });
});

/**
 * What is refused although @simplewebauthn/server 14.0.3 takes it, by the description of the violation. Nothing is taken that it
 * refuses.
 */
const stricter: ReadonlyMap<string, string> = new Map([
  [
    "the credential was made on a page whose origin is not allowed",
    "at a registration it looks at no frames",
  ],
  ["response.clientDataJSON cannot be decoded", "it takes bytes that are not UTF-8"],
  ["response.attestationObject is not one item of canonical CBOR", "it reads the first item, in any form"],
  ["response.attestationObject lacks fmt, attStmt or authData", "it leaves out byte order marks"],
  ["the authenticator data is truncated or too long", "it fills up texts and bytes that are cut"],
  ["id is not that of the authenticator data", "it does not compare them"],
  ["the public key is not a valid key of an offered algorithm", "with none it does not use the key"],
  ["the public key cannot be decoded", "with none it does not use the key"],
  ["the signature of the attestation is wrong", "it takes signatures that are not DER"],
  ["fido-u2f has a wrong x5c", "it takes forms of ASN.1 that are not DER"],
  ["packed has a wrong x5c, or another algorithm than that of its certificate", "as with fido-u2f"],
  ["the certificate is not valid now", "it takes dates that are none"],
  ["the certificate has a wrong subject", "it takes texts of any kind"],
  ["the certificate has wrong Basic Constraints", "it takes certificates without them"],
  ["an extension is there twice", "it looks at the last one"],
]);

/** Takes or refuses as another implementation does. */
async function isTakenByLibrary(registration: Registration): Promise<boolean> {
  return await verifyRegistrationResponse({
    response: { ...toCredential(registration), clientExtensionResults: {} },
    expectedChallenge: text(registration.challenge),
    expectedOrigin: "https://example.org",
    expectedRPID: "example.org",
    requireUserVerification: false,
    supportedAlgorithmIDs: [-7, -8, -257],
  }).then(
    ({ verified }) => verified,
    () => false,
  );
}

// Those of platforms are not judged: the library may download what the sender says.
describe.each(registrationVectors.filter(({ name }) => !/^(tpm|android|apple)/.test(name)))(
  "$name, altered in any way",
  (vector) => {
    test("is taken only if @simplewebauthn/server takes it, and refused only with a reason besides", async () => {
      const whole = registrationOf(vector);
      const differences: string[] = [];
      for (const registration of [whole, ...alterationsOf(whole)]) {
        const problem: unknown = await verify(registration).then(
          () => undefined,
          (error: unknown) => error,
        );
        const isReasonable = problem === undefined || problem instanceof Problem;
        if (isReasonable && (await isTakenByLibrary(registration)) === (problem === undefined)) continue;
        const refusal =
          problem instanceof Problem ? (problem.violations[0]?.description ?? "") : String(problem);
        if (!stricter.has(refusal)) differences.push(refusal);
      }
      expect(differences).toEqual([]);
    });
  },
);

/** Turns the first or the last bit of a byte, removes it, doubles it or clears it: at each place one of them. */
function* alterationsOf(registration: Registration): Generator<Registration> {
  for (const field of ["attestation", "clientData"] as const) {
    const bytes = registration[field];
    for (let at = 0; at < bytes.length; at += judgedStep) {
      const byte = bytes[at] ?? 0;
      const instead = [[byte ^ 0x01], [byte ^ 0x80], [], [byte, byte], [0]][(at / judgedStep) % 5] ?? [];
      const altered = Buffer.concat([bytes.subarray(0, at), Buffer.from(instead), bytes.subarray(at + 1)]);
      yield { ...registration, [field]: altered };
    }
  }
}
