import { hash } from "node:crypto";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, UserId } from "../../kernel/base/ids.ts";
import { insertSql, isAmong } from "../../kernel/base/sql.ts";
import { digestImportedId } from "../people/user/imported-id.ts";
import type { ImportedKind } from "./imported-user.ts";

const insert = insertSql("imported_objects", ["source", "kind", "old_id_digest", "object_id"]);

/** Names an object of another system. `source` names the system, and the old id is unique there among objects of the kind. */
export interface OldObject {
  readonly source: string;
  readonly kind: ImportedKind;
  readonly oldId: string;
}

/** Notes what an object of another system has become. */
export async function noteImported(
  tx: WriteTransaction,
  { source, kind, oldId }: OldObject,
  id: string,
): Promise<void> {
  await tx.run(insert, [source, kind, digestOf(oldId), id]);
}

/** Returns the ids of what objects of another system have become, by old id; also of those that were removed since. */
export async function findImported(
  tx: ReadTransaction,
  { source, kind, oldIds }: Omit<OldObject, "oldId"> & { readonly oldIds: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  if (oldIds.length === 0) return new Map();
  const byDigest = new Map(oldIds.map((oldId) => [digestOf(oldId), oldId]));
  const named = isAmong("old_id_digest", [...byDigest.keys()]);
  const rows = await tx.all<{ old_id_digest: string; object_id: string }>(
    `SELECT old_id_digest, object_id FROM imported_objects WHERE source = ? AND kind = ? AND ${named.sql}`,
    [source, kind, ...named.parameters],
  );
  return new Map(rows.map((row) => [byDigest.get(row.old_id_digest) ?? "", row.object_id]));
}

/** Returns which of these users exist, and the organization of each. */
export async function findHomes(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OrganizationId>> {
  if (ids.length === 0) return new Map();
  const named = isAmong("id", ids);
  const rows = await tx.all<{ id: string; home: OrganizationId }>(
    `SELECT id, resource_owner AS home FROM users WHERE ${named.sql}`,
    named.parameters,
  );
  return new Map(rows.map(({ id, home }) => [id, home]));
}

/** Lists which of these imported ids no new user can get: a user has or had it, or has it as id. */
export async function listGivenIds(
  tx: ReadTransaction,
  importedIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (importedIds.length === 0) return new Set();
  const byDigest = new Map(importedIds.map((each) => [digestImportedId(each), each]));
  const digests = isAmong("digest", [...byDigest.keys()]);
  const given = await tx.all<{ digest: string }>(
    `SELECT digest FROM imported_ids WHERE ${digests.sql}`,
    digests.parameters,
  );
  const ids = isAmong("id", importedIds);
  const users = await tx.all<{ id: string }>(`SELECT id FROM stored_users WHERE ${ids.sql}`, ids.parameters);
  return new Set([...given.map(({ digest }) => byDigest.get(digest) ?? ""), ...users.map(({ id }) => id)]);
}

/** Draws ids of new users: none that a user has or had in another system, and none of `others`. */
export async function nextUserIds(
  tx: WriteTransaction,
  count: number,
  others: ReadonlySet<string>,
): Promise<readonly UserId[]> {
  const ids: UserId[] = [];
  while (ids.length < count) {
    const drawn = Array.from({ length: count - ids.length }, () => tx.nextId<UserId>());
    const given = await listGivenIds(tx, drawn);
    ids.push(...drawn.filter((id) => !given.has(id) && !others.has(id)));
  }
  return ids;
}

function digestOf(oldId: string): string {
  return hash("sha256", oldId, "hex");
}
