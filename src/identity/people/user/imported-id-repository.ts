import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { hasName } from "../../../kernel/base/names/unique-name.ts";
import { digestImportedId, importedIdTaken } from "./imported-id.ts";

/** Notes that an imported id was given, so that nobody gets it again. */
export async function noteImportedId(tx: WriteTransaction, digest: string, date: number): Promise<void> {
  await tx.run("INSERT INTO imported_ids (digest, creation_date) VALUES (?, ?)", [digest, date]);
}

/** Raises ALREADY_EXISTS for an imported id that a user has or had, and for one that is the id of a user. */
export async function requireFreeImportedId(tx: ReadTransaction, importedId: string): Promise<void> {
  const user = await tx.get("SELECT 1 FROM stored_users WHERE id = ?", [importedId]);
  if (user !== undefined || (await isGiven(tx, importedId))) throw importedIdTaken(importedId);
}

/** Draws the id of a new user: never one that another user has from another system. */
export async function nextUserId(tx: Pick<WriteTransaction, "get" | "nextId">): Promise<UserId> {
  let id = tx.nextId<UserId>();
  while (await isGiven(tx, id)) id = tx.nextId<UserId>();
  return id;
}

/** Says what stands in the way of a new user: a user has the username, or has or had the id from another system. */
export async function findObstacles(
  tx: ReadTransaction,
  { id, username }: { readonly id: UserId; readonly username: string },
): Promise<{ readonly isUsernameTaken: boolean; readonly isIdTaken: boolean }> {
  const named = hasName("folded_username", username);
  const digest = digestImportedId(id);
  const rows = await tx.all<{ id: string }>(
    `SELECT id FROM users WHERE ${named.sql} UNION ALL SELECT digest FROM imported_ids WHERE digest = ?`,
    [...named.parameters, digest],
  );
  const isIdTaken = rows.some((row) => row.id === digest);
  return { isUsernameTaken: rows.length > (isIdTaken ? 1 : 0), isIdTaken };
}

/** Returns the user with that imported id, or undefined. */
export async function findUserIdByImportedId(
  tx: ReadTransaction,
  importedId: string,
): Promise<UserId | undefined> {
  const row = await tx.get<{ id: UserId }>("SELECT id FROM users WHERE imported_id = ?", [importedId]);
  return row?.id;
}

/** Returns the imported id of the user; undefined without one. */
export async function findImportedId(tx: ReadTransaction, userId: UserId): Promise<string | undefined> {
  const row = await tx.get<{ imported_id: string | null }>("SELECT imported_id FROM users WHERE id = ?", [
    userId,
  ]);
  return row?.imported_id ?? undefined;
}

async function isGiven(tx: Pick<ReadTransaction, "get">, importedId: string): Promise<boolean> {
  const row = await tx.get("SELECT 1 FROM imported_ids WHERE digest = ?", [digestImportedId(importedId)]);
  return row !== undefined;
}
