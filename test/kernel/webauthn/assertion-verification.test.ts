import { describe, expect, test } from "@jest/globals";
import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import * as fc from "fast-check";
import { verifyAssertion } from "../../../src/kernel/webauthn/assertion-verification.ts";
import { Problem } from "../../../src/kernel/base/problem.ts";
import {
  type AssertionChoices,
  assertInSoftware,
  cosePublicKey,
  encodeCbor,
  makeKeyPair,
} from "../../support/software-authenticator.ts";
import { outcomeOf } from "../../support/problems.ts";

const keys = makeKeyPair();
const credentialId = new Uint8Array(16).fill(7);
const challenge = Buffer.alloc(32, 5).toString("base64url");
const options = { rpId: "example.com", challenge };
const expected = {
  challenge,
  rpId: "example.com",
  isOriginAllowed: (origin: string) => origin === "https://example.com",
  credentialId: Buffer.from(credentialId).toString("base64url"),
  publicKey: Buffer.from(cosePublicKey(keys.publicKey)).toString("base64url"),
  userHandle: Buffer.from("100"),
};

type Choices = Partial<AssertionChoices>;
const answer = (choices: Choices = {}) => assertInSoftware(options, { keys, credentialId, ...choices });
const check = async (credential: unknown) => verifyAssertion(credential, expected);
const verify = (choices: Choices = {}) => check(answer(choices));
const text = (value: string) => Buffer.from(value).toString("base64url");

describe("a good answer", () => {
  test.each<[string, Choices, number]>([
    ["with a counter", { counter: 41 }, 41],
    ["of a key that does not count", { counter: 0 }, 0],
    ["with user verification, which is not asked for", { flags: 0x05 }, 1],
    ["of a key that keeps the user", { userHandle: text("100") }, 1],
    ["without a user handle, as browsers write it", { userHandle: null }, 1],
    ["in standard base64", { encoding: "base64" }, 1],
    ["with extension data (WebAuthn §6.1)", { flags: 0x81, authenticatorData: withExtensions }, 1],
  ])("%s is taken", async (_name, choices, counter) => {
    expect(await verify(choices)).toEqual({
      counter,
      isBackupEligible: false,
      isBackedUp: false,
    });
  });
});

describe("the answer of a passkey", () => {
  const verifyPasskey = async (choices: Choices) =>
    verifyAssertion(answer({ userHandle: text("100"), flags: 0x05, ...choices }), {
      ...expected,
      isPasswordless: true,
    });

  test.each([
    ["that stays on its device", 0x05, { isBackupEligible: false, isBackedUp: false }],
    ["that may be copied", 0x0d, { isBackupEligible: true, isBackedUp: false }],
    ["that was copied", 0x1d, { isBackupEligible: true, isBackedUp: true }],
  ])("%s is taken", async (_name, flags, backup) => {
    expect(await verifyPasskey({ flags })).toEqual({ counter: 1, ...backup });
  });

  test.each<[string, Choices, string]>([
    ["whose user was not verified", { flags: 0x01 }, "U2F_USER_VERIFICATION_MISSING"],
    ["that does not say who the user is", { userHandle: null }, "U2F_CREDENTIAL_MALFORMED"],
    ["of another user", { userHandle: text("101") }, "U2F_CREDENTIAL_MALFORMED"],
  ])("%s is refused", async (_name, choices, reason) => {
    expect(await outcomeOf(verifyPasskey(choices))).toBe(reason);
  });
});

describe("an answer is refused", () => {
  test.each<[string, Choices, string]>([
    ["to another challenge", { clientData: { challenge: text("other") } }, "U2F_CHALLENGE_INVALID"],
    ["that registers", { clientData: { type: "webauthn.create" } }, "U2F_CREDENTIAL_MALFORMED"],
    ["from another origin", { origin: "https://evil.example" }, "U2F_ORIGIN_INVALID"],
    ["from a subdomain", { origin: "https://a.example.com" }, "U2F_ORIGIN_INVALID"],
    ["from a page in a page", { clientData: { crossOrigin: true } }, "U2F_ORIGIN_INVALID"],
    ["in a page of others", { clientData: { topOrigin: "https://evil.example" } }, "U2F_ORIGIN_INVALID"],
    ["for another relying party id", { rpId: "evil.example" }, "U2F_RP_ID_INVALID"],
    ["that nobody touched the key for", { flags: 0x00 }, "U2F_USER_PRESENCE_MISSING"],
    ["of another key", { keys: makeKeyPair() }, "U2F_SIGNATURE_INVALID"],
    ["with a signature of something else", { hasWrongSignature: true }, "U2F_SIGNATURE_INVALID"],
    ["without a whole signature", { signature: (bytes) => bytes.slice(0, -1) }, "U2F_SIGNATURE_INVALID"],
    [
      "with bytes after the signature",
      { signature: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
      "U2F_SIGNATURE_INVALID",
    ],
    ["of another credential", { credentialId: new Uint8Array(16) }, "U2F_CREDENTIAL_MALFORMED"],
    ["for another user", { userHandle: text("101") }, "U2F_CREDENTIAL_MALFORMED"],
    [
      "with authenticator data cut off",
      { authenticatorData: (bytes) => bytes.slice(0, 36) },
      "U2F_CREDENTIAL_MALFORMED",
    ],
    [
      "with bytes after the authenticator data",
      { authenticatorData: (bytes) => Buffer.concat([bytes, Buffer.of(0)]) },
      "U2F_CREDENTIAL_MALFORMED",
    ],
    ["with a credential in it", { flags: 0x41 }, "U2F_CREDENTIAL_MALFORMED"],
    ["backed up but not eligible for it", { flags: 0x11 }, "U2F_CREDENTIAL_MALFORMED"],
    ["with extensions announced but absent", { flags: 0x81 }, "U2F_CREDENTIAL_MALFORMED"],
  ])("%s", async (_name, choices, reason) => {
    expect(await outcomeOf(verify(choices))).toBe(reason);
  });

  // WebAuthn §6.5.5, RFC 3279 §2.2.3. The numbers of the signature are good, only their form is not.
  test.each<[string, (r: Buffer, s: Buffer) => Buffer]>([
    ["in another tag", (r, s) => der(0x31, der(2, r), der(2, s))],
    [
      "with a length in two bytes",
      (r, s) => Buffer.concat([Buffer.of(0x30, 0x81), der(0x30, der(2, r), der(2, s)).subarray(1)]),
    ],
    ["with a zero too many", (r, s) => der(0x30, der(2, Buffer.of(0), r), der(2, s))],
    ["with a third number", (r, s) => der(0x30, der(2, r), der(2, s), der(2, Buffer.of(1)))],
    ["of one number", (r) => der(0x30, der(2, r))],
    ["of texts", (r, s) => der(0x30, der(4, r), der(4, s))],
    ["in the form of WebCrypto", (r, s) => Buffer.concat([r.subarray(-32), s.subarray(-32)])],
  ])("with a signature %s", async (_name, form) => {
    const signature = (bytes: Uint8Array) => {
      const [r, s] = numbersOf(Buffer.from(bytes));
      expect(der(0x30, der(2, r), der(2, s)).equals(bytes)).toBe(true);
      return form(r, s);
    };
    expect(await outcomeOf(verify({ signature }))).toBe("U2F_SIGNATURE_INVALID");
  });

  test("after any change with which @simplewebauthn/server refuses it, and no other", async () => {
    const good = answer();
    const differences: string[] = [];
    for (const part of ["authenticatorData", "clientDataJSON", "signature"] as const) {
      const bytes = Buffer.from(good.response[part], "base64url");
      for (let at = 0; at < bytes.length; at += 5) {
        const changed = Buffer.from(bytes).fill((bytes[at] ?? 0) ^ (at % 2 === 0 ? 0x01 : 0x80), at, at + 1);
        const altered = { ...good, response: { ...good.response, [part]: changed.toString("base64url") } };
        const isTaken = (await outcomeOf(check(altered))) === "ok";
        // Of signatures the library takes some that are not DER.
        const isStricter = part === "signature" && !isTaken;
        if (!isStricter && (await isTakenByLibrary(altered)) !== isTaken) differences.push(`${part} ${at}`);
      }
    }
    expect(differences).toEqual([]);
  });

  test("with a reason whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue(),
        fc.constantFrom("response", "id", "rawId", "type"),
        async (value, field) => {
          const problem = await check({ ...answer(), [field]: value }).catch((error: unknown) => error);
          expect(problem).toBeInstanceOf(Problem);
        },
      ),
      { numRuns: 50 },
    );
  });
});

type LibraryInput = Parameters<typeof verifyAuthenticationResponse>[0];

async function isTakenByLibrary(given: ReturnType<typeof answer>): Promise<boolean> {
  return await verifyAuthenticationResponse({
    response: { ...given, clientExtensionResults: {} } as unknown as LibraryInput["response"],
    expectedChallenge: challenge,
    expectedOrigin: "https://example.com",
    expectedRPID: "example.com",
    requireUserVerification: false,
    credential: {
      id: expected.credentialId,
      publicKey: new Uint8Array(Buffer.from(expected.publicKey, "base64url")),
      counter: 0,
    },
  }).then(
    ({ verified }) => verified,
    () => false,
  );
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, content.length), content]);
}

/** The contents of the two INTEGERs of a signature in DER. */
function numbersOf(signature: Buffer): [Buffer, Buffer] {
  const middle = 4 + (signature[3] ?? 0);
  return [signature.subarray(4, middle), signature.subarray(middle + 2)];
}

function withExtensions(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, encodeCbor(new Map([["uvm", 1]]))]);
}
