import { type KeyObject, verify } from "node:crypto";
import { promisify } from "node:util";
import type { SignatureAlgorithm } from "./algorithms.ts";
import { badSignature, type SignatureFinding } from "./signature-finding.ts";

const verifyInPool = promisify(verify);

/**
 * Verifies a signature over any of several octets with any of several keys. Only keys of the type of the algorithm count: a name of
 * an algorithm must not choose how a key is used. ECDSA signatures are r and s one after the other (XML Signature §6.4.3).
 */
export async function verifyOctets(signed: {
  readonly octets: readonly string[];
  readonly signature: Uint8Array;
  readonly algorithm: SignatureAlgorithm;
  readonly keys: readonly KeyObject[];
}): Promise<SignatureFinding> {
  const { hash } = signed.algorithm;
  const keys = keysFor(signed.algorithm, signed.keys);
  if (keys.length === 0) return badSignature("key");
  for (const octets of signed.octets) {
    for (const key of keys) {
      const how = { key, dsaEncoding: "ieee-p1363" as const };
      if (await verifyInPool(hash, Buffer.from(octets), how, signed.signature)) return { kind: "good" };
    }
  }
  return badSignature("value");
}

/** Returns the keys that count for the algorithm. */
export function keysFor({ keyType }: SignatureAlgorithm, keys: readonly KeyObject[]): readonly KeyObject[] {
  return keys.filter(({ asymmetricKeyType }) => asymmetricKeyType === keyType);
}
