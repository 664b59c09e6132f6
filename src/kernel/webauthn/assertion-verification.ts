import { createHash } from "node:crypto";
import { verifyAuthenticationResponse } from "@simplewebauthn/server";
import { type AssertionResponse, parseAssertionResponse } from "./assertion.ts";
import { requireOrigins } from "./client-data.ts";
import { isDerSignature } from "./der-signature.ts";
import { parsePublicKey } from "./public-key.ts";
import { credentialRefused } from "./refusal.ts";

/** The login that an answer must have been made for, and the credential that must have made it. */
export interface ExpectedAssertion {
  /** base64url, as it was sent. */
  readonly challenge: string;
  readonly rpId: string;
  readonly isOriginAllowed: (origin: string) => boolean;
  /** base64url. */
  readonly credentialId: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  /** The user id that was registered with the credential. */
  readonly userHandle: Uint8Array;
  /**
   * Whether the credential logs its user in by itself: then the answer must name the user (WebAuthn §7.2 step 6), and the
   * authenticator must have verified them. Default: false.
   */
  readonly isPasswordless?: boolean;
}

/** What a good answer says of its authenticator. */
export interface VerifiedAssertion {
  /** The caller compares it with the one before. */
  readonly counter: number;
  /** The caller compares it with that of the registration: it never changes. */
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

const es256 = -7;

/**
 * Checks a PublicKeyCredential (WebAuthn §7.2). Raises the reason of the first check that fails, and no other error: form,
 * credential, challenge, origin, relying party id, user presence, user verification, signature. Awaits WebCrypto, so it cannot
 * run inside a transaction.
 */
export async function verifyAssertion(
  credential: unknown,
  expected: ExpectedAssertion,
): Promise<VerifiedAssertion> {
  const response = parseAssertionResponse(credential);
  const { clientData, userHandle, counter, isBackupEligible, isBackedUp } = response;
  const { isPasswordless = false } = expected;
  const isOfUser =
    userHandle === undefined ? !isPasswordless : Buffer.from(userHandle).equals(expected.userHandle);
  if (base64Url(response.credentialId) !== expected.credentialId || !isOfUser) {
    throw credentialRefused("U2F_CREDENTIAL_MALFORMED", { description: "is another credential" });
  }
  if (clientData.challenge !== expected.challenge) throw credentialRefused("U2F_CHALLENGE_INVALID");
  requireOrigins(clientData, expected.isOriginAllowed);
  const rpIdHash = createHash("sha256").update(expected.rpId).digest();
  if (!rpIdHash.equals(response.rpIdHash)) throw credentialRefused("U2F_RP_ID_INVALID");
  if (!response.isUserPresent) throw credentialRefused("U2F_USER_PRESENCE_MISSING");
  if (isPasswordless && !response.isUserVerified) throw credentialRefused("U2F_USER_VERIFICATION_MISSING");
  await requireSignature(response, expected);
  return { counter, isBackupEligible, isBackedUp };
}

/** Lets the library check the signature, and everything else once more. */
async function requireSignature(response: AssertionResponse, expected: ExpectedAssertion): Promise<void> {
  const publicKey = new Uint8Array(Buffer.from(expected.publicKey, "base64url"));
  // As at a registration: the decoder of @simplewebauthn/server 14.0.3 accepts other forms of ECDSA signatures.
  if (parsePublicKey(publicKey) === es256 && !isDerSignature(response.signature)) throw signatureWrong();
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id: expected.credentialId,
      rawId: expected.credentialId,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: base64Url(response.clientDataJson),
        authenticatorData: base64Url(response.authenticatorData),
        signature: base64Url(response.signature),
      },
    },
    expectedChallenge: expected.challenge,
    expectedOrigin: response.clientData.origin,
    expectedRPID: expected.rpId,
    // Not checked here: the caller that compares the counter must know that the signature is good.
    credential: { id: expected.credentialId, publicKey, counter: 0 },
    requireUserVerification: false,
  }).catch((cause: unknown) => {
    throw signatureWrong(cause);
  });
  if (!verified) throw signatureWrong();
}

function signatureWrong(cause?: unknown) {
  return credentialRefused("U2F_SIGNATURE_INVALID", {
    description: "the signature of the credential is wrong",
    cause,
  });
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}
