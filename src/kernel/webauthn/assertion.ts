import { type AuthenticatorData, parseAssertionData } from "./authenticator-data.ts";
import { type ClientData, readBytes, readCredential, readObject } from "./client-data.ts";

/** The response of an authenticator to a login (WebAuthn §5.1), taken apart and well-formed. */
export interface AssertionResponse {
  readonly credentialId: Uint8Array;
  readonly clientData: ClientData;
  readonly clientDataHash: Uint8Array;
  readonly authenticatorData: AuthenticatorData;
  /** The bytes of the authenticator data. */
  readonly signedData: Uint8Array;
  readonly signature: Uint8Array;
  /** The user that the authenticator keeps the credential for; undefined if it does not say. */
  readonly userHandle: Uint8Array | undefined;
}

/** Returns the credential id (base64url) that an answer names. Raises U2F_CREDENTIAL_MALFORMED. */
export function credentialIdOf(credential: unknown): string {
  const outer = readObject(credential, "the credential");
  return Buffer.from(readBytes(outer["id"], "id")).toString("base64url");
}

/**
 * Parses a PublicKeyCredential in JSON (AuthenticationResponseJSON); binary values are base64url or base64. Raises
 * U2F_CREDENTIAL_MALFORMED for any deviation from the specification, and no other problem.
 */
export function parseAssertionResponse(credential: unknown): AssertionResponse {
  const { response, ...common } = readCredential(credential, "webauthn.get");
  const signedData = readBytes(response["authenticatorData"], "response.authenticatorData");
  const { userHandle } = response;
  return {
    ...common,
    authenticatorData: parseAssertionData(signedData),
    signedData,
    signature: readBytes(response["signature"], "response.signature"),
    userHandle:
      userHandle === undefined || userHandle === null || userHandle === ""
        ? undefined
        : readBytes(userHandle, "response.userHandle"),
  };
}
