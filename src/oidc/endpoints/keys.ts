import type { SigningAlgorithm, SigningKey } from "../../features/signing-keys/signing-key.ts";

/** The name of each algorithm in a JWS header (RFC 7518 §3.1, RFC 8037 §3.1). */
const joseAlgorithms: Readonly<Record<SigningAlgorithm, string>> = {
  RS256: "RS256",
  ES256: "ES256",
  EDDSA: "EdDSA",
};

/** Makes the set of public keys (RFC 7517 §5). */
export function toKeySet(keys: readonly SigningKey[]): object {
  return {
    keys: keys.map(({ id, algorithm, publicKey }) => ({
      ...publicKey,
      kid: id,
      alg: joseAlgorithms[algorithm],
      use: "sig",
    })),
  };
}
