import { readFileSync } from "node:fs";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createKeyring, type Keyring, parseMasterKeys } from "../../kernel/base/keyring.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { equalBytes } from "../../kernel/base/secret.ts";
import { openUserKey, UnreadableError } from "../../kernel/events/personal-data.ts";
import { isKeyNeeded } from "../../kernel/events/secret-store.ts";
import { listKeyChecks } from "../../identity/instance/repository.ts";
import { bindingOf } from "../../identity/instance/sealed-secrets.ts";
import type { Place } from "../../kernel/storage/place.ts";
import { type Finding, toFinding } from "../../kernel/storage/finding.ts";

/** Returns the keys of the key file, or a description of what is wrong with it. */
export function readKeyring({ keyFile }: Pick<Place, "keyFile">): Keyring | Finding {
  const failed = (detail: string): Finding => ({ state: "FAILED", check: "master key", detail });
  try {
    return createKeyring(parseMasterKeys(readFileSync(keyFile, "utf8")), systemRandom);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // of node:fs, or of the parser
    if (code === "ENOENT") return failed(`${keyFile} is missing; restore it from your copy`);
    return failed(`${keyFile} ${code === undefined ? `is damaged: ${message}` : `cannot be read: ${code}`}`);
  }
}

/** Compares the key file with the check values that the database keeps of every key it was used with. */
export async function checkKeys(tx: ReadTransaction, keyring: Keyring): Promise<Finding> {
  const known = await listKeyChecks(tx);
  const faults: string[] = [];
  let used = 0;
  for (const [keyId, expected] of known) {
    const isThere = keyring.keyIds.includes(keyId);
    if (!isThere && !(await isKeyNeeded(tx, keyId))) continue; // taken out after a rotation
    used += 1;
    if (!isThere) faults.push(`the key ${keyId} is missing`);
    else if (!equalBytes(expected, keyring.checkValue(keyId)))
      faults.push(`the key ${keyId} differs from the original`);
  }
  if (known.size === 0) faults.push("the database has no key; its first start did not finish");
  const fault = faults.length === 0 ? undefined : `${faults.join(", ")}; restore the right key file`;
  return toFinding("master key", fault, `${used} in use, of ${keyring.keyIds.length} in the file`);
}

interface SecretRow {
  readonly id: string;
  readonly key_id: string;
  readonly value: Uint8Array;
}

const pageSize = 500;

/** Decrypts every ciphertext, and looks for the key of every hash that was made with one. */
export async function checkSecrets(tx: ReadTransaction, keyring: Keyring): Promise<Finding> {
  let count = 0;
  const closed: string[] = [];
  let rows = await readPage(tx, "");
  while (rows.length > 0) {
    count += rows.length;
    for (const row of rows) if (!(await isReadable(tx, keyring, row))) closed.push(row.id);
    rows = await readPage(tx, rows.at(-1)?.id ?? "");
  }
  const hashless = await tx.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM credentials t WHERE t.kind <> 'key' AND NOT EXISTS (SELECT 1 FROM secrets s WHERE s.id = CASE t.kind WHEN 'token' THEN 'token:' ELSE 'user-secret:' END || t.id)",
  );
  const faults = [
    ...(closed.length > 0
      ? [`${closed.length} of ${count} cannot be opened, the first is ${closed[0]}`]
      : []),
    ...((hashless?.count ?? 0) > 0
      ? [`${hashless?.count} tokens and secrets have no hash, so nobody can use them`]
      : []),
  ];
  const fault = faults.length === 0 ? undefined : `${faults.join("; ")}; restore a backup`;
  return toFinding("secrets", fault, `all ${count} can be opened`);
}

async function readPage(tx: ReadTransaction, after: string): Promise<readonly SecretRow[]> {
  return await tx.all<SecretRow>(
    `SELECT id, key_id, value FROM secrets WHERE id > ? ORDER BY id LIMIT ${pageSize}`,
    [after],
  );
}

async function isReadable(tx: ReadTransaction, keyring: Keyring, row: SecretRow): Promise<boolean> {
  const sealed = { keyId: row.key_id, value: row.value };
  const binding = await bindingOf(tx, { id: row.id, keyId: row.key_id });
  switch (binding.kind) {
    case "user-key":
      try {
        return (await openUserKey(tx, keyring, { ...binding, wrapped: sealed })) !== undefined;
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        return false;
      }
    case "sealed":
      try {
        keyring.decrypt(binding.use, sealed, binding.context);
        return true;
      } catch {
        return false; // a key that is gone, or bytes that were changed: for the count it is the same
      }
    case "orphan":
      return false;
    case "plain":
      return row.key_id === "" || keyring.keyIds.includes(row.key_id);
  }
}
