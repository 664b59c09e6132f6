import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Keyring } from "../../kernel/base/keyring.ts";
import { equalBytes, type Secret } from "../../kernel/base/secret.ts";
import { findSecret } from "../../kernel/events/secret-store.ts";

/** The signing secrets of an object: what they are encrypted for, and their ids in the table of secrets. */
export interface StoredSecrets {
  readonly purpose: "hook-secret" | "target-secret";
  readonly ids: readonly string[];
}

/** Says whether an object has the secret, and no other one: sending it again then changes nothing. */
export async function isOnlySecret(
  tx: ReadTransaction,
  keyring: Keyring,
  { purpose, ids: [id, ...others], secret }: StoredSecrets & { readonly secret: Secret | undefined },
): Promise<boolean> {
  if (secret === undefined || id === undefined || others.length > 0) return false;
  const stored = await findSecret(tx, id);
  if (stored === undefined) return false;
  return equalBytes(keyring.decrypt(purpose, stored, id), Buffer.from(secret.reveal(), "utf8"));
}
