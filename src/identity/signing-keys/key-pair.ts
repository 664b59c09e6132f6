import { generateKeyPair as generate, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { SigningAlgorithm } from "./signing-key.ts";

const generateKeyPair = promisify(generate);

/** A new pair of keys: the public one as a JSON Web Key, the private one as PKCS #8 (DER). */
export interface KeyPair {
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly privateKey: Uint8Array;
}

/** Makes a pair of keys for the algorithm, outside of the event loop: an RSA key takes a few hundred milliseconds. */
export async function makeKeyPair(algorithm: SigningAlgorithm): Promise<KeyPair> {
  const { publicKey, privateKey } = await pairOf(algorithm);
  return {
    publicKey: { ...publicKey.export({ format: "jwk" }) },
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }),
  };
}

function pairOf(
  algorithm: SigningAlgorithm,
): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  switch (algorithm) {
    case "RS256":
      return generateKeyPair("rsa", { modulusLength: 2048 });
    case "ES256":
      return generateKeyPair("ec", { namedCurve: "P-256" });
    case "EDDSA":
      return generateKeyPair("ed25519");
  }
}
