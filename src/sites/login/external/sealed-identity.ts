import type { Keyring, Sealed } from "../../../kernel/base/keyring.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";

/** Encrypts an identity that one interaction may take. */
export function sealIdentity(keyring: Keyring, interactionId: string, identity: ExternalIdentity): Sealed {
  return keyring.encrypt("brought-identity", Buffer.from(JSON.stringify(identity)), interactionId);
}

/** Decrypts an identity of that interaction; undefined when the key that it was encrypted with is gone. */
export function openIdentity(
  keyring: Keyring,
  interactionId: string,
  sealed: Sealed,
): ExternalIdentity | undefined {
  if (!keyring.keyIds.includes(sealed.keyId)) return undefined;
  const text = Buffer.from(keyring.decrypt("brought-identity", sealed, interactionId)).toString();
  return JSON.parse(text) as ExternalIdentity; // written above
}
