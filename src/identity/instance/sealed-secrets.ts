import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { Keyring, KeyUse } from "../../kernel/base/keyring.ts";
import { isUnderOrganization, openUserKey } from "../../kernel/events/personal-data.ts";
import { listSecrets, putSecret, type StoredSecret } from "../../kernel/events/secret-store.ts";
import { pairwiseSecretId } from "../signing-keys/saml-key.ts";
import { findUserOfAuthenticator } from "../factors/authenticators/repository.ts";
import { passkeyKind } from "../factors/passkeys/passkey.ts";
import { u2fKind } from "../factors/second-factors/u2f.ts";

/** The kind of a stored secret, by the part of its id before the colon. */
export type SecretBinding =
  /** A ciphertext, and the context that it is bound to. */
  | { readonly kind: "sealed"; readonly use: KeyUse; readonly context: string }
  /** The key of a user, wrapped by the key of an organization. */
  | { readonly kind: "user-key"; readonly userId: string }
  /** A ciphertext that cannot be opened because its object is gone. */
  | { readonly kind: "orphan" }
  /** A hash or a counter. */
  | { readonly kind: "plain" };

type Row = StoredSecret & { readonly id: string };

/** A ciphertext cannot be opened, so nothing may be encrypted again. */
export class UnreadableSecretError extends Error {}

/** How many rows are read, or written, at once. */
export const secretsAtOnce = 500;

/** Finds out how the secret is encrypted. It knows every kind of ciphertext. */
export async function bindingOf(
  tx: ReadTransaction,
  { id, keyId }: Pick<Row, "id" | "keyId">,
): Promise<SecretBinding> {
  const [kind = "", object = ""] = id.split(/:(.*)/s);
  switch (kind) {
    case "user-key":
      if (isUnderOrganization({ keyId })) return { kind: "user-key", userId: object };
      return { kind: "sealed", use: "user-key", context: object };
    case "organization-key":
      return { kind: "sealed", use: "organization-key", context: object };
    case "client-secret":
      return { kind: "sealed", use: "client-secret", context: id };
    case "target-secret":
      return { kind: "sealed", use: "target-secret", context: id };
    case "hook-secret":
      return { kind: "sealed", use: "hook-secret", context: id };
    case "signing-key":
      return { kind: "sealed", use: "signing-key", context: object };
    case "saml-key":
      return { kind: "sealed", use: "saml-key", context: object };
    case pairwiseSecretId:
      return { kind: "sealed", use: "saml-pairwise", context: id };
    case "u2f-challenge":
    case "passkey-challenge": {
      const { table } = kind === "u2f-challenge" ? u2fKind : passkeyKind;
      const userId = await findUserOfAuthenticator(tx, table, object);
      if (userId === undefined) return { kind: "orphan" };
      return { kind: "sealed", use: kind, context: `${userId}.${object}` };
    }
    default:
      return { kind: "plain" };
  }
}

/** Opens every ciphertext. Throws UnreadableSecretError for the first one that cannot be opened. */
export async function requireOpenSecrets(tx: ReadTransaction, keyring: Keyring): Promise<void> {
  for await (const row of walkSecrets(tx)) {
    const binding = await bindingOf(tx, row);
    try {
      if (binding.kind === "sealed") keyring.decrypt(binding.use, row, binding.context);
      if (binding.kind === "user-key") await openUserKey(tx, keyring, { ...binding, wrapped: row });
    } catch (cause) {
      throw new UnreadableSecretError(
        `the secret ${row.id} cannot be opened; run gatehouse doctor. Nothing was changed`,
        { cause },
      );
    }
  }
}

/**
 * Encrypts some ciphertexts again with the key that encrypts: those whose ids follow `after`. The result says how many were encrypted
 * and the last id that was read, undefined at the end.
 */
export async function resealSecrets(
  tx: WriteTransaction,
  keyring: Keyring,
  after: string,
): Promise<{ readonly count: number; readonly last: string | undefined }> {
  const rows = await listSecrets(tx, { prefix: "", after, limit: secretsAtOnce });
  let count = 0;
  for (const row of rows) {
    const binding = await bindingOf(tx, row);
    if (binding.kind !== "sealed" || row.keyId === keyring.sealingKeyId) continue;
    const plaintext = keyring.decrypt(binding.use, row, binding.context);
    await putSecret(tx, row.id, keyring.encrypt(binding.use, plaintext, binding.context));
    count += 1;
  }
  return { count, last: rows.length < secretsAtOnce ? undefined : rows.at(-1)?.id };
}

/** Counts the secrets that need each key, by key id. Keys that no secret needs are left out. */
export async function countSecretsByKey(tx: ReadTransaction): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { keyId } of walkSecrets(tx))
    if (keyId !== "") counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  return counts;
}

async function* walkSecrets(tx: ReadTransaction): AsyncGenerator<Row, void, undefined> {
  let rows: readonly Row[] = [];
  do {
    rows = await listSecrets(tx, { prefix: "", after: rows.at(-1)?.id ?? "", limit: secretsAtOnce });
    yield* rows;
  } while (rows.length === secretsAtOnce);
}
