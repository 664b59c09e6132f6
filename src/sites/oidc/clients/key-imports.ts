import { createPublicKey, type KeyObject } from "node:crypto";
import type { PublicJwk } from "../../../kernel/base/public-key.ts";

/** Returns the key of Node that a JSON Web Key stands for. Throws for one that stands for none. */
export type ImportKey = (key: PublicJwk) => KeyObject;

/** A key takes a few kilobytes. */
const maxKeys = 1000;

/**
 * Creates an import that keeps the `limit` keys that were used last: with a key of P-256, importing it and preparing it for its first
 * use take a third as long as verifying a signature. A key is found by all that it consists of, so one that was removed or replaced
 * is never taken for another one.
 */
export function createKeyImport(limit = maxKeys): ImportKey {
  const kept = new Map<string, KeyObject>();
  return (key) => {
    const content = JSON.stringify(key);
    const imported = kept.get(content) ?? createPublicKey({ key: { ...key }, format: "jwk" });
    kept.delete(content); // so that it is added at the end, as the one that was used last
    kept.set(content, imported);
    const [oldest] = kept.size > limit ? kept.keys() : [];
    if (oldest !== undefined) kept.delete(oldest);
    return imported;
  };
}
