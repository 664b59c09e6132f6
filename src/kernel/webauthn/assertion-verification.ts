import type { AuthenticatorData } from "./authenticator-data.ts";
import { type AssertionResponse, parseAssertionResponse } from "./assertion.ts";
import { readCbor } from "./cbor.ts";
import { type ExpectedCeremony, requireCeremony } from "./ceremony.ts";
import { isSigned, toPublicKey } from "./public-key.ts";
import { credentialRefused } from "./refusal.ts";

/** The login that an answer must have been made for, and the credential that must have made it. */
export interface ExpectedAssertion extends Omit<ExpectedCeremony, "mustVerifyUser"> {
  /** base64url. */
  readonly credentialId: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  /** The user id that was registered with the credential. */
  readonly userHandle: Uint8Array;
  /** Another one, of a system in which the credential may have been registered. Absent: none. */
  readonly formerUserHandle?: Uint8Array | undefined;
  /**
   * Whether the credential logs its user in by itself: then the answer must name the user (WebAuthn §7.2 step 6), and the
   * authenticator must have verified them. Default: false.
   */
  readonly isPasswordless?: boolean;
}

/** What a good answer says of its authenticator: the caller compares it with what is known. */
export type VerifiedAssertion = Pick<AuthenticatorData, "counter" | "isBackupEligible" | "isBackedUp">;

/**
 * Checks a PublicKeyCredential (WebAuthn §7.2). Raises the reason of the first check that fails, and no other error: form,
 * credential, challenge, origin, relying party id, user presence, user verification, signature.
 */
export function verifyAssertion(credential: unknown, expected: ExpectedAssertion): VerifiedAssertion {
  const response = parseAssertionResponse(credential);
  const { userHandle, authenticatorData } = response;
  const { isPasswordless = false } = expected;
  const isOfUser = userHandle === undefined ? !isPasswordless : isHandleOf(Buffer.from(userHandle), expected);
  const credentialId = Buffer.from(response.credentialId).toString("base64url");
  if (credentialId !== expected.credentialId || !isOfUser) {
    throw credentialRefused("U2F_CREDENTIAL_MALFORMED", { description: "is another credential" });
  }
  requireCeremony(response, { ...expected, mustVerifyUser: isPasswordless });
  requireSignature(response, expected);
  const { counter, isBackupEligible, isBackedUp } = authenticatorData;
  return { counter, isBackupEligible, isBackedUp };
}

function isHandleOf(
  userHandle: Buffer,
  { userHandle: own, formerUserHandle: former }: ExpectedAssertion,
): boolean {
  return userHandle.equals(own) || (former !== undefined && userHandle.equals(former));
}

function requireSignature(response: AssertionResponse, expected: ExpectedAssertion): void {
  const publicKey = toPublicKey(readCbor(Buffer.from(expected.publicKey, "base64url"), 0)?.value);
  const signed = Buffer.concat([response.signedData, response.clientDataHash]);
  if (!isSigned(publicKey, signed, response.signature)) {
    const description = "the signature of the credential is wrong";
    throw credentialRefused("U2F_SIGNATURE_INVALID", { description });
  }
}
