import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { verifyCredential } from "../../../src/kernel/webauthn/registration-verification.ts";
import {
  cosePublicKey,
  encodeCbor,
  type RegistrationChoices,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";

const challenge = Buffer.alloc(32, 5).toString("base64url");
const options = { publicKey: { rp: { id: "example.com" }, challenge } };
const expected = {
  challenge,
  rpId: "example.com",
  isOriginAllowed: (origin: string) => origin === "https://example.com",
  nowMs: Date.UTC(2026, 0, 1),
};

const check = async (credential: unknown, mustVerifyUser = false) =>
  verifyCredential(credential, { ...expected, mustVerifyUser });
const verify = (choices: RegistrationChoices) => check(registerInSoftware(options, choices));

describe("a good credential", () => {
  test.each(["none", "packed", "packed-x5c", "fido-u2f"] as const)(
    "of the format %s is taken",
    async (format) => {
      const credentialId = new Uint8Array(20).fill(9);
      const verified = await verify({ format, credentialId });
      expect(verified.credentialId).toBe(Buffer.from(credentialId).toString("base64url"));
      expect(verified.attestationFormat).toBe(format.replace("-x5c", ""));
      expect(Buffer.from(verified.publicKey, "base64url")).toHaveLength(77);
      expect(verified.counter).toBe(0);
      expect(verified.aaguid).toBe("00000000-0000-0000-0000-000000000000");
    },
  );

  test("is taken in standard base64, with padding", async () => {
    const credentialId = Uint8Array.of(0xfb, 0xef, 0xbe, 0xff, 0xff, 0xff, 0);
    const response = registerInSoftware(options, { credentialId, encoding: "base64" });
    expect(response.id).toBe("++++////AA==");
    const verified = await check(response);
    expect(verified.credentialId).toBe("----____AA");
  });

  test("is taken with extension data (WebAuthn §6.1)", async () => {
    const extensions = encodeCbor(new Map([["credProtect", 1]]));
    const authenticatorData = (bytes: Uint8Array) => Buffer.concat([bytes, extensions]);
    expect(await outcomeOf(verify({ flags: 0xc1, authenticatorData }))).toBe("ok");
  });

  test("is taken with a token binding (WebAuthn level 2 §5.8.1)", async () => {
    expect(await outcomeOf(verify({ clientData: { tokenBinding: { status: "supported" } } }))).toBe("ok");
  });

  test("is taken with a byte order mark before the client data, one (WebAuthn §7.1 step 5)", async () => {
    const mark = Buffer.of(0xef, 0xbb, 0xbf);
    const marked = (bytes: Uint8Array) => Buffer.concat([mark, bytes]);
    for (const format of ["none", "packed"] as const)
      expect(await outcomeOf(verify({ format, clientDataJson: marked }))).toBe("ok");
    const twice = await outcomeOf(verify({ clientDataJson: (bytes) => marked(marked(bytes)) }));
    expect(twice).toBe("U2F_CREDENTIAL_MALFORMED");
  });

  test("is taken with an allowed topOrigin", async () => {
    expect(await outcomeOf(verify({ clientData: { topOrigin: "https://example.com" } }))).toBe("ok");
  });

  test("is taken with an Ed25519 key", async () => {
    const { x = "" } = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" });
    const publicKey = cose([1, 1], [3, -8], [-1, 6], [-2, Buffer.from(x, "base64url")]);
    expect(await outcomeOf(verify({ publicKey }))).toBe("ok");
  });
});

describe("a credential that logs in without a password", () => {
  const verifyPasskey = (flags: number) => check(registerInSoftware(options, { flags }), true);

  test("says whether it may be copied, and was (WebAuthn §6.1.3)", async () => {
    expect(await verifyPasskey(0x45)).toMatchObject({ isBackupEligible: false, isBackedUp: false });
    expect(await verifyPasskey(0x4d)).toMatchObject({ isBackupEligible: true, isBackedUp: false });
    expect(await verifyPasskey(0x5d)).toMatchObject({ isBackupEligible: true, isBackedUp: true });
  });

  test("is refused if its user was not verified", async () => {
    expect(await outcomeOf(verifyPasskey(0x41))).toBe("U2F_USER_VERIFICATION_MISSING");
  });
});

/** A good key with a key id (RFC 9052 §7.1) of the length that fits. */
function longKey(): Uint8Array {
  const { x = "", y = "" } = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
    format: "jwk",
  });
  const [bytesX, bytesY] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  return cose([1, 2], [2, Buffer.alloc(500_000)], [3, -7], [-1, 1], [-2, bytesX], [-3, bytesY]);
}

describe("WebAuthn §7.1: a bad credential is refused with the reason of the check that failed", () => {
  const notOnCurve = cose([1, 2], [3, -7], [-1, 1], [-2, Buffer.alloc(32, 1)], [-3, Buffer.alloc(32, 1)]);
  const cases: readonly [string, string, RegistrationChoices][] = [
    ["step 7, another ceremony", "U2F_CREDENTIAL_MALFORMED", { clientData: { type: "webauthn.get" } }],
    ["step 8, another challenge", "U2F_CHALLENGE_INVALID", { clientData: { challenge: "AAAA" } }],
    ["step 8, no challenge", "U2F_CREDENTIAL_MALFORMED", { clientData: { challenge: undefined } }],
    ["step 9, a foreign origin", "U2F_ORIGIN_INVALID", { origin: "https://evil.example" }],
    ["step 10, a frame of another origin", "U2F_ORIGIN_INVALID", { clientData: { crossOrigin: true } }],
    [
      "step 11, a frame in an allowed page",
      "U2F_ORIGIN_INVALID",
      { clientData: { crossOrigin: true, topOrigin: "https://example.com" } },
    ],
    [
      "step 11, another site around the page",
      "U2F_ORIGIN_INVALID",
      { clientData: { topOrigin: "https://evil.example" } },
    ],
    ["a topOrigin that is no text", "U2F_CREDENTIAL_MALFORMED", { clientData: { topOrigin: null } }],
    ["step 13, another relying party", "U2F_RP_ID_INVALID", { rpId: "evil.example" }],
    ["step 14, nobody present", "U2F_USER_PRESENCE_MISSING", { flags: 0x40 }],
    ["step 17, backed up but not eligible", "U2F_CREDENTIAL_MALFORMED", { flags: 0x51 }],
    [
      "step 18, an algorithm that was not offered",
      "U2F_CREDENTIAL_MALFORMED",
      { publicKey: cose([1, 2], [3, -47]) },
    ],
    ["no credential in the data", "U2F_CREDENTIAL_MALFORMED", { flags: 0x01 }],
    ["extensions announced but absent", "U2F_CREDENTIAL_MALFORMED", { flags: 0xc1 }],
    [
      "extensions that are not a map",
      "U2F_CREDENTIAL_MALFORMED",
      { flags: 0xc1, authenticatorData: (bytes) => Buffer.concat([bytes, encodeCbor(5)]) },
    ],
    [
      "a token binding of no known status",
      "U2F_CREDENTIAL_MALFORMED",
      { format: "packed", clientData: { tokenBinding: { status: "maybe" } } },
    ],
    [
      "a token binding that is no object",
      "U2F_CREDENTIAL_MALFORMED",
      { format: "packed", clientData: { tokenBinding: "supported" } },
    ],
    ["an optional parameter in the key (§6.5.1)", "U2F_CREDENTIAL_MALFORMED", { publicKey: longKey() }],
    ["a point that is not on the curve", "U2F_CREDENTIAL_MALFORMED", { publicKey: notOnCurve }],
    ["a credential id of 1024 bytes", "U2F_CREDENTIAL_MALFORMED", { credentialId: new Uint8Array(1024) }],
    ["an unknown format", "U2F_ATTESTATION_INVALID", { writtenFormat: "unknown" }],
    [
      "a format that would download",
      "U2F_ATTESTATION_INVALID",
      { format: "packed-x5c", writtenFormat: "android-key" },
    ],
    ["a statement in none", "U2F_ATTESTATION_INVALID", { format: "packed", writtenFormat: "none" }],
    ["packed without statement", "U2F_ATTESTATION_INVALID", { writtenFormat: "packed" }],
    [
      "packed signed with another algorithm",
      "U2F_ATTESTATION_INVALID",
      { format: "packed", statement: replacing("alg", -257) },
    ],
    [
      "packed with no certificate",
      "U2F_ATTESTATION_INVALID",
      { format: "packed-x5c", statement: replacing("x5c", []) },
    ],
    [
      "packed with a broken certificate",
      "U2F_ATTESTATION_INVALID",
      { format: "packed-x5c", statement: replacing("x5c", [Buffer.alloc(9)]) },
    ],
    [
      "packed with certificates beyond 16 KiB",
      "U2F_ATTESTATION_INVALID",
      { format: "packed-x5c", statement: withLargeCertificate },
    ],
    [
      "fido-u2f with a broken certificate",
      "U2F_ATTESTATION_INVALID",
      { format: "fido-u2f", statement: replacing("x5c", [Buffer.alloc(9)]) },
    ],
    ["a wrong signature in packed", "U2F_SIGNATURE_INVALID", { format: "packed", hasWrongSignature: true }],
    [
      "a wrong signature in packed with certificate",
      "U2F_SIGNATURE_INVALID",
      { format: "packed-x5c", hasWrongSignature: true },
    ],
    [
      "a wrong signature in fido-u2f",
      "U2F_SIGNATURE_INVALID",
      { format: "fido-u2f", hasWrongSignature: true },
    ],
    [
      "a signature that is none",
      "U2F_SIGNATURE_INVALID",
      { format: "packed", statement: replacing("sig", Buffer.alloc(70)) },
    ],
  ];
  test.each(cases)("%s: %s", async (_name, reason, choices) => {
    const problem = await problemOf(verify(choices));
    expect(problem.reason).toBe(reason);
    expect(problem.kind).toBe("invalid");
    expect(problem.violations.map(({ field }) => field)).toEqual(["public_key_credential"]);
  });
});

test.each(["android-key", "android-safetynet", "apple", "tpm", "unknown"])(
  "the format %s is refused by its name, before its statement is looked at: that could make the service download",
  async (writtenFormat) => {
    const problem = await problemOf(verify({ format: "packed-x5c", writtenFormat }));
    expect(problem.violations).toEqual([
      {
        field: "public_key_credential",
        description: "the attestation format must be none, packed or fido-u2f",
      },
    ]);
  },
);

describe("what is not canonical CBOR is refused", () => {
  const nested = Buffer.concat([Buffer.alloc(100_000, 0x81), Buffer.of(0)]);
  const cases: readonly [string, RegistrationChoices][] = [
    ["truncated by a byte", { attestationObject: (bytes) => bytes.slice(0, -1) }],
    ["truncated by half", { attestationObject: (bytes) => bytes.slice(0, bytes.length / 2) }],
    ["with trailing bytes", { attestationObject: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) }],
    [
      "with a length that is longer than it needs to be",
      { attestationObject: (bytes) => Buffer.concat([Buffer.of(0xb8, 3), bytes.slice(1)]) },
    ],
    [
      "of indefinite length",
      { attestationObject: (bytes) => Buffer.concat([Buffer.of(0xbf), bytes.slice(1), Buffer.of(0xff)]) },
    ],
    ["a number instead of a map", { attestationObject: () => Buffer.of(1) }],
    ["nested 100,000 times", { attestationObject: () => nested }],
    ["a map of 2^32 items", { attestationObject: () => Buffer.of(0xba, 0xff, 0xff, 0xff, 0xff) }],
    [
      "trailing bytes in the authenticator data",
      { authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
    ],
    ["a key that ends early", { authenticatorData: (bytes) => bytes.slice(0, -1) }],
    ["authenticator data of 37 bytes", { authenticatorData: (bytes) => bytes.slice(0, 37) }],
    ["more than 10,000 items", { statement: replacing("x", Array<number>(10_000).fill(0)) }],
    ["no authenticator data", { authenticatorData: () => new Uint8Array() }],
  ];
  test.each(cases)("%s", async (_name, choices) => {
    expect((await problemOf(verify(choices))).reason).toBe("U2F_CREDENTIAL_MALFORMED");
  });
});

describe("what is not a PublicKeyCredential is refused", () => {
  const good = registerInSoftware(options);
  const withResponse = (response: object) => ({ ...good, response: { ...good.response, ...response } });
  const cases: readonly [string, unknown][] = [
    ["nothing", undefined],
    ["an array", []],
    ["an empty object", {}],
    ["another type", { ...good, type: "password" }],
    ["no rawId", { ...good, rawId: undefined }],
    ["a rawId that differs", { ...good, rawId: "AAAA" }],
    ["an id that is not in the authenticator data", { ...good, id: "AAAA", rawId: "AAAA" }],
    ["an id that is not base64", { ...good, id: "*", rawId: "*" }],
    [
      "client data with a character too many",
      withResponse({ clientDataJSON: `*${good.response.clientDataJSON}` }),
    ],
    ["no response", { ...good, response: null }],
    ["client data that is not JSON", withResponse({ clientDataJSON: "AAAA" })],
    ["client data that is null", withResponse({ clientDataJSON: Buffer.from("null").toString("base64url") })],
    [
      "client data that is not UTF-8",
      withResponse({ clientDataJSON: Buffer.of(0xff, 0xfe).toString("base64url") }),
    ],
    ["an attestation object that is a number", withResponse({ attestationObject: 5 })],
  ];
  test.each(cases)("%s", async (_name, credential) => {
    expect((await problemOf(check(credential))).reason).toBe("U2F_CREDENTIAL_MALFORMED");
  });
});

function cose(...entries: readonly (readonly [number, unknown])[]): Uint8Array {
  return encodeCbor(new Map(entries));
}

function withLargeCertificate(statement: Map<string, unknown>) {
  return new Map(statement).set("x5c", [...(statement.get("x5c") as Uint8Array[]), Buffer.alloc(16_384)]);
}

function replacing(key: string, value: unknown) {
  return (statement: Map<string, unknown>) => new Map(statement).set(key, value);
}

test("the software authenticator writes COSE keys as RFC 9053 has them", () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  expect(Buffer.from(cosePublicKey(publicKey)).toString("hex")).toMatch(
    /^a5010203262001215820[0-9a-f]{64}225820[0-9a-f]{64}$/,
  );
});
