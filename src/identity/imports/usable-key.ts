import { readCbor } from "../../kernel/webauthn/cbor.ts";
import { toPublicKey } from "../../kernel/webauthn/public-key.ts";

/** Says whether the bytes are a COSE key with which a login can check the answers of an authenticator, and nothing more. */
export function isUsableKey(bytes: Uint8Array): boolean {
  const item = readCbor(bytes, 0);
  if (item?.end !== bytes.length) return false;
  try {
    toPublicKey(item.value);
    return true;
  } catch {
    return false;
  }
}
