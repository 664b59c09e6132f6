import {
  type AttestedCredential,
  type AuthenticatorData,
  parseRegistrationData,
} from "./authenticator-data.ts";
import { readCbor } from "./cbor.ts";
import { type ClientData, readBytes, readCredential } from "./client-data.ts";
import { malformedCredential } from "./refusal.ts";

/** The response of an authenticator to a registration (WebAuthn §5.1), taken apart and well-formed. */
export interface RegistrationResponse {
  readonly clientData: ClientData;
  readonly clientDataHash: Uint8Array;
  readonly attestationFormat: string;
  readonly attestationStatement: ReadonlyMap<unknown, unknown>;
  readonly authenticatorData: AuthenticatorData & AttestedCredential;
  /** The bytes of the authenticator data. */
  readonly signedData: Uint8Array;
}

/** The result of a successful registration. */
export interface VerifiedCredential
  extends Pick<AuthenticatorData, "counter" | "isBackupEligible" | "isBackedUp"> {
  /** base64url. */
  readonly credentialId: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  /** In hexadecimal, as a UUID is written. */
  readonly aaguid: string;
  readonly attestationFormat: string;
}

/**
 * Parses a PublicKeyCredential in JSON; binary values are base64url or base64. Raises U2F_CREDENTIAL_MALFORMED for
 * any deviation from the specification, and no other problem.
 */
export function parseCredential(credential: unknown): RegistrationResponse {
  const { credentialId, response, clientData, clientDataHash } = readCredential(
    credential,
    "webauthn.create",
  );
  const attestation = parseAttestationObject(
    readBytes(response["attestationObject"], "response.attestationObject"),
  );
  const authenticatorData = parseRegistrationData(attestation.signedData);
  if (!Buffer.from(credentialId).equals(authenticatorData.credentialId)) {
    throw malformedCredential("id is not that of the authenticator data");
  }
  return { clientData, clientDataHash, authenticatorData, ...attestation };
}

function parseAttestationObject(bytes: Uint8Array) {
  const what = "response.attestationObject";
  const item = readCbor(bytes, 0);
  if (item?.end !== bytes.length) throw malformedCredential(`${what} is not one item of canonical CBOR`);
  if (!(item.value instanceof Map)) throw malformedCredential(`${what} is not a map`);
  const fields: ReadonlyMap<unknown, unknown> = item.value;
  const attestationFormat = fields.get("fmt");
  const attestationStatement = fields.get("attStmt");
  const signedData = fields.get("authData");
  if (
    typeof attestationFormat !== "string" ||
    !(attestationStatement instanceof Map) ||
    !(signedData instanceof Uint8Array)
  ) {
    throw malformedCredential(`${what} lacks fmt, attStmt or authData`);
  }
  return { attestationFormat, attestationStatement, signedData };
}
