import { jwsAlgorithms } from "../../features/signing-keys/jwt.ts";
import type { SigningKey } from "../../features/signing-keys/signing-key.ts";

/** Makes the set of public keys (RFC 7517 §5). */
export function toKeySet(keys: readonly SigningKey[]): object {
  return {
    keys: keys.map(({ id, algorithm, publicKey }) => ({
      ...publicKey,
      kid: id,
      alg: jwsAlgorithms[algorithm],
      use: "sig",
    })),
  };
}
